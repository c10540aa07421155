"use strict";
// Curves over time with the cursor, and the time line with its collisions.

/** A canvas in pixels of the screen; `resize` gives its size, `clear` an empty sheet and the pen. */
function makeSheet(canvas) {
  const pen = canvas.getContext("2d");
  const size = { width: 1, height: 1 };
  return {
    resize() {
      const ratio = window.devicePixelRatio;
      size.width = Math.max(1, canvas.clientWidth);
      size.height = Math.max(1, canvas.clientHeight);
      canvas.width = Math.round(ratio * size.width);
      canvas.height = Math.round(ratio * size.height);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.font = "11px system-ui, sans-serif";
      return size;
    },
    clear() {
      pen.clearRect(0, 0, size.width, size.height);
      return pen;
    },
  };
}

const LEFT = 44, RIGHT = 8, TOP = 4, BOTTOM = 16; // [pixels] around the axes

/** What lies between a panel's lowest and highest value; a tiny signal is not blown up. */
function spanOf(panel) {
  let low = 0, high = 0;
  for (const curve of panel.curves) {
    for (const value of curve.low) low = Math.min(low, value);
    for (const value of curve.high) high = Math.max(high, value);
  }
  for (const { value } of panel.limits) if (value > 0 && value < 4 * high) high = Math.max(high, value);
  const room = 0.06 * (high - low || 1);
  return [low < 0 ? low - room : 0, high + room];
}

function makePanel(figure, view, panel, seek) {
  const { canvas, note } = figure, sheet = makeSheet(canvas), curves = document.createElement("canvas");
  const end = view.time[view.time.length - 1] || 1, [low, high] = spanOf(panel);
  let width = 1, height = 1;
  const x = (time) => LEFT + ((width - LEFT - RIGHT) * time) / end;
  const y = (value) => TOP + ((height - TOP - BOTTOM) * (high - value)) / (high - low);
  onDrag(canvas, (px) => seek(((px - LEFT) / (width - LEFT - RIGHT)) * end));

  function drawCurves(pen) {
    drawAxes(pen, x, y, [0, end], [low, high], width, height);
    for (const { value } of panel.limits) {
      pen.setLineDash([5, 3]);
      line(pen, x(0), y(value), x(end), y(value), view.colours.ink);
      pen.setLineDash([]);
    }
    for (const curve of panel.curves) {
      pen.beginPath();
      view.time.forEach((time, k) => {
        const next = Math.min(k + 1, view.time.length - 1), ends = [curve.low[k], curve.high[k]];
        if (curve.low[next] < curve.low[k]) ends.reverse(); // a slope stays a slope
        pen.lineTo(x(time), y(ends[0]));
        if (ends[0] !== ends[1]) pen.lineTo(x(view.time[next]), y(ends[1]));
      });
      pen.strokeStyle = curve.colour;
      pen.lineWidth = 1;
      pen.lineJoin = "round"; // a pointed join would reach beyond the value
      pen.stroke();
    }
  }

  return {
    x,
    resize() {
      ({ width, height } = sheet.resize());
      drawCurves(sheet.clear());
      curves.width = canvas.width;
      curves.height = canvas.height;
      curves.getContext("2d").drawImage(canvas, 0, 0);
    },
    show({ time, k }) {
      const pen = sheet.clear();
      pen.drawImage(curves, 0, 0, width, height);
      line(pen, x(time), TOP, x(time), height - BOTTOM, view.colours.travelled, 2);
      note.replaceChildren(...panel.curves.map((curve) => numberOf(curve, k, high - low)), panel.unit);
    },
  };
}

/** What a curve shows at frame k, in its colour, after its name; joint 1 is J1. */
function numberOf(curve, k, span) {
  const number = document.createElement("span");
  number.style.color = curve.colour;
  number.title = curve.name;
  number.textContent = `${curve.name.replace(/^joint /, "J")} ${within(largest(curve, k), span)}  `;
  return number;
}

/** The value farthest from 0 between frame k and the next one. */
function largest(curve, k) {
  return -curve.low[k] > curve.high[k] ? curve.low[k] : curve.high[k];
}

function drawAxes(pen, x, y, [start, end], [low, high], width, height) {
  line(pen, LEFT, height - BOTTOM, width - RIGHT, height - BOTTOM, "#222");
  line(pen, LEFT, TOP, LEFT, height - BOTTOM, "#222");
  pen.fillStyle = "#444";
  pen.textAlign = "center";
  for (const time of roundNumbers(start, end)) pen.fillText(`${digits(time)} s`, x(time), height - 4);
  pen.textAlign = "right";
  for (const value of roundNumbers(low, high)) {
    line(pen, LEFT, y(value), width - RIGHT, y(value), "#eee");
    pen.fillText(value === 0 ? "0" : digits(value), LEFT - 5, y(value) + 4);
  }
}

/** Time from start to end; collisions red, grazes and reports grey, false alarms blue, missed contacts yellow. */
function makeTimeline(canvas, view, seek) {
  const sheet = makeSheet(canvas), end = view.time[view.time.length - 1] || 1, { colours } = view;
  const colour = { collision: colours.goal, graze: colours.excluded, report: colours.excluded, "false alarm": colours.felt, "missed contact": colours.missed };
  let width = 1, height = 1;
  const x = (time) => 6 + ((width - 12) * time) / end;
  onDrag(canvas, (px) => seek(((px - 6) / (width - 12)) * end));
  return {
    x,
    resize() { ({ width, height } = sheet.resize()); },
    show({ time }) {
      const pen = sheet.clear(), middle = 0.42 * height;
      line(pen, x(0), middle, x(end), middle, "#ccc", 6);
      line(pen, x(0), middle, x(time), middle, colours.travelled, 6);
      for (const event of view.events) line(pen, x(event.time), 2, x(event.time), 2 * middle - 2, colour[event.kind], 2);
      disc(pen, [x(time), middle], 7, colours.travelled);
      pen.fillStyle = "#444";
      pen.textAlign = "center";
      for (const value of roundNumbers(0, end)) pen.fillText(`${digits(value)} s`, Math.max(12, Math.min(width - 14, x(value))), height - 1);
      canvas.setAttribute("aria-valuenow", time.toFixed(2));
    },
  };
}

function line(pen, x0, y0, x1, y1, colour, width = 1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
}

/** Calls `move` with the distance from the left edge [pixels] while the pointer is down. */
function onDrag(canvas, move) {
  const call = (event) => move(event.clientX - canvas.getBoundingClientRect().left);
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); call(event); });
  canvas.addEventListener("pointermove", (event) => { if (event.buttons) call(event); });
}
