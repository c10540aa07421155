"use strict";
// What the hand does: draw and drag on the map, choose, play; and the words and numbers that answer.

const RATE = 30, MANY = 300;  // sweeps a second; where more are left, several are made in the time of one
const MOST_DUE = 30;  // that are made up for after a slow picture
const SIZES = [5, 10, 15, 20, 30, 40];
const QUARTER_AT = 650, SLIDER = 1000, LEAST_BETA = 0.001;  // of the slider: where ¼ is, its end; β at its beginning
const NETWORK_WORDS = {
  sum: "Each neuron adds up its neighbours: σ = g(Σ σ_j), g(v) = clamp(βv, 0, 1) where it is linear. tanh and shunting "
    + "also lead to the goal. saturated and sigmoid do not: g(0) is above 0, so cells are lit without any way to the goal, "
    + "and the climb ends there.",
  limit: "Each neuron takes β times the best of its neighbours: σ = β^distance. It is what sum becomes as β goes to 0. Its "
    + "paths are exactly shortest, and β changes nothing of them.",
};

const RUN_WORDS = {
  run: "What the arm had felt when this plan was made: marked cells are walls, closed steps are bars. Dotted: the true "
    + "obstacles, which it does not know. The path is that of the network; the arm may drive another, at any angle.",
  world: "Dotted: the obstacles of the world. Cells whose centre is in one are walls here; the arm would have to feel them.",
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
  let ofRun = false;  // whether the map is that of the run or world that the page was made of

  // -- what is seen ------------------------------------------------------------------------------------------------

  function show() {
    const { cells, reason } = network.climb(), found = network.found(), log = network.logOf(cells[0]);
    const hops = network.hops()[cells[0]];
    byId("steps").textContent = reason ? "–" : cells.length - 1;
    byId("depth").textContent = log === null ? "–" : (log / Math.log(chosen.beta) + 0).toFixed(2);
    byId("shortest").textContent = hops < 0 ? "–" : hops;
    byId("sweeps-name").textContent = found.solved ? "rounds of the solver" : "sweeps";
    byId("sweeps").textContent = found.sweeps + (network.atRest() ? "" : " …");
    const told = !network.atRest() && reason ? "The sweeps have not come this far yet." : inWords(reason);
    byId("reason").textContent = told + (found.saturated && !/saturat/.test(reason) ? " saturated" : "");
    showChoices();
    showUnder();
    picture.draw(document.activeElement === canvas ? cursor : null, ofRun ? given.run.outlines : []);
    for (const id of ["energy", "energy-words"]) byId(id).hidden = chosen.network === "limit";
    if (chosen.network === "sum") drawEnergy(trace);
    byId("play").textContent = playing ? "pause" : "sweep by sweep";
    byId("play").setAttribute("aria-pressed", playing);
  }

  /** Why a climb does not arrive, for a reader who sees the map; `plan_path` has shorter words. */
  function inWords(reason) {
    if (reason !== TOP) return reason;
    const lit = FUNCTIONS[chosen.function].g(chosen.beta, 0) > 0;
    const why = lit ? ": g(0) is above 0, and such cells are lit without any way to the goal" : "";
    return `The climb ends on a cell that is not the goal${why}.`;
  }

  function showChoices() {
    const limit = network.limit();
    byId("beta").value = sliderOf(chosen.beta);
    byId("beta").setAttribute("aria-valuetext", String(chosen.beta));
    if (document.activeElement !== byId("beta-number")) byId("beta-number").value = Number(chosen.beta.toPrecision(6));
    byId("beta-marks").replaceChildren(...[QUARTER_AT, sliderOf(limit)].map((at) => new Option("", at)));
    byId("mark-quarter").style.left = `${100 * QUARTER_AT / SLIDER}%`;
    byId("mark-limit").style.left = `${100 * sliderOf(limit) / SLIDER}%`;
    byId("beta-words").textContent = chosen.network === "limit" ? "β changes no path here." : slopeWords(limit);
    for (const id of ["beta-sum", "marks"]) byId(id).hidden = chosen.network === "limit";
    byId("network").value = chosen.network;
    byId("function").value = chosen.function;
    byId("kind").value = chosen.numbers;
    for (const id of ["function", "kind"]) byId(id).disabled = chosen.network === "limit";
    byId("network-words").textContent = NETWORK_WORDS[chosen.network];
    showSize();
  }

  /** What holds at the chosen β in the summing network. */
  function slopeWords(limit) {
    const marks = `The marks are ¼ and 1/λ = ${limit.toFixed(5)}; λ is the largest eigenvalue of the connections T of a map `
      + "of this size, and below 1/λ the network has one state of rest (6.12).";
    if (chosen.beta <= 0.25) return `${marks} Up to ¼ there is no false maximum.`;
    if (network.withinLimit()) {
      return `${marks} Above ¼ the climb may end on a false maximum; close to 1/λ cells are clamped: held at 1.`;
    }
    return `${marks} Here (6.12) is broken: cells are clamped, which is held at 1, and σ no longer leads anywhere.`;
  }

  /** The size of the map, also where it is none of those to choose. */
  function showSize() {
    const [m, n] = chosen.size, listed = m === n && SIZES.includes(m), [other] = byId("size").options;
    other.textContent = `${m} × ${n}`;
    other.hidden = listed;
    byId("size").value = listed ? m : "";
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
    byId("beta-refused").textContent = "";
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
    leaveRun();
    choose({ ...PLAIN, ...rests, walls: [...rests.walls] });
    press(name, words);
    if (plays) play();
  }

  /** The button under Try whose map is seen, if any, and what to look for on it. */
  function press(name, words) {
    byId("lesson").textContent = words;
    for (const button of byId("lessons").children) button.setAttribute("aria-pressed", button.textContent === name);
  }

  /** The map is no longer that of the run or world: nothing of it stays in sight. */
  function leaveRun() {
    ofRun = false;
    byId("touches").hidden = true;
    byId("of").textContent = "";
  }

  /** A map that belongs to no button under Try. */
  function chooseOther(changes) {
    leaveRun();
    press("", "");
    choose(changes);
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
    cursor = cell;
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
    cursor = cell;
    show();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { pointed = null; showUnder(); });

  // -- the keyboard ------------------------------------------------------------------------------------------------

  /** The cell that the keys move: the last that was touched, at first the start. */
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
    else {
      byId("beta-refused").textContent = `${beta} is refused: β must be above 0 and below 1`;
      byId("beta-number").value = chosen.beta;
    }
  };
  byId("network").onchange = () => choose({ network: byId("network").value });
  byId("function").onchange = () => choose({ function: byId("function").value });
  byId("kind").onchange = () => choose({ numbers: byId("kind").value });
  byId("function").replaceChildren(...Object.keys(FUNCTIONS).map((name) => new Option(name, name)));
  byId("size").replaceChildren(new Option("", ""), ...SIZES.map((size) => new Option(`${size} × ${size}`, size)));
  byId("size").onchange = () => {
    const size = Number(byId("size").value);
    if (!size) return;
    const middle = Math.floor(size / 2);
    chooseOther({ size: [size, size], walls: [], closed: [], start: [1, middle], goal: [size - 2, middle] });
  };
  byId("clear").onclick = () => chooseOther({ walls: [], closed: [] });
  byId("random").onclick = () => {
    const ends = [chosen.start, chosen.goal], [m, n] = chosen.size;
    const free = box([0, 0], [m - 1, n - 1]).filter((cell) => !ends.some((end) => near(cell, end)));
    chooseOther({ walls: free.filter(() => Math.random() < 0.3), closed: [] });
  };
  function makeButton(name, pressed) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.onclick = pressed;
    return button;
  }

  byId("lessons").replaceChildren(...LESSONS.map((lesson) => makeButton(lesson.name, () => begin(lesson))));
  window.addEventListener("resize", show);

  // -- a run: one plan after another ---------------------------------------------------------------------------------

  function showPlan(k) {
    const { run } = given, plan = run.plans[k];
    ofRun = true;
    byId("touches").hidden = false;
    byId("of").textContent = run.title;
    press(run.name, "");
    choose({
      ...PLAIN, size: run.shape, ties: run.ties, beta: run.beta, network: run.network, function: run.activation,
      walls: plan.walls, closed: plan.closed, start: plan.start, goal: run.goal,
    });
    byId("plan").value = k;
    byId("plan-name").textContent = `${k} of ${run.plans.length - 1}${plan.words}`;
  }

  if (given.run) {
    byId("lessons").prepend(makeButton(given.run.name, () => showPlan(Number(byId("plan").value))));
    byId("touches-name").textContent = `The ${given.run.kind}`;
    byId("touches-words").textContent = RUN_WORDS[given.run.kind];
    byId("plan-choice").hidden = given.run.plans.length === 1;
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
