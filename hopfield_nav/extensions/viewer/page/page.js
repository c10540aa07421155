"use strict";
// The page: numbers unpacked, one clock, and everything shown at its time.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const LONGEST = 40; // [s] that a page plays at its first speed
const GLOW = 0.6; // [s] of playing that a collision is written over the picture

function unpackView(view) {
  view.tool = unpack(view.tool);
  view.poses = { position: unpack(view.poses.position), turn: unpack(view.poses.turn) };
  view.forces.forEach((force) => { force.at = unpack(force.at); force.force = unpack(force.force); });
  view.panels.forEach((panel) => panel.curves.forEach((curve) => {
    curve.low = unpack(curve.low);
    curve.high = unpack(curve.high);
  }));
  if (view.map) {
    view.map.excluded = Array.from(wholeNumbers(view.map.excluded), (flat) => cellIndex(view.map.shape, flat));
    view.map.plans.forEach((plan) => {
      const rank = view.map.shape.length;
      plan.felt = Array.from(wholeNumbers(plan.felt), (flat) => cellIndex(view.map.shape, flat));
      plan.path = rowsOf(wholeNumbers(plan.path), rank);
      plan.steps = rowsOf(wholeNumbers(plan.steps), rank); // two cells a step
      plan.certainty = unpack(plan.certainty);
    });
    view.map.times = view.map.plans.map((plan) => plan.time);
    const { network } = view.map;
    if (network) {
      network.depth = unpack(network.depth);
      network.climb = network.climb && unpack(network.climb);
    }
  }
  return view;
}

function element(id) {
  return document.getElementById(id);
}

/** A figure with a head, a note at its right, and a canvas. */
function makeFigure(title, kind) {
  const figure = document.createElement("figure"), caption = document.createElement("figcaption");
  const canvas = document.createElement("canvas"), note = document.createElement("output");
  figure.className = kind;
  caption.append(title, note);
  figure.append(caption, canvas);
  element("panels").append(figure);
  return { canvas, note };
}

function writeWords(view) {
  document.title = `${view.title} – hopfield-nav`;
  element("title").textContent = view.title;
  element("outcome").textContent = view.outcome;
  element("command").textContent = view.command;
  element("world").textContent = view.world;
  for (const [name, text] of view.results) {
    const row = element("results").insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = text;
  }
}

/** What can be shown or hidden, with its colour. */
function writeLegend(view, toggle) {
  const { colours } = view, one = (colour) => [colour];
  const rows = [["arm", "arm", one(colours.housing)]];
  const blind = view.solids.some((solid) => !solid.known);
  if (view.solids.length) rows.push(["obstacles", `obstacles${blind ? " (unknown: faint until touched)" : ""}`, one(colours.obstacle)]);
  if (view.map) rows.push(["felt", "felt; closed steps: fact thick, belief thin", one(colours.felt)]);
  if (view.places.length) rows.push(["felt", "where it may have been touched (faint: unlikely)", one(colours.felt)]);
  if (view.map && view.map.network) {
    const shades = view.map.network.colours;
    rows.push(["network", "network: from the goal outwards", [shades[0], shades[shades.length >> 1], shades[shades.length - 1]]]);
  }
  if (view.map || view.planned) rows.push(["path", "planned path", one(colours.planned)]);
  rows.push(["trail", view.tool_name, one(colours.travelled)]);
  if (view.forces.length) {
    rows.push(["forces", "force true, estimated (10 N: 5 cm)", view.forces.map((force) => force.colour)]);
  }
  rows.push(["frames", "frames of the links: x, y, z", [colours.goal, colours.start, colours.felt]]);
  for (const [name, text, shades] of rows) {
    const label = document.createElement("label"), box = document.createElement("input");
    Object.assign(box, { type: "checkbox", checked: name !== "frames", name });
    box.addEventListener("change", () => toggle(name, box.checked));
    label.append(box, ...shades.map((shade) => {
      const swatch = document.createElement("i");
      swatch.style.background = shade;
      return swatch;
    }), text);
    element("legend").append(label);
  }
}

