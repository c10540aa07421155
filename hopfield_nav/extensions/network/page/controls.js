"use strict";
// What the hand does: draw and drag on the map, choose, play; and the words and numbers that answer.

const RATE = 30, MANY = 300;  // sweeps a second; where more are left, several are made in the time of one
const MOST_DUE = 30;  // that are made up for after a slow picture
const SIZES = [5, 10, 15, 20, 30, 40];
const QUARTER_AT = 650, SLIDER = 1000, LEAST_BETA = 0.001;  // of the slider: where ¼ is, its end; β at its beginning
const NETWORK_WORDS = {
  sum: "Each neuron adds up its neighbours: σ = g(Σ σ_j), g(v) = clamp(βv, 0, 1) where it is linear. tanh and shunting "
    + "do as well. saturated and sigmoid do not: g(0) is above 0, so cells are lit without a way, and the climb ends in "
    + "that light.",
  limit: "Each neuron takes β times the best of its neighbours: σ = β^distance. It is what sum becomes as β goes to 0. Its "
    + "paths are exactly shortest, and β changes nothing of them.",
};

const byId = (id) => document.getElementById(id);

/** The cells on a straight line between two, so that a quick hand leaves no gaps. */
function cellsBetween([a, b], [c, d]) {
  const count = Math.max(Math.abs(c - a), Math.abs(d - b), 1);
  return Array.from({ length: count + 1 }, (_, k) => [
    Math.round(a + (k / count) * (c - a)), Math.round(b + (k / count) * (d - b)),
  ]);
}

