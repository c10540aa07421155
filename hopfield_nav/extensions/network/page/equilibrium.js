"use strict";
// The summing network at once: its equilibrium in numbers that cannot underflow, as planning/sum_exact.py has it.
//
// Every activation is mantissa × RADIX^exponent. Cells are relaxed in the order of their hops from the target. A first
// sweep finds the exponents; then these are held for a batch and folded into the weights, so that its sweeps are plain
// multiplications and additions, over-relaxed by Young's factor. It has settled when, with fresh exponents, a sweep
// moves no cell.

const RADIX = 2 ** 64, HALF = 2 ** 32, NOTHING = -(2 ** 30);
const WIDEST = 5, LARGEST = 1e200;  // exponents between neighbours; a value within a batch
const STEEP = 0.7;  // of β λ, above which the own eigenvalue is estimated
const POWERS = 16, MORE_POWERS = 8;  // steps of the power method, before the first batch and after every batch
const CONVERGED = 4e-15, PATIENCE = 40, BATCH = 64, MOST_SWEEPS = 100000;
const POWER = Float64Array.from({ length: 2 * WIDEST + 1 }, (_, k) => RADIX ** (k - WIDEST));

/** An activation for every cell, dark at first; one more beside the map. */
function darkState(cells) {
  return { mantissa: new Float64Array(cells + 1), exponent: new Int32Array(cells + 1).fill(NOTHING) };
}

/** Store a positive value with the mantissa between 1/HALF and HALF. */
function store(state, i, value, exponent) {
  while (value < 1 / HALF) {
    value *= RADIX;
    exponent -= 1;
  }
  while (value >= HALF) {
    value /= RADIX;
    exponent += 1;
  }
  state.mantissa[i] = value;
  state.exponent[i] = exponent;
}

/** One sweep outwards that finds every exponent: σ = min(β × sum of the neighbours, 1). */
function findExponents({ table }, queue, beta, state) {
  const { mantissa, exponent } = state;
  for (let n = 1; n < queue.length; n++) {
    const i = queue[n];
    let value = 0, top = NOTHING;
    for (let k = 4 * i; k < 4 * i + 4; k++) {
      const j = table[k];
      if (exponent[j] === top) value += mantissa[j];
      else if (exponent[j] > top) {
        value = mantissa[j] + (exponent[j] === top + 1 ? value / RADIX : 0);
        top = exponent[j];
      } else if (exponent[j] === top - 1) value += mantissa[j] / RADIX;
    }
    store(state, i, beta * value, top);
    if (exponent[i] > 0 || (exponent[i] === 0 && mantissa[i] > 1)) store(state, i, 1, 0);
  }
}

/** The connections as places in the queue, four numbers each; its length where a neighbour is not in it. */
function linksOf({ cells, table }, queue) {
  const place = new Int32Array(cells + 1).fill(queue.length), link = new Int32Array(4 * queue.length);
  queue.forEach((i, n) => { place[i] = n; });
  queue.forEach((i, n) => { for (let k = 0; k < 4; k++) link[4 * n + k] = place[table[4 * i + k]]; });
  return link;
}

/**
 * The power method for the largest eigenvalue among the reached cells but the target; walls lower it below that of the
 * grid. It begins with the eigenvector of the open grid. `more` makes steps and returns the estimate, a bound below.
 */
function ownEigenvalue({ m, n }, link, queue, bound) {
  const reached = queue.length, wave = (k, count) => Math.sin(Math.PI * (k + 1) / (count + 1));
  let old = new Float64Array(reached + 1), next = new Float64Array(reached + 1), quotient = 0;
  for (let k = 1; k < reached; k++) old[k] = wave(Math.floor(queue[k] / n), m) * wave(queue[k] % n, n);
  return {
    more(steps) {
      for (let step = 0; step < steps; step++) {
        let before = 0, after = 0;
        for (let k = 1; k < reached; k++) {
          const total = old[link[4 * k]] + old[link[4 * k + 1]] + old[link[4 * k + 2]] + old[link[4 * k + 3]];
          next[k] = total;
          before += old[k] * old[k];
          after += total * total;
        }
        quotient = before > 0 ? Math.sqrt(after / before) : 0;
        const scale = quotient > 0 ? 1 / quotient : 0;
        for (let k = 1; k < reached; k++) next[k] *= scale;
        [old, next] = [next, old];
      }
      return Math.min(quotient, bound);
    },
  };
}

