"""Section 6.1: the Lyapunov function as printed and with its sign turned, convergence, and one equilibrium."""

from itertools import pairwise

import numpy as np
from ledger import Rows, judged

from hopfield_nav.planning import neighbourhood_of

SIZE, MAPS, BETA, SHARE = 12, 20, 0.1, 0.99  # the last of 1/λ
ROUNDING = 1e-12


class Network:
    """The network of (6.1) to (6.3) on a random map: the clamped neurons keep their value."""

    def __init__(self, seed: int, beta: float = BETA):
        rng = np.random.default_rng(seed)
        table = neighbourhood_of((SIZE, SIZE)).table.astype(int)
        weights = np.zeros((SIZE * SIZE + 1,) * 2)
        weights[np.arange(SIZE * SIZE)[:, None], table] = 1
        self.T, self.beta = weights[:-1, :-1], beta
        self.free = rng.random(SIZE * SIZE) > 0.25
        self.goal = int(rng.choice(np.flatnonzero(self.free)))
        self.free[self.goal] = False

    def start(self, rng: np.random.Generator | None = None) -> np.ndarray:
        """A state: all free neurons at 0, or at random."""
        state = (
            np.zeros(len(self.T))
            if rng is None
            else np.where(self.free, rng.random(len(self.T)), 0.0)
        )
        state[self.goal] = 1.0
        return state

    def sweep(self, state: np.ndarray) -> np.ndarray:
        return np.where(self.free, np.clip(self.beta * (self.T @ state), 0, 1), state)

    def lyapunov(self, state: np.ndarray, first: float) -> float:
        """L of (6.4), without the constant part of the clamped neurons; ``first`` is the sign of its first term."""
        return float(
            first * 0.5 * state @ self.T @ state + (state[self.free] ** 2).sum() / (2 * self.beta)
        )

    def bound(self, step: np.ndarray) -> float:
        """The right side of (6.7)."""
        return float(-0.5 * (step @ self.T @ step + step @ step / self.beta))

    def states(self, start: np.ndarray, count: int = 400) -> list[np.ndarray]:
        """The states of the sweeps until rest."""
        found = [start]
        while len(found) < count and (
            len(found) < 2 or np.abs(found[-1] - found[-2]).max() > ROUNDING
        ):
            found.append(self.sweep(found[-1]))
        return found


def sweeps(first: float, random: bool = False) -> tuple[int, int, int]:
    """Of all sweeps: in how many L rises, in how many (6.7) is broken, and how many there are.

    They begin at zero, or each map's at a random state.
    """
    rises = broken = total = 0
    for seed in range(MAPS):
        network = Network(seed)
        states = network.states(network.start(np.random.default_rng(seed) if random else None))
        for old, new in pairwise(states):
            change = network.lyapunov(new, first) - network.lyapunov(old, first)
            rises += change > ROUNDING
            broken += change > network.bound(new - old) + ROUNDING
            total += 1
    return int(rises), int(broken), total


def converged(share: float) -> tuple[int, float]:
    """Of ``MAPS`` maps with β a share of 1/λ: how many rest, and the largest difference between two equilibria."""
    rest, apart = 0, 0.0
    for seed in range(MAPS):
        network = Network(seed)
        network.beta = share / float(np.abs(np.linalg.eigvalsh(network.T)).max())
        rng = np.random.default_rng(seed)
        ends = [network.states(network.start(rng), 4000)[-1] for _ in range(3)]
        rest += all(np.abs(network.sweep(end) - end).max() < 1e-11 for end in ends)
        apart = max(apart, *(float(np.abs(end - ends[0]).max()) for end in ends))
    return rest, apart


def least_slope(beta: float = BETA) -> float:
    """The least 1/g'(g⁻¹(σ)) of tanh(βu) for σ in [0, 0.99], as a multiple of 1/β."""
    state = np.linspace(0, 0.99, 100)
    return float((1 / (beta * (1 - state**2))).min() * beta)


def rows() -> Rows:
    printed = sweeps(1.0)
    drawn = sweeps(1.0, random=True)
    turned = sweeps(-1.0)
    never = turned[0] + sweeps(-1.0, random=True)[0]
    ours = (
        f"L as printed rises in {printed[0]} of {printed[2]} sweeps from the zero state, where a plan begins, and in "
        f"{drawn[0]} of {drawn[2]} from random ones; with − before its first term in {never} of all"
    )
    yield judged("ragazzon2012.lyapunov_function", ours, printed[0] == 0)
    ours = f"with the L whose sign is turned: broken in {turned[1]} of {turned[2]} sweeps"
    yield judged("ragazzon2012.bound_of_a_sweep", ours, turned[1] == 0)
    rest, apart = converged(SHARE)
    yield judged(
        "ragazzon2012.convergence",
        f"{rest} of {MAPS} maps rest, from 3 random states each",
        rest == MAPS,
    )
    ours = f"(6.10) has < where it must be ≥: with tanh 1/g' is at least {least_slope():.3g}/β"
    yield judged("ragazzon2012.hessian", ours, least_slope() < 1 - ROUNDING)
    ours = f"equilibria from 3 random states differ by at most {apart:.0e}, β = {SHARE:g}/λ, {MAPS} maps"
    yield judged("ragazzon2012.one_equilibrium", ours, apart < 1e-8)
