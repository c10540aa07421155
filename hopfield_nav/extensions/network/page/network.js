"use strict";
// The network that is played with: a map, a start, a goal, β and the choices; settled at once, or swept step by step.

const MOST_SHOWN = 20000;  // sweeps in plain numbers, after which a network counts as not at rest
const SMALLEST_SHOWN = 1e-300;  // of an activation in doubles, below which the next cell soon is dark

/** The activations of a state in plain numbers as mantissas, all of one exponent. */
function plainState(sigma) {
  return { mantissa: sigma, exponent: new Int32Array(sigma.length) };
}

function makeNetwork() {
  const chosen = {
    size: [20, 20], walls: [], closed: [], ties: TIES, start: [1, 2], goal: [18, 19], beta: 0.1, network: "sum",
    function: "linear", numbers: "exponents",
  };
  let grid = null, target = 0, first = 0, found = null, swept = null;

  const inside = ([i, j]) => i >= 0 && i < chosen.size[0] && j >= 0 && j < chosen.size[1];
  const number = ([i, j]) => i * chosen.size[1] + j;
  const cellOf = (flat) => [Math.floor(flat / chosen.size[1]), flat % chosen.size[1]];
  const cellName = (flat) => `(${cellOf(flat).join(", ")})`;

  /** The grid of the choices; what was found before no longer holds. */
  function renew() {
    grid = makeGrid(chosen.size, chosen.walls.filter(inside), chosen.closed, chosen.ties);
    const nearest = (cell) => cell.map((c, axis) => Math.min(Math.max(c, 0), chosen.size[axis] - 1));
    chosen.start = nearest(chosen.start);
    chosen.goal = nearest(chosen.goal);
    [first, target] = [number(chosen.start), number(chosen.goal)];
    found = swept = null;
  }

  /** Whether the condition (6.12) holds: then there is one equilibrium. */
  const withinLimit = () => FUNCTIONS[chosen.function].steepest(chosen.beta) * largestEigenvalue(grid) < 1;

  /** The summing network at rest: with exponents where that is possible, else swept in plain numbers. */
  function settledSum() {
    const { beta, function: name, numbers } = chosen;
    if (name === "linear" && numbers === "exponents" && withinLimit()) {
      return { ...equilibrium(grid, target, beta), function: name, solved: true };
    }
    const kind = numbers === "float32" ? Float32Array : Float64Array;
    const { sigma, sweeps, settled } = sweepToRest(grid, target, name, beta, MOST_SHOWN, kind);
    return plainFound(sigma, sweeps, settled);
  }

  /** What is to be known of activations in plain numbers. */
  function plainFound(sigma, sweeps, settled) {
    let clamped = 0, least = 1;
    for (const s of sigma) {
      if (s >= 1) clamped += 1;
      if (s > 0 && s < least) least = s;
    }
    return {
      ...plainState(sigma), sweeps, settled, saturated: clamped > 1, faded: least < SMALLEST_SHOWN,
      function: chosen.function,
    };
  }

  /** The limit network at rest: one sweep for the goal, one a hop, and one that changes nothing. */
  function settledLimit() {
    const { hops } = flood(grid, target);
    return { hops, sweeps: hops.reduce((a, b) => Math.max(a, b), 0) + 2, settled: true, saturated: false };
  }

  function settle() {
    swept = null;
    const blocked = grid.blocked[first] || grid.blocked[target];
    found = chosen.network === "limit" ? settledLimit() : settledSum();
    found.blocked = blocked ? `${grid.blocked[first] ? "start" : "goal"} cell is blocked` : "";
    return found;
  }

  const current = () => found || settle();

  /** k synchronous sweeps, from zero where none were made since the last change. */
  function sweep(k) {
    if (!swept) swept = chosen.network === "limit" ? firstHops() : firstSigma();
    for (let left = k; left > 0 && swept.changed; left--) swept.once();
    found = swept.found();
    found.blocked = grid.blocked[first] ? "start cell is blocked" : grid.blocked[target] ? "goal cell is blocked" : "";
  }

  /** Sweeps of the summing network from zero. */
  function firstSigma() {
    const kind = chosen.numbers === "float32" ? Float32Array : Float64Array;
    let old = new kind(grid.cells + 1), fresh = new kind(grid.cells + 1);
    const made = {
      changed: true, sweeps: 0,
      once() {
        made.changed = sweepOnce(grid, target, chosen.function, chosen.beta, old, fresh);
        [old, fresh] = [fresh, old];
        made.sweeps += 1;
      },
      sigma: () => old,
      found: () => plainFound(old, made.sweeps, !made.changed),
    };
    return made;
  }

  /** Sweeps of the limit network from zero: each is one more hop of the wave. */
  function firstHops() {
    const { hops } = flood(grid, target), far = hops.reduce((a, b) => Math.max(a, b), 0);
    const made = {
      changed: true, sweeps: 0,
      once() {
        made.sweeps += 1;
        made.changed = made.sweeps <= far + 1;
      },
      found: () => ({
        hops: hops.map((h) => (h < made.sweeps ? h : -1)), sweeps: made.sweeps, settled: !made.changed,
        saturated: false,
      }),
    };
    return made;
  }

  /** The neighbour that is climbed. */
  function climbed(flat) {
    const state = current();
    return chosen.network === "limit" ? stepNearer(grid, state.hops, flat) : stepUp(grid, state, flat);
  }

  /** The climb from the start: cells, and why it does not arrive; empty where it does. */
  function climb() {
    const state = current();
    if (state.blocked) return { cells: [first], reason: state.blocked };
    if (chosen.network === "limit" && first !== target && climbed(first) === first) {
      return { cells: [first], reason: NO_PATH };
    }
    const cells = climbFrom(climbed, first, target);
    if (cells[cells.length - 1] === target) return { cells, reason: "" };
    const reason = whyStopped(state, cells, chosen.beta, cellName);
    return { cells, reason: reason === NO_PATH && goneOut() || reason };
  }

  /** In words, that the numbers are too coarse for the start's σ although a way leads to the goal; else empty. */
  function goneOut() {
    const plain = chosen.numbers !== "exponents" || swept !== null, { hops } = flood(grid, target);
    if (chosen.network !== "sum" || !plain || hops[first] < 0) return "";
    const kind = chosen.numbers === "float32" ? "float32" : "doubles";
    return `the light has gone out: σ of the start is 0 in ${kind}, though a way of ${hops[first]} steps leads to the goal`;
  }

  /** ln σ of a cell; null where it is dark. */
  function logOf(flat) {
    const state = current();
    if (chosen.network === "limit") return state.hops[flat] < 0 ? null : 0 + state.hops[flat] * Math.log(chosen.beta);
    if (!(state.mantissa[flat] > 0)) return null;
    return Math.log(state.mantissa[flat]) + state.exponent[flat] * Math.log(RADIX);
  }

  /** Change choices by name, and begin anew. */
  function choose(changes) {
    Object.assign(chosen, changes);
    renew();
  }

  renew();
  return {
    chosen, choose, settle, sweep, climb, climbed, logOf, cellOf, number, inside,
    grid: () => grid,
    found: current,
    isSwept: () => swept !== null,
    atRest: () => swept === null || !swept.changed,
    limit: () => 1 / largestEigenvalue(grid),
    withinLimit,
    hops: () => flood(grid, target).hops,
    sigma: () => (swept && chosen.network === "sum" ? swept.sigma() : null),
    target: () => target,
  };
}