/** Young's factor of over-relaxation. */
function overRelaxation(beta, eigenvalue) {
  return 2 / (1 + Math.sqrt(1 - (beta * eigenvalue) ** 2));
}

/** Change of a cell that counts as none after so many sweeps; near 1/λ over-relaxation amplifies rounding. */
function countsAsNone(omega, sweeps) {
  return CONVERGED / (2 - omega) * Math.max(1, sweeps * (2 - omega) / PATIENCE) ** 2;
}

/** Values of a batch, where σ = 1 clamps them, and the weights of their connections. */
function beginBatch(link, queue, beta, { mantissa, exponent }, batch) {
  const reached = queue.length;
  for (let n = 0; n < reached; n++) {
    const i = queue[n];
    batch.value[n] = mantissa[i];
    batch.ceiling[n] = Math.min(POWER[WIDEST + Math.min(-exponent[i], WIDEST)], LARGEST);
    for (let k = 4 * n; k < 4 * n + 4; k++) {
      const gap = link[k] < reached ? exponent[queue[link[k]]] - exponent[i] : 0;
      const scale = gap === 0 ? 1 : POWER[WIDEST + Math.min(Math.max(gap, -WIDEST), WIDEST)];
      batch.weight[k] = link[k] < reached ? beta * scale : 0;
    }
  }
}

/** One over-relaxed sweep; whether any cell moved. */
function relax(link, { weight, value, ceiling }, omega, still) {
  const count = ceiling.length, beyond = omega - 1;
  let moved = false;
  for (let n = 1, k = 4; n < count; n++, k += 4) {
    const goal = weight[k] * value[link[k]] + weight[k + 1] * value[link[k + 1]]
      + weight[k + 2] * value[link[k + 2]] + weight[k + 3] * value[link[k + 3]];
    const old = value[n], far = goal + beyond * (goal - old), least = 0.5 * goal, most = ceiling[n];
    const fresh = far < least ? least : far > most ? most : far;
    if (Math.abs(fresh - old) > still * fresh) moved = true;
    value[n] = fresh;
  }
  return moved;
}

/** The equilibrium of the summing network for β below 1/λ: a state, its sweeps, whether it settled and saturates. */
function equilibrium(grid, target, beta) {
  const { queue } = flood(grid, target), state = darkState(grid.cells), bound = largestEigenvalue(grid);
  store(state, target, 1, 0);
  findExponents(grid, queue, beta, state);
  const link = linksOf(grid, queue), reached = queue.length;
  const power = beta * bound < STEEP ? null : ownEigenvalue(grid, link, queue, bound);
  let omega = overRelaxation(beta, power ? power.more(POWERS) : bound);
  const batch = {
    weight: new Float64Array(4 * reached), value: new Float64Array(reached + 1), ceiling: new Float64Array(reached),
  };
  let sweeps = 0, settled = false;
  while (!settled && sweeps < MOST_SWEEPS) {
    beginBatch(link, queue, beta, state, batch);
    const still = countsAsNone(omega, sweeps);
    settled = !relax(link, batch, omega, still);
    sweeps += 1;
    for (let left = BATCH, moved = !settled; moved && left > 0; left--) {
      moved = relax(link, batch, omega, still);
      sweeps += 1;
    }
    for (let n = 1; n < reached; n++) store(state, queue[n], batch.value[n], state.exponent[queue[n]]);
    if (power && !settled) omega = overRelaxation(beta, power.more(MORE_POWERS));
  }
  const saturated = queue.some((i, n) => n > 0 && state.exponent[i] === 0 && state.mantissa[i] === 1);
  return { ...state, sweeps, settled, saturated };
}
