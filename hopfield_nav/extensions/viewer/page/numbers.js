"use strict";
// Numbers as Python packed them, and where a moment lies among the frames.

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}

/** Values of an array that was packed in 16 bits: low + step × number. */
function unpack(array) {
  const numbers = new Uint16Array(bytesOf(array.data));
  return Float64Array.from(numbers, (n) => array.low + array.step * n);
}

/** Whole numbers of 32 bits. */
function wholeNumbers(array) {
  return new Int32Array(bytesOf(array.data));
}

/** The last place k with sorted[k] <= value, at least 0. */
function placeBefore(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1; else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Whether a solid stands at a time. */
function stands(solid, time) {
  const [begin, end] = solid.stands;
  return begin !== null && time >= begin && (end === null || time < end);
}

/** Three numbers of row k. */
function row3(values, k) {
  return [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
}

/** Three numbers between row k and the next one. */
function between3(values, k, share) {
  if (share === 0) return row3(values, k);
  return [0, 1, 2].map((i) => (1 - share) * values[3 * k + i] + share * values[3 * (k + 1) + i]);
}

/** A number as it is read: three digits. */
function digits(value) {
  return Number(value.toPrecision(3)).toString();
}

/** A number to a thousandth of the span in which it lies, so that noise does not look like a measurement. */
function within(value, span) {
  const places = Math.max(0, Math.min(6, 3 - Math.ceil(Math.log10(span || 1))));
  return (Math.abs(value) < 0.5 * 10 ** -places ? 0 : value).toFixed(places);
}

/** Two to five round numbers between two ends. */
function roundNumbers(low, high) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(span));
  const step = [5, 2, 1, 0.5, 0.2, 0.1].map((s) => s * power).find((s) => span / s >= 2);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** A place of the map's flat order as [i, j] or [i, j, k]. */
function cellIndex(shape, flat) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index.unshift(flat % shape[axis]);
    flat = Math.floor(flat / shape[axis]);
  }
  return index;
}

/** Centre of the cell [i, j] or [i, j, k], in metres; a map in a plane has one height. */
function cellCentre(map, index) {
  const point = [...map.origin];
  index.forEach((i, axis) => { point[axis] += map.spacing * i; });
  return point;
}

/** A flat array as rows of so many numbers. */
function rowsOf(values, width) {
  return Array.from({ length: values.length / width }, (_, k) => Array.from(values.slice(k * width, (k + 1) * width)));
}