/** What tests ask the page: `window.hopfield`. */
function makeInterface(network, changed) {
  const change = (changes) => { network.choose(changes); changed(); };
  return {
    setMap([m, n], walls) {
      const grid = walls.length === m && walls.every((row) => row.length === n && (m > 2 || n !== 2));
      const cells = grid
        ? walls.flatMap((row, i) => row.flatMap((wall, j) => (wall ? [[i, j]] : [])))
        : walls;
      change({ size: [m, n], walls: cells, closed: [], ties: TIES });
    },
    setStart(cell) { change({ start: [...cell] }); },
    setGoal(cell) { change({ goal: [...cell] }); },
    setBeta(beta) { change({ beta }); },
    setNetwork(name) { change({ network: name }); },
    setActivation(name) { change({ function: name }); },
    settle() { network.settle(); changed(); },
    sweep(k = 1) { network.sweep(k); changed(); },
    sweeps: () => network.found().sweeps,
    energy: () => stateEnergy(network),
    saturated: () => network.found().saturated,
    reason: () => network.climb().reason,
    activation() {
      const [m, n] = network.chosen.size;
      return Array.from({ length: m }, (_, i) => Array.from({ length: n }, (__, j) => network.logOf(i * n + j)));
    },
    path() {
      const { cells, reason } = network.climb();
      return reason ? null : cells.map(network.cellOf);
    },
  };
}

/** The energy of what is shown; null of the limit network, which has none. */
function stateEnergy(network) {
  const { network: kind, function: name, beta } = network.chosen;
  if (kind === "limit") return null;
  const { mantissa, exponent } = network.found();
  const sigma = mantissa.map((value, i) => (value > 0 ? value * RADIX ** exponent[i] : 0));
  return energyOf(network.grid(), name, beta, sigma);
}