function makeControls(network, given) {
  const canvas = byId("map"), picture = makeMapPicture(canvas, network, given);
  const drawEnergy = makeEnergyPicture(byId("energy"), given.colours.felt);
  const { chosen } = network;
  let cursor = null, pointed = null, playing = false, trace = [], rest = null, total = 0, lastTick = 0;

  // -- what is seen ------------------------------------------------------------------------------------------------

  function show() {
    const { cells, reason } = network.climb(), found = network.found(), log = network.logOf(cells[0]);
    const hops = network.hops()[cells[0]];
    byId("steps").textContent = reason ? "–" : cells.length - 1;
    byId("depth").textContent = log === null ? "–" : (log / Math.log(chosen.beta) + 0).toFixed(2);
    byId("shortest").textContent = hops < 0 ? "–" : hops;
    byId("sweeps").textContent = found.sweeps + (network.atRest() ? "" : " …");
    const unsettled = !network.atRest() && reason ? "The sweeps have not come this far yet." : reason;
    byId("reason").textContent = unsettled + (found.saturated && !/saturat/.test(reason) ? " saturated" : "");
    showChoices();
    showUnder();
    picture.draw(document.activeElement === canvas ? cursor : null);
    drawEnergy(trace, chosen.network === "limit" ? "the network limit has no energy" : "");
    byId("play").textContent = playing ? "pause" : "sweep by sweep";
    byId("play").setAttribute("aria-pressed", playing);
  }

  function showChoices() {
    const limit = network.limit();
    byId("beta").value = sliderOf(chosen.beta);
    byId("beta").setAttribute("aria-valuetext", String(chosen.beta));
    if (document.activeElement !== byId("beta-number")) byId("beta-number").value = Number(chosen.beta.toPrecision(6));
    byId("beta-marks").replaceChildren(...[QUARTER_AT, sliderOf(limit)].map((at) => new Option("", at)));
    byId("mark-quarter").style.left = `${100 * QUARTER_AT / SLIDER}%`;
    byId("mark-limit").style.left = `${100 * sliderOf(limit) / SLIDER}%`;
    const where = chosen.beta <= 0.25 ? "Up to ¼ there is no false maximum."
      : network.withinLimit() ? "Above ¼ the climb may end on a false maximum."
        : "Beyond 1/λ the condition (6.12) is broken: cells are clamped at 1, and the light no longer leads anywhere.";
    byId("beta-words").textContent = `The marks are ¼ and 1/λ = ${limit.toFixed(5)} of this size of map. ${where}`;
    byId("network").value = chosen.network;
    byId("function").value = chosen.function;
    byId("kind").value = chosen.numbers;
    for (const id of ["function", "kind"]) byId(id).disabled = chosen.network === "limit";
    byId("network-words").textContent = NETWORK_WORDS[chosen.network];
    byId("size").value = chosen.size[0] === chosen.size[1] ? chosen.size[0] : "";
  }

  function showUnder() {
    const cell = pointed || (document.activeElement === canvas ? cursor : null);
    if (!cell || !network.inside(cell)) {
      byId("under").textContent = "";
      return;
    }
    const flat = network.number(cell), log = network.logOf(flat), hops = network.hops()[flat];
    const named = `cell ${cell.join(", ")}: `;
    if (network.grid().blocked[flat]) byId("under").textContent = `${named}wall`;
    else if (log === null) byId("under").textContent = `${named}dark${hops < 0 ? ", no way to the goal" : `, ${hops} steps`}`;
    else {
      const depth = (log / Math.log(chosen.beta) + 0).toFixed(2);
      byId("under").textContent = `${named}ln σ = ${(log + 0).toFixed(2)}, ln σ/ln β = ${depth}, shortest way ${hops} steps`;
    }
  }

  // -- β on the slider: logarithmic up to ¼, then linear and stretched, past 1/λ -------------------------------------

  const topBeta = () => network.limit() + 0.15 * (network.limit() - 0.25) + 1e-4;
  function betaOf(at) {
    if (at === QUARTER_AT) return 0.25;
    const beta = at < QUARTER_AT ? LEAST_BETA * (0.25 / LEAST_BETA) ** (at / QUARTER_AT)
      : 0.25 + ((at - QUARTER_AT) / (SLIDER - QUARTER_AT)) * (topBeta() - 0.25);
    return Number(beta.toPrecision(at < QUARTER_AT ? 3 : 6));
  }
  function sliderOf(beta) {
    const at = beta <= 0.25 ? QUARTER_AT * Math.log(beta / LEAST_BETA) / Math.log(0.25 / LEAST_BETA)
      : QUARTER_AT + (SLIDER - QUARTER_AT) * (beta - 0.25) / (topBeta() - 0.25);
    return Math.round(Math.max(0, Math.min(SLIDER, at)));
  }

  // -- choices -----------------------------------------------------------------------------------------------------

  function choose(changes) {
    network.choose(changes);
    stop();
    trace = [];
    rest = null;
    show();
  }

  function stop() {
    playing = false;
  }

  function begin(lesson) {
    const { name, words, plays, ...rests } = lesson;
    choose({ ...PLAIN, ...rests, walls: [...rests.walls] });
    byId("lesson").textContent = words;
    for (const button of byId("lessons").children) button.setAttribute("aria-pressed", button.textContent === name);
    if (plays) play();
  }

  function setWall(cell, on) {
    const same = ([i, j]) => i === cell[0] && j === cell[1];
    if (!network.inside(cell) || same(chosen.start) || same(chosen.goal) || chosen.walls.some(same) === on) return;
    choose({ walls: on ? [...chosen.walls, cell] : chosen.walls.filter((wall) => !same(wall)) });
  }

  const isWall = (cell) => network.grid().blocked[network.number(cell)] === 1;

  // -- time --------------------------------------------------------------------------------------------------------

  /** The network at rest, its sweeps in plain numbers: what the energy falls to, and how many sweeps are left. */
  function lookAhead() {
    if (chosen.network === "limit") return;
    const { function: name, beta } = chosen;
    const { sigma, sweeps } = sweepToRest(network.grid(), network.target(), name, beta, MOST_SHOWN);
    rest = { sigma, clamped: sigma.filter((s) => s >= 1).length > 1 };
    total = sweeps;
  }

  function sweep(count) {
    if (!network.isSwept() || !rest) {
      trace = [];
      lookAhead();
    }
    network.sweep(count);
    if (chosen.network !== "sum") return;
    const { function: name, beta } = chosen;
    const above = energyAbove(network.grid(), name, beta, Float64Array.from(network.sigma()), rest.sigma, rest.clamped);
    trace.push([network.found().sweeps, above]);
  }

  function play() {
    if (network.isSwept() && network.atRest()) choose({});
    playing = true;
    lastTick = 0;
    show();
    tick();
  }

  /** The sweeps that are due; a timer, since pictures may come more slowly than sweeps. */
  function tick() {
    if (!playing) return;
    const now = performance.now();
    const due = lastTick ? Math.min(MOST_DUE, Math.floor((now - lastTick) * RATE / 1000)) : 1;
    if (due > 0) {
      lastTick = lastTick && due < MOST_DUE ? lastTick + due * 1000 / RATE : now;
      const left = chosen.network === "sum" && rest ? total - network.found().sweeps : 0;
      sweep(due * Math.max(1, Math.ceil(left / MANY)));
      if (network.atRest()) stop();
      show();
    }
    if (playing) setTimeout(tick, 1000 / RATE);
  }

  byId("once").onclick = () => { stop(); network.settle(); trace = []; show(); };
  byId("play").onclick = () => { if (playing) { stop(); show(); } else play(); };
  byId("one").onclick = () => { stop(); sweep(1); show(); };

  // -- the pointer -------------------------------------------------------------------------------------------------

  let drag = null;
  const cellOfEvent = (event) => {
    const place = canvas.getBoundingClientRect();
    return picture.cellAt(event.clientX - place.left - 1, event.clientY - place.top - 1);
  };
  const near = ([i, j], cell) => i === cell[0] && j === cell[1];

  canvas.addEventListener("pointerdown", (event) => {
    const cell = cellOfEvent(event);
    if (!network.inside(cell)) return;
    canvas.setPointerCapture(event.pointerId);
    const what = near(cell, chosen.start) ? "start" : near(cell, chosen.goal) ? "goal" : isWall(cell) ? "erase" : "draw";
    drag = { what, last: cell };
    if (what === "erase" || what === "draw") setWall(cell, what === "draw");
  });
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellOfEvent(event);
    pointed = network.inside(cell) ? cell : null;
    if (!drag || !pointed) {
      showUnder();
      return;
    }
    if (drag.what === "start" || drag.what === "goal") {
      if (!near(cell, chosen[drag.what])) choose({ [drag.what]: cell });
    } else for (const each of cellsBetween(drag.last, cell)) setWall(each, drag.what === "draw");
    drag.last = cell;
    showUnder();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { pointed = null; showUnder(); });

  // -- the keyboard ------------------------------------------------------------------------------------------------

  /** The cell that the keys move: at first the start. */
  function placeCursor() {
    if (!cursor || !network.inside(cursor)) cursor = [...chosen.start];
  }

  const MOVES = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  canvas.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    placeCursor();
    if (move) cursor = cursor.map((c, axis) => Math.max(0, Math.min(chosen.size[axis] - 1, c + move[axis])));
    else if (event.key === " " || event.key === "Enter") setWall(cursor, !isWall(cursor));
    else if (event.key === "s") choose({ start: cursor });
    else if (event.key === "g") choose({ goal: cursor });
    else return;
    event.preventDefault();
    pointed = null;
    show();
  });
  for (const name of ["focus", "blur"]) {
    canvas.addEventListener(name, () => { placeCursor(); show(); });
  }

  // -- the other controls --------------------------------------------------------------------------------------------

  byId("beta").oninput = () => choose({ beta: betaOf(Number(byId("beta").value)) });
  byId("beta-number").onchange = () => {
    const beta = Number(byId("beta-number").value);
    if (beta > 0 && beta < 1) choose({ beta });
    else byId("beta-number").value = chosen.beta;
  };
  byId("network").onchange = () => choose({ network: byId("network").value });
  byId("function").onchange = () => choose({ function: byId("function").value });
  byId("kind").onchange = () => choose({ numbers: byId("kind").value });
  byId("function").replaceChildren(...Object.keys(FUNCTIONS).map((name) => new Option(name, name)));
  byId("size").replaceChildren(new Option("", ""), ...SIZES.map((size) => new Option(`${size} × ${size}`, size)));
  byId("size").onchange = () => {
    const size = Number(byId("size").value);
    if (size) choose({ size: [size, size], walls: [], closed: [], start: [1, Math.floor(size / 2)], goal: [size - 2, Math.floor(size / 2)] });
  };
  byId("clear").onclick = () => choose({ walls: [], closed: [] });
  byId("random").onclick = () => {
    const ends = [chosen.start, chosen.goal], [m, n] = chosen.size;
    const free = box([0, 0], [m - 1, n - 1]).filter((cell) => !ends.some((end) => near(cell, end)));
    choose({ walls: free.filter(() => Math.random() < 0.3), closed: [] });
  };
  byId("lessons").replaceChildren(...LESSONS.map((lesson) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = lesson.name;
    button.onclick = () => begin(lesson);
    return button;
  }));
  window.addEventListener("resize", show);

  // -- a run: one plan after another ---------------------------------------------------------------------------------

  function showPlan(k) {
    const { run } = given, plan = run.plans[k];
    choose({
      ...PLAIN, size: run.shape, ties: run.ties, beta: run.beta, network: run.network, function: run.activation,
      walls: plan.walls, closed: plan.closed, start: plan.start, goal: run.goal,
    });
    byId("plan").value = k;
    byId("plan-name").textContent = `${k} of ${run.plans.length - 1}${plan.words}`;
  }

  if (given.run) {
    byId("touches").hidden = false;
    byId("of").textContent = given.run.title;
    byId("plan").max = given.run.plans.length - 1;
    byId("plan").oninput = () => showPlan(Number(byId("plan").value));
    showPlan(Math.min(Number((/plan=(\d+)/.exec(location.hash) || [0, 0])[1]), given.run.plans.length - 1));
  } else begin(LESSONS[0]);

  return { changed() { stop(); trace = []; rest = null; show(); } };
}

const given = JSON.parse(byId("numbers-of").textContent);
byId("command").textContent = given.command;
for (const name of ["start", "goal"]) document.documentElement.style.setProperty(`--${name}`, given.colours[name]);
const network = makeNetwork(), controls = makeControls(network, given);
window.hopfield = makeInterface(network, () => controls.changed());
