"use strict";
// The map as neurons: which cells are walls, and the four neighbours of each in the order of ties.

const TIES = [[0, 1], [0, -1], [1, 0], [-1, 0]];  // +v, −v, +u, −u, as the document's program prefers them

/**
 * A grid of m × n cells, numbered with the last index fastest.
 * `blocked` has a 1 for every wall. `table` has the neighbours of a cell, four numbers each; where there is none, or
 * the step is closed, it has the number `cells`, a cell beside the map that is always dark.
 */
function makeGrid([m, n], walls, closed = [], ties = TIES) {
  const cells = m * n, blocked = new Uint8Array(cells + 1), table = new Int32Array(4 * cells);
  for (const [i, j] of walls) blocked[i * n + j] = 1;
  const shut = new Set(closed.flatMap(([from, to]) => [`${from} ${to}`, `${to} ${from}`]));
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) {
    ties.forEach(([u, v], k) => {
      const [a, b] = [i + u, j + v], inside = a >= 0 && a < m && b >= 0 && b < n;
      table[4 * (i * n + j) + k] = inside && !shut.has(`${[i, j]} ${[a, b]}`) ? a * n + b : cells;
    });
  }
  return { m, n, cells, blocked, table, closed, ties };
}

/** Breadth-first search from the target, which counts as free: the cells in the order of their hops, and these. */
function flood({ cells, blocked, table }, target) {
  const hops = new Int32Array(cells + 1).fill(-1), queue = new Int32Array(cells);
  queue[0] = target;
  hops[target] = 0;
  let tail = 1;
  for (let head = 0; head < tail; head++) {
    for (let k = 4 * queue[head]; k < 4 * queue[head] + 4; k++) {
      const j = table[k];
      if (j === cells || blocked[j] || hops[j] >= 0) continue;
      hops[j] = hops[queue[head]] + 1;
      queue[tail++] = j;
    }
  }
  return { hops, queue: queue.subarray(0, tail) };
}

/** Largest eigenvalue of the weights T of an open grid; below 1/λ the summing network has one equilibrium (6.12). */
function largestEigenvalue({ m, n }) {
  return 2 * Math.cos(Math.PI / (m + 1)) + 2 * Math.cos(Math.PI / (n + 1));
}
