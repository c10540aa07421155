"use strict";
// Maps to begin with, and what to look for on each.

/** All cells of a box from one corner to another, both included. */
function box([i0, j0], [i1, j1]) {
  const cells = [];
  for (let i = i0; i <= i1; i++) for (let j = j0; j <= j1; j++) cells.push([i, j]);
  return cells;
}

/** Every cell of a map that is not among those that are free. */
function allBut([m, n], free) {
  const names = new Set(free.map(String));
  return box([0, 0], [m - 1, n - 1]).filter((cell) => !names.has(String(cell)));
}

/** Walls of a maze in which one corridor goes to and fro over the whole map. */
function toAndFro(size) {
  const walls = [];
  for (let i = 1; i < size; i += 2) {
    const up = ((i - 1) / 2) % 2 === 0;
    walls.push(...box([i, up ? 0 : 1], [i, up ? size - 2 : size - 1]));
  }
  return walls;
}

const HALL = [15, 26];
const PLAIN = { closed: [], ties: TIES, function: "linear", numbers: "exponents" };
const LESSONS = [
  {
    name: "a wall", size: [20, 20], walls: box([10, 3], [10, 19]), start: [2, 10], goal: [17, 10], beta: 0.1, network: "sum",
    words: "Drag on the map. After every cell the network settles anew, and the path goes round what you draw. The numbers "
      + "below the map differ: ln σ/ln β is not the number of steps, but less, by what the many walks add to σ.",
  },
  {
    name: "along a wall", size: [24, 14], walls: box([0, 3], [23, 3]), start: [2, 4], goal: [21, 4], beta: 0.25,
    network: "sum",
    words: "At β = 0.25 the path keeps off the wall: few walks lead along it, since the wall gives nothing. Make β small, "
      + "or choose the network limit: only the shortest walk counts, and the path runs along the wall.",
  },
  {
    name: "corridor or hall", size: HALL, start: [2, 1], goal: [12, 1], beta: 0.01, network: "sum",
    walls: allBut(HALL, [...box([2, 1], [12, 1]), ...box([1, 3], [13, 24]), [2, 2], [12, 2]]),
    words: "The corridor is 10 steps long. Move β up to 0.25: the hall draws the path, which takes 16 steps, since so many "
      + "walks lead through it.",
  },
  {
    name: "a false maximum", size: [20, 20], walls: [], start: [1, 2], goal: [18, 19], beta: 0.2527, network: "sum",
    words: "Above ¼ a cell may be higher than the mean of its neighbours: the middle of the empty map is a maximum, and "
      + "the climb ends there, far from the goal. Draw a few walls, and it is gone. Near and beyond 1/λ cells are clamped: "
      + "they would rise above 1 and are held there.",
  },
  {
    name: "a dark maze", size: [40, 40], walls: toAndFro(40), start: [38, 0], goal: [0, 0], beta: 0.1, network: "sum",
    numbers: "float32",
    words: "σ falls tenfold with every step. In float32 all cells further than some 45 steps are exactly 0, and nothing "
      + "is left to climb; doubles reach some 320. With exponents nothing goes out: choose them under numbers.",
  },
  {
    name: "the wave", size: [30, 30], walls: [...box([10, 0], [10, 22]), ...box([20, 8], [20, 29])], start: [2, 2],
    goal: [27, 27], beta: 0.1, network: "limit", plays: true,
    words: "In the network limit each neuron takes the best of its neighbours. Sweep by sweep that is Bellman–Ford: the "
      + "wave of σ goes out from the goal, one cell a sweep, and each cell is right when the wave has reached it.",
  },
];
