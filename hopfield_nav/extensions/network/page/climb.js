"use strict";
// Steepest ascent: to the neighbour with the largest activation, of equals to the first; and why a climb ends.

const SAME = 1e-10;  // relative difference of activations that counts as none
const NO_PATH = "no free path from start to goal";
const FADED = "the activations of the cells on the way are too small for plain doubles: some 300 cells at beta 0.1";
const TOP = "the climb ends on a cell that is not the goal: where g(0) is above 0 the network has such";

/** The neighbour that is climbed from cell i, or i itself where none is higher. A state has mantissas and exponents. */
function stepUp({ table }, { mantissa, exponent }, i) {
  const larger = (a, b) => exponent[a] > exponent[b] || (exponent[a] === exponent[b] && mantissa[a] > mantissa[b]);
  let best = i;
  for (let k = 4 * i; k < 4 * i + 4; k++) if (larger(table[k], best)) best = table[k];
  for (let k = 4 * i; k < 4 * i + 4; k++) {
    const j = table[k], gap = exponent[j] - exponent[best];
    const value = gap === 0 ? mantissa[j] : gap === -1 ? mantissa[j] / RADIX : 0;
    if (larger(j, i) && value >= (1 - SAME) * mantissa[best]) return j;
  }
  return i;
}

/** The neighbour on a shortest way, or i itself where there is none; hops are −1 where no way leads to the goal. */
function stepNearer({ cells, table }, hops, i) {
  if (hops[i] === 0) return i;
  let best = Infinity, to = i;
  for (let k = 4 * i; k < 4 * i + 4; k++) {
    const j = table[k];
    if (j !== cells && hops[j] >= 0 && hops[j] < best) [best, to] = [hops[j], j];
  }
  return to;
}

/** The cells from a start to where no step leads on. */
function climbFrom(step, start, target) {
  const path = [start];
  while (path[path.length - 1] !== target) {
    const next = step(path[path.length - 1]);
    if (next === path[path.length - 1]) break;
    path.push(next);
  }
  return path;
}

/** Why a climb in the summing network did not come to the goal, in the words of `plan_path`. */
function whyStopped(found, path, beta, cellName) {
  const last = path[path.length - 1], dark = path.length === 1 && !(found.mantissa[last] > 0);
  if (found.function !== "linear") return dark ? (found.faded ? FADED : NO_PATH) : TOP;
  if (!found.settled) return `the network did not settle in ${found.sweeps} sweeps`;
  if (dark) return NO_PATH;
  if (found.saturated) {
    return `the network saturates: activations are clamped at 1, and the ascent stops at cell ${cellName(last)}`;
  }
  return `false maximum at cell ${cellName(last)}: beta ${Number(beta.toPrecision(6))} is above 1/4 (one over the neighbours)`;
}
