"use strict";
// The pictures: the map with its network, walls, path and ends; and the energy over the sweeps.

const SCALE_WIDTH = 62;  // [pixels] beside the map, for the scale
const WALL = [85, 85, 85], NO_LIGHT = [17, 28, 46];  // colours: red, green, blue

/** A canvas in the pixels of the screen; its pen has pixels of the page. */
function makeSheet(canvas) {
  const pen = canvas.getContext("2d");
  return {
    fit(width, height) {
      const ratio = window.devicePixelRatio;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      pen.font = "12px system-ui, sans-serif";
      return pen;
    },
  };
}

/** Two to five round numbers between 0 and an end. */
function roundNumbers(top) {
  const power = 10 ** Math.floor(Math.log10(top));
  const step = [5, 2, 1, 0.5, 0.2].map((s) => s * power).find((s) => top / s >= 2);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, k) => Number((k * step).toPrecision(6)));
}

function makeMapPicture(canvas, network, given) {
  const sheet = makeSheet(canvas), { colours } = given, small = document.createElement("canvas");
  const shades = given.shades.map((colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16)));
  let side = 1, height = 1;

  const left = (i) => side * i;
  const upper = (j) => height - side * (j + 1);
  const centre = ([i, j]) => [left(i) + side / 2, upper(j) + side / 2];

  /** ln σ/ln β of every cell, null where it is dark, and the largest. */
  function depths() {
    const log = Math.log(network.chosen.beta), values = [];
    let top = 1;
    for (let flat = 0; flat < network.grid().cells; flat++) {
      const value = network.logOf(flat);
      values.push(value === null ? null : value / log);
      if (value !== null) top = Math.max(top, value / log);
    }
    return { values, top };
  }

  function shade(depth, top) {
    const last = shades.length - 1;
    return shades[Math.max(0, Math.min(last, Math.round((depth / top) * last)))];
  }

  /** A pixel a cell, drawn as large as the map. */
  function drawCells(pen, { values, top }) {
    const [m, n] = network.chosen.size, { blocked } = network.grid(), image = new ImageData(m, n);
    values.forEach((depth, flat) => {
      const [i, j] = network.cellOf(flat);
      const [red, green, blue] = blocked[flat] ? WALL : depth === null ? NO_LIGHT : shade(depth, top);
      image.data.set([red, green, blue, 255], 4 * ((n - 1 - j) * m + i));
    });
    small.width = m;
    small.height = n;
    small.getContext("2d").putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, left(0), upper(n - 1), side * m, side * n);
  }

  /** A short line with a head from every lit cell towards the neighbour that it climbs to. */
  function drawArrows(pen, { values }) {
    if (side < 9) return;
    pen.beginPath();
    values.forEach((depth, flat) => {
      const to = depth === null ? flat : network.climbed(flat);
      if (to === flat || flat === network.target() || network.grid().blocked[flat]) return;
      const [x, y] = centre(network.cellOf(flat)), [a, b] = network.cellOf(to), [i, j] = network.cellOf(flat);
      const [u, v] = [0.3 * side * (a - i), -0.3 * side * (b - j)];
      pen.moveTo(x - u, y - v);
      pen.lineTo(x + u, y + v);
      pen.moveTo(x + 0.3 * u - 0.55 * v, y + 0.3 * v + 0.55 * u);
      pen.lineTo(x + u, y + v);
      pen.lineTo(x + 0.3 * u + 0.55 * v, y + 0.3 * v - 0.55 * u);
    });
    pen.strokeStyle = "rgba(20, 20, 20, 0.62)";
    pen.lineWidth = Math.max(1, 0.06 * side);
    pen.stroke();
  }

  function drawPath(pen, { cells, reason }) {
    for (const [colour, width] of [["#fff", 5.5], [colours.planned, 3.5]]) {
      pen.beginPath();
      cells.forEach((flat) => pen.lineTo(...centre(network.cellOf(flat))));
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.lineJoin = "round";
      pen.stroke();
    }
    if (reason && cells.length > 1) drawCross(pen, centre(network.cellOf(cells[cells.length - 1])));
  }

  /** Where a climb ends that does not arrive. */
  function drawCross(pen, [x, y]) {
    const r = Math.max(5, 0.35 * side);
    for (const [colour, width] of [["#fff", 6], ["#b34700", 3]]) {
      pen.beginPath();
      pen.moveTo(x - r, y - r);
      pen.lineTo(x + r, y + r);
      pen.moveTo(x - r, y + r);
      pen.lineTo(x + r, y - r);
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.stroke();
    }
  }

  function drawEnds(pen) {
    const r = Math.max(6, 0.36 * side);
    const [x, y] = centre(network.chosen.start), [a, b] = centre(network.chosen.goal);
    pen.lineWidth = 2;
    pen.strokeStyle = "#fff";
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.fillStyle = colours.start;
    pen.fill();
    pen.stroke();
    pen.beginPath();
    for (const [u, v] of [[0, -r], [r, 0], [0, r], [-r, 0]]) pen.lineTo(a + u, b + v);
    pen.closePath();
    pen.fillStyle = colours.goal;
    pen.fill();
    pen.stroke();
  }

  /** Closed steps as bars between their two cells. */
  function drawClosed(pen) {
    pen.beginPath();
    for (const [from, to] of network.chosen.closed) {
      const [x0, y0] = centre(from), [x1, y1] = centre(to), x = (x0 + x1) / 2, y = (y0 + y1) / 2;
      pen.moveTo(x - 0.45 * (y1 - y0), y - 0.45 * (x1 - x0));
      pen.lineTo(x + 0.45 * (y1 - y0), y + 0.45 * (x1 - x0));
    }
    pen.strokeStyle = colours.felt;
    pen.lineWidth = Math.max(2.5, 0.14 * side);
    pen.stroke();
  }

  /** True obstacles as dotted outlines; their corners are in cells. */
  function drawOutlines(pen, outlines) {
    pen.setLineDash([2, 3]);
    pen.strokeStyle = "#111";
    pen.lineWidth = 1.3;
    for (const outline of outlines) {
      pen.beginPath();
      outline.forEach((corner) => pen.lineTo(...centre(corner)));
      pen.closePath();
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  function drawCursor(pen, cell) {
    const [x, y] = [left(cell[0]), upper(cell[1])];
    for (const [colour, inset] of [["#fff", 0.5], ["#111", 2]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.5;
      pen.strokeRect(x + inset, y + inset, side - 2 * inset, side - 2 * inset);
    }
  }

  function drawScale(pen, top) {
    const x = left(network.chosen.size[0]) + 12, y0 = 34, y1 = Math.max(y0 + 60, Math.min(height - 8, 260));
    given.shades.forEach((colour, k) => {
      pen.fillStyle = colour;
      pen.fillRect(x, y1 - ((k + 1) / given.shades.length) * (y1 - y0), 12, (y1 - y0) / given.shades.length + 0.5);
    });
    pen.fillStyle = "#222";
    pen.textAlign = "left";
    pen.fillText("ln σ/ln β", x - 10, 18);
    for (const value of roundNumbers(top)) pen.fillText(String(value), x + 16, y1 - (value / top) * (y1 - y0) + 4);
  }

  return {
    /** The cell under a place of the canvas [pixels of the page]. */
    cellAt: (x, y) => [Math.floor(x / side), Math.floor((height - y) / side)],
    draw(cursor, outlines) {
      const [m, n] = network.chosen.size, room = canvas.parentElement.clientWidth - 2;
      side = Math.max(2, (room - SCALE_WIDTH) / Math.max(m, n));
      height = Math.max(side * n, 110);
      canvas.style.height = `${height + 2}px`;
      const pen = sheet.fit(room, height), found = depths();
      drawCells(pen, found);
      drawArrows(pen, found);
      drawClosed(pen);
      drawOutlines(pen, outlines);
      drawPath(pen, network.climb());
      drawEnds(pen);
      if (cursor) drawCursor(pen, cursor);
      drawScale(pen, found.top);
    },
  };
}

/** The energy above its least value over the sweeps, on a logarithmic axis. */
function makeEnergyPicture(canvas, colour) {
  const sheet = makeSheet(canvas);
  return (trace) => {
    const width = canvas.clientWidth, height = canvas.clientHeight, pen = sheet.fit(width, height);
    const [x0, y0, x1, y1] = [54, 8, width - 10, height - 34];
    pen.strokeStyle = "#888";
    pen.lineWidth = 1;
    pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
    pen.fillStyle = "#333";
    pen.textAlign = "center";
    const seen = trace.filter(([, value]) => value > 0);
    pen.fillText("sweeps; L − L∞, logarithmic", (x0 + x1) / 2, height - 3);
    if (seen.length < 2) {
      pen.fillText("press “sweep by sweep”", (x0 + x1) / 2, (y0 + y1) / 2 + 4);
      return;
    }
    const logs = seen.map(([, value]) => Math.log10(value));
    const high = Math.ceil(Math.max(...logs)), low = Math.min(high - 1, Math.floor(Math.min(...logs)));
    const last = seen[seen.length - 1][0];
    const y = (log) => y0 + ((high - log) / (high - low)) * (y1 - y0);
    pen.textAlign = "right";
    for (const power of [high, Math.round((high + low) / 2), low]) pen.fillText(`1e${power}`, x0 - 5, y(power) + 4);
    pen.textAlign = "center";
    for (const value of roundNumbers(last)) pen.fillText(String(value), x0 + (value / last) * (x1 - x0), y1 + 15);
    pen.beginPath();
    seen.forEach(([sweep], k) => pen.lineTo(x0 + (sweep / last) * (x1 - x0), y(logs[k])));
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.stroke();
  };
}