/** Time that runs while it plays; `changed` is called with it. */
function makeClock(end, changed) {
  const clock = { time: 0, playing: false, speed: 1, end };
  let last = 0;
  const tick = (now) => {
    if (!clock.playing) return;
    clock.seek(clock.time + (clock.speed * (now - last)) / 1000);
    last = now;
    if (clock.time >= end) clock.pause();
    else requestAnimationFrame(tick);
  };
  clock.seek = (time) => {
    clock.time = Math.max(0, Math.min(end, time));
    changed(clock);
  };
  clock.play = () => {
    if (clock.playing) return;
    if (clock.time >= end) clock.time = 0;
    clock.playing = true;
    last = performance.now();
    requestAnimationFrame(tick);
    changed(clock);
  };
  clock.pause = () => { clock.playing = false; changed(clock); };
  return clock;
}

/** Everything there is to know about a time: frame, share of the way to the next one, plan. */
function momentAt(view, time) {
  const k = placeBefore(view.time, time), next = view.time[k + 1];
  const share = next === undefined ? 0 : Math.max(0, Math.min(1, (time - view.time[k]) / (next - view.time[k])));
  const plan = view.map ? view.map.plans[placeBefore(view.map.times, time + 1e-9)] : null;
  return { time, k, share, plan };
}

function writeBanner(view, { time, speed }) {
  const colour = { collision: view.colours.goal, graze: view.colours.excluded, report: view.colours.excluded, "false alarm": view.colours.felt, "missed contact": "#8a7a00" };
  const past = view.events.filter((event) => event.time <= time + 1e-9), event = past[past.length - 1];
  const glows = event && time - event.time < GLOW * speed;
  element("banner").textContent = glows ? `${event.kind} ${past.length}` : "";
  if (glows) element("banner").style.background = colour[event.kind];
}

function onKeys(view, clock) {
  const step = clock.end / 200;
  const moves = {
    " ": () => (clock.playing ? clock.pause() : clock.play()),
    ArrowLeft: () => clock.seek(clock.time - step),
    ArrowRight: () => clock.seek(clock.time + step),
    Home: () => clock.seek(0),
    End: () => clock.seek(clock.end),
    n: () => {
      const event = view.events.find((other) => other.time > clock.time + 1e-6);
      if (event) clock.seek(event.time);
    },
  };
  document.addEventListener("keydown", (event) => {
    if (!moves[event.key] || ["SELECT", "INPUT", "BUTTON"].includes(event.target.tagName)) return;
    event.preventDefault();
    moves[event.key]();
  });
}

function sceneOrWords(view) {
  const probe = document.createElement("canvas");
  if (probe.getContext("webgl2")) return makeScene(element("scene"), view);
  element("legend").textContent = "This browser has no WebGL 2: the arm in space cannot be drawn.";
  return null;
}

function openPage() {
  const view = unpackView(JSON.parse(element("numbers").textContent));
  const end = view.time[view.time.length - 1], seek = (time) => clock.seek(time);
  writeWords(view);
  const scene = sceneOrWords(view);
  const shown = scene ? [scene] : [];
  if (scene) writeLegend(view, (name, on) => shown.forEach((part) => part.toggle && part.toggle(name, on)));
  for (const panel of view.panels) shown.push(makePanel(makeFigure(panel.title, "curves"), view, panel, seek));
  if (view.map) shown.push(makeMap(makeFigure("map", "map"), view));
  shown.push(makeTimeline(element("timeline"), view, seek));
  const clock = makeClock(end, () => {
    const moment = momentAt(view, clock.time);
    shown.forEach((part) => part.show(moment));
    element("now").textContent = `${clock.time.toFixed(2)} of ${end.toFixed(2)} s`;
    element("play").textContent = clock.playing ? "pause" : "play";
    writeBanner(view, clock);
  });
  const fit = () => { shown.forEach((part) => part.resize()); clock.seek(clock.time); };
  clock.speed = SPEEDS.find((speed) => speed >= 1 && end / speed <= LONGEST) || SPEEDS[SPEEDS.length - 1];
  for (const speed of SPEEDS) {
    element("speed").add(new Option(`${speed}×`, speed, speed === clock.speed, speed === clock.speed));
  }
  element("speed").addEventListener("change", (event) => { clock.speed = Number(event.target.value); });
  element("play").addEventListener("click", () => (clock.playing ? clock.pause() : clock.play()));
  onKeys(view, clock);
  window.addEventListener("resize", fit);
  fit();
  window.hopfieldView = { clock, scene, view };
}

openPage();
