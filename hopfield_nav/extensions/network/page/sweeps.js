"use strict";
// The document's synchronous sweeps in plain numbers: σ_i(t + 1) = g(Σ_j T_ij σ_j(t)), the energy, and what float32 has.

/** An activation function: g of the sum v with the slope b, the integral G of its inverse, its steepest slope. */
const FUNCTIONS = {
  linear: {
    g: (b, v) => Math.min(Math.max(b * v, 0), 1), integral: (b, s) => s * s / (2 * b), steepest: (b) => b,
  },
  tanh: {
    g: (b, v) => (v > 0 ? Math.tanh(b * v) : 0), steepest: (b) => b,
    integral: (b, s) => (xLogX(1 + s) + xLogX(1 - s)) / (2 * b),
  },
  shunting: {
    g: (b, v) => (v > 0 ? b * v / (1 + b * v) : 0), steepest: (b) => b,
    integral: (b, s) => (-s - Math.log1p(s < 1 ? -s : 0)) / b,
  },
  saturated: {
    g: (b, v) => Math.min(Math.max(b * v + 0.5, 0), 1), integral: (b, s) => s * (s - 1) / (2 * b), steepest: (b) => b,
  },
  sigmoid: {
    g: (b, v) => 1 / (1 + Math.exp(-b * v)), integral: (b, s) => (xLogX(s) + xLogX(1 - s)) / b,
    steepest: (b) => b / 4,
  },
};

function xLogX(x) {
  return x > 0 ? x * Math.log(x) : 0;
}

/** One synchronous sweep from `old` to `fresh`; whether any neuron changed. */
function sweepOnce({ cells, blocked, table }, target, name, beta, old, fresh) {
  const { g } = FUNCTIONS[name];
  let changed = false;
  for (let i = 0; i < cells; i++) {
    let total = 0;
    for (let k = 4 * i; k < 4 * i + 4; k++) total += old[table[k]];
    fresh[i] = i === target ? 1 : blocked[i] ? 0 : g(beta, total);
    if (fresh[i] !== old[i]) changed = true;
  }
  return changed;
}

/** Sweeps from zero until no neuron changes, or `most`; numbers of the kind of `make`, Float64Array or Float32Array. */
function sweepToRest(grid, target, name, beta, most, make = Float64Array) {
  let old = new make(grid.cells + 1), fresh = new make(grid.cells + 1), sweeps = 0, changed = true;
  while (changed && sweeps < most) {
    changed = sweepOnce(grid, target, name, beta, old, fresh);
    [old, fresh] = [fresh, old];
    sweeps += 1;
  }
  return { sigma: old, sweeps, settled: !changed };
}

/** L of (6.4) with −½ before its first term: −½ Σ T σ σ + Σ G(σ), which no sweep increases. */
function energyOf({ cells, table }, name, beta, sigma) {
  const { integral } = FUNCTIONS[name];
  let pairs = 0, own = 0;
  for (let i = 0; i < cells; i++) {
    for (let k = 4 * i; k < 4 * i + 4; k++) pairs += sigma[i] * sigma[table[k]];
    own += integral(beta, sigma[i]);
  }
  return own - 0.5 * pairs;
}

/**
 * How far the energy of a state lies above that of the equilibrium, without the cancellation of a difference: for the
 * linear function, unclamped, it is half of dᵀ(1/β − T)d with d the difference of the activations.
 */
function energyAbove(grid, name, beta, sigma, settled, clamped) {
  if (name !== "linear" || clamped) {
    return energyOf(grid, name, beta, sigma) - energyOf(grid, name, beta, settled);
  }
  const { cells, table } = grid, apart = sigma.map((s, i) => s - settled[i]);
  let total = 0;
  for (let i = 0; i < cells; i++) {
    let beside = 0;
    for (let k = 4 * i; k < 4 * i + 4; k++) beside += apart[table[k]];
    total += apart[i] * (apart[i] / beta - beside);
  }
  return 0.5 * total;
}
