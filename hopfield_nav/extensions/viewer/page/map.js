"use strict";
// The map from above: cells, closed steps, path, trail. In space the level in which the tool is.

function makeMap(figure, view) {
  const { map, colours } = view, { canvas, note } = figure;
  const [left, right, low, high] = map.extent, inSpace = map.shape.length === 3;
  const sheet = makeSheet(canvas);
  let scale = 1, dx = 0, dy = 0;
  const at = ([x, y]) => [dx + scale * (x - left), dy + scale * (high - y)];
  const levelOf = (z) => Math.max(0, Math.min(map.levels.length - 1, Math.round((z - map.origin[2]) / map.spacing)));

  function fit() {
    const { width, height } = sheet.resize();
    const rim = 22, beside = network ? 68 : rim;  // [pixels] for the axis, and for the scale of the network
    scale = Math.max(1, Math.min((width - rim - beside) / (right - left), (height - rim - 2) / (high - low)));
    dx = Math.max(rim, (width - scale * (right - left)) / 2 - (beside - rim) / 2);
    dy = Math.max(1, (height - rim - scale * (high - low)) / 2);
  }

  function fillCells(pen, cells, level, colour, alpha) {
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    const side = scale * map.spacing;
    for (const cell of cells) {
      if (inSpace && cell[2] !== level) continue;
      const [x, y] = at(cellCentre(map, cell));
      pen.fillRect(x - side / 2, y - side / 2, side, side);
    }
    pen.globalAlpha = 1;
  }

  // The network of the plan that is followed: a colour for its depth, and what a cell has under the pointer.
  const network = map.network, count = map.shape.reduce((a, b) => a * b, 1);
  let pointer = null, networkShown = true, moment = null;
  const top = network ? network.depth.reduce((a, b) => Math.max(a, b), 1) : 1;

  function valueAt(values, cell, time) {
    const flat = cell.reduce((place, c, axis) => place * map.shape[axis] + c, 0);
    return values[count * placeBefore(network.times, time + 1e-9) + flat];
  }

  function shadeOf(depth) {
    const last = network.colours.length - 1;
    return network.colours[Math.min(last, Math.round((depth / top) * last))];
  }

  function drawNetwork(pen, level, time) {
    for (let i = 0; i < map.shape[0]; i++) for (let j = 0; j < map.shape[1]; j++) {
      const cell = inSpace ? [i, j, level] : [i, j], depth = valueAt(network.depth, cell, time);
      if (depth >= -0.5) fillCells(pen, [cell], level, shadeOf(depth), 1);
    }
  }

  /** The colours beside the map, from the goal's up to the deepest cell's, with their numbers and their name. */
  function drawScale(pen) {
    const [x1, y1] = at([right, low]), tall = Math.min(150, scale * (high - low) - 24), x = x1 + 22, wide = 10;
    if (tall < 40) return;
    const y0 = y1 - tall, last = network.colours.length - 1;
    network.colours.forEach((colour, k) => {
      pen.fillStyle = colour;
      pen.fillRect(x, y1 - ((k + 1) / (last + 1)) * tall, wide, tall / (last + 1) + 0.5);
    });
    pen.fillStyle = "#444";
    pen.textAlign = "left";
    for (const value of roundNumbers(0, top)) pen.fillText(digits(value), x + wide + 3, y1 - (value / top) * tall + 4);
    pen.fillText(network.label, x - 10, y0 - 8);
  }

  /** What the network has in the cell under the pointer, in words; empty where there is none. */
  function underPointer(level, time) {
    if (!pointer || !network) return "";
    const place = [left + (pointer[0] - dx) / scale, high - (pointer[1] - dy) / scale];
    const flat = place.map((p, axis) => Math.round((p - map.origin[axis]) / map.spacing));
    if (flat.some((c, axis) => c < 0 || c >= map.shape[axis])) return "";
    const cell = inSpace ? [...flat, level] : flat, raw = valueAt(network.depth, cell, time);
    const named = `cell ${flat.join(", ")}: `;
    if (raw < -0.5) return `${named}no path to the goal`;
    const depth = Math.max(0, raw);  // no minus before a zero
    if (network.log_beta === null) return `${named}${network.label} ${depth.toFixed(2)}`;
    const climb = network.climb ? Math.round(valueAt(network.climb, cell, time)) : -1;
    const steps = climb < 0 ? "" : `; steps of the climb: ${climb}`;
    return `${named}ln σ = ${(depth * network.log_beta).toFixed(2)}, ${network.label} = ${depth.toFixed(2)}${steps}`;
  }

  /** A button that opens the page on which one plays with the network of the plan that is followed. */
  function offerPage() {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "play-network", textContent: "play with this network" });
    button.title = "the network of this plan in a page of its own: draw a wall, change β";
    button.addEventListener("click", () => {
      const page = URL.createObjectURL(new Blob([network.page], { type: "text/html" }));
      window.open(`${page}#plan=${placeBefore(network.times, moment.time + 1e-9)}`);
    });
    canvas.parentElement.append(button);
  }
  if (network && network.page) offerPage();

  const point = (at) => { pointer = at; if (moment) part.show(moment); };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    point([event.clientX - box.left, event.clientY - box.top]);
  });
  canvas.addEventListener("pointerleave", () => point(null));

  function drawObstacles(pen, level, time) {
    map.levels[level].cuts.forEach((cut, i) => {
      if (!cut.length || !stands(view.solids[i], time)) return;
      const solid = view.solids[i], felt = solid.known || (solid.touched !== null && time >= solid.touched);
      polyline(pen, cut.map(at), true);
      pen.globalAlpha = felt ? 0.85 : 0.25;
      pen.fillStyle = colours.obstacle;
      pen.fill();
    });
    pen.globalAlpha = 1;
  }

  function drawClosed(pen, plan, level) {
    for (const fact of [false, true]) {
      pen.beginPath();
      for (let k = 0; k < plan.certainty.length; k++) {
        const [from, to] = [plan.steps[2 * k], plan.steps[2 * k + 1]];
        if ((plan.certainty[k] >= 1) !== fact) continue;
        if (inSpace && from[2] !== level && to[2] !== level) continue;
        const a = at(cellCentre(map, from)), b = at(cellCentre(map, to));
        const x = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2, ux = 0.42 * (b[1] - a[1]), uy = 0.42 * (a[0] - b[0]);
        pen.moveTo(x - ux, y - uy);
        pen.lineTo(x + ux, y + uy);
      }
      pen.strokeStyle = colours.felt;
      pen.lineWidth = fact ? 3 : 1.2;
      pen.stroke();
    }
  }

  function drawFrame(pen) {
    const [x0, y0] = at([left, high]), [x1, y1] = at([right, low]);
    pen.strokeStyle = "#222";
    pen.lineWidth = 1;
    pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
    pen.fillStyle = "#444";
    pen.textAlign = "center";
    for (const x of roundNumbers(left, right)) pen.fillText(x === 0 ? "0" : digits(x), at([x, 0])[0], y1 + 13);
    pen.textAlign = "right";
    for (const y of roundNumbers(low, high)) pen.fillText(digits(y), x0 - 4, at([0, y])[1] + 4);
    pen.textAlign = "left";
    pen.fillText("m", x1 + 4, y1 + 13);
  }

  function drawTrail(pen, k, tool) {
    pen.beginPath();
    for (let i = 0; i <= k; i++) pen.lineTo(...at(row3(view.tool, i)));
    pen.lineTo(...at(tool));
    pen.strokeStyle = colours.travelled;
    pen.lineWidth = 1.8;
    pen.stroke();
  }

  const part = {
    resize: fit,
    toggle(name, on) {
      if (name === "network") networkShown = on;
      if (moment) part.show(moment);
    },
    show(now) {
      const { time, k, share, plan } = moment = now;
      const tool = between3(view.tool, k, share), level = inSpace ? levelOf(tool[2]) : 0, pen = sheet.clear();
      if (network && networkShown) drawNetwork(pen, level, time);
      drawObstacles(pen, level, time);
      fillCells(pen, map.excluded, level, colours.excluded, 0.3);
      fillCells(pen, plan.felt, level, colours.felt, map.alpha);
      drawClosed(pen, plan, level);
      polyline(pen, plan.path.map((cell) => at(cellCentre(map, cell))), false);
      pen.strokeStyle = colours.planned;
      pen.lineWidth = 1.6;
      pen.stroke();
      drawTrail(pen, k, tool);
      drawFrame(pen);
      if (network && networkShown) drawScale(pen);
      disc(pen, at(view.start), 4, colours.start);
      if (view.goal) disc(pen, at(view.goal), 4, colours.goal);
      disc(pen, at(tool), 4.5, colours.travelled);
      note.textContent = underPointer(level, time) || (inSpace
        ? `level ${level + 1} of ${map.levels.length}, z = ${digits(map.levels[level].z)} m`
        : `tool at ${tool.slice(0, 2).map((v) => v.toFixed(3)).join(", ")} m`);
    },
  };
  return part;
}

function polyline(pen, points, closed) {
  pen.beginPath();
  points.forEach((point) => pen.lineTo(...point));
  if (closed) pen.closePath();
}

function disc(pen, [x, y], radius, colour) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
  pen.strokeStyle = "#fff";
  pen.lineWidth = 1;
  pen.stroke();
}
