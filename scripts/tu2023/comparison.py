"""Section 4.2: torques of two parameter sets at the same random operating points."""

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from ledger import Rows, judged
from measured_part import table
from reproduction import listed

from dynamics import Arm, OperatingPoints, inverse_dynamics, list_arms, load_arm
from dynamics.model_comparison import TorqueDifference, compare_torques, random_operating_points

ADOPTED = "ur5_controller without rotors"
POINTS = 50
DRAWS = 400
RANGES = (0.1, 1.0, np.pi, 2 * np.pi)  # [rad/s, rad/s²] the document gives none
# [N·m] said to be those of figure 11
ATTRIBUTED = np.array([0.63, 0.85, 0.37, 0.0065, 0.0047, 0.0005])


def arms() -> dict[str, Arm]:
    """Every set of a UR arm, and the adopted equation: Kufieta's point masses without rotor inertia."""
    sets = {name: load_arm(name) for name in list_arms() if name.startswith("ur5")}
    sets[ADOPTED] = load_arm("ur5_controller")._replace(rotor_inertia=np.zeros(6))
    return sets


def points(seed: int = 0, count: int = POINTS, limit: float = np.pi) -> OperatingPoints:
    """Random operating points, the same for every set."""
    return random_operating_points(
        np.random.default_rng(seed), count, speed=limit, acceleration=limit
    )


@cache
def draws(count: int = DRAWS, limit: float = np.pi) -> np.ndarray:
    """Mean absolute error (count, 6) of as many draws of 50 points [N·m]."""
    adopted, tu = arms()[ADOPTED], load_arm("ur5_tu2023")
    return np.array(
        [compare_torques(adopted, tu, points(k, limit=limit)).mean_absolute for k in range(count)]
    )


@cache
def settled(limit: float = np.pi) -> TorqueDifference:
    """The comparison of figure 11 with 20,000 points, relative to the adopted equation."""
    return compare_torques(arms()[ADOPTED], load_arm("ur5_tu2023"), points(0, 20_000, limit))


@cache
def pairs() -> dict[tuple[str, str], TorqueDifference]:
    """Every pair of sets at the same 20,000 points."""
    sets, common = arms(), points(0, 20_000)
    return {(a, b): compare_torques(sets[a], sets[b], common) for a in sets for b in sets if a != b}


def growing(values: np.ndarray) -> bool:
    """Whether values (6,) grow from joint to joint."""
    return bool(np.all(np.diff(values) > 0))


def pairs_table() -> str:
    """Mean absolute difference of every pair in Markdown [N·m]."""
    rows = [
        (a, b, *(f"{v:.4f}" for v in pairs()[a, b].mean_absolute))
        for a, b in combinations(arms(), 2)
    ]
    return table(["sets", "", *(f"joint {j}" for j in range(1, 7))], rows)


def rows() -> Rows:
    low, middle, high = np.percentile(draws(), [2.5, 50, 97.5], axis=0)
    text = ", ".join(
        f"{m:.2g} ({a:.2g}–{b:.2g})" for a, m, b in zip(low, middle, high, strict=True)
    )
    inside = int(np.sum((low <= ATTRIBUTED) & (high >= ATTRIBUTED)))
    attributed = listed(ATTRIBUTED, "g")
    ours = f"{text} N·m: median and 95 % of {DRAWS} draws, q̇ and q̈ uniform up to π"
    yield judged("tu2023.mean_error_per_joint", ours, None, listed=attributed, inside=inside)
    share = settled().relative
    shares = ", ".join(
        "no torque to compare with" if np.isinf(s) else f"{100 * s:.1f} %" for s in share
    )
    ours = f"mean error by mean torque of the adopted equation: {shares}"
    yield judged("tu2023.same_torques", ours, bool(share[:5].max() < 0.1))
    first = [settled(limit).relative[0] for limit in RANGES]
    other = compare_torques(load_arm("ur5_tu2023"), arms()[ADOPTED], points(0, 20_000)).relative[5]
    adopted = np.abs(inverse_dynamics(arms()[ADOPTED], *points(0, 20_000))).mean(0)
    pooled = settled().mean_absolute.sum() / adopted.sum()
    ours = (
        f"joint 1 {100 * min(first):.0f}–{100 * max(first):.0f} % for q̇, q̈ up to {RANGES[0]:g}…2π; "
        f"joint 6 {100 * other:.0f} % of its own torque"
    )
    yield judged(
        "tu2023.largest_mean_error", ours, bool(max(*first, other) < 0.1), pooled=100 * pooled
    )
    share = float(np.mean([growing(d) for d in draws()]))
    mean = settled().mean_absolute
    ours = (
        f"falls from {mean[1]:.2f} N·m (joint 2) to {mean[5]:.4f} N·m (joint 6); grows from joint "
        f"to joint in {100 * share:.0f} % of {DRAWS} draws"
    )
    yield judged("tu2023.error_grows_along_the_arm", ours, share > 0.5)
    ratio = mean[1:] / np.cumsum(mean)[:-1]
    text = ", ".join(f"{r:.2g}" for r in ratio)
    ours = f"error by that sum, joints 2 to 6: {text}"
    yield judged("tu2023.error_is_a_sum", ours, bool(np.abs(ratio - 1).max() < 0.2))
    found = [
        growing(difference.mean_absolute)
        for difference in pairs().values()
        if difference.mean_absolute.any()
    ]
    ours = f"in {sum(found) // 2} of {len(found) // 2} pairs of different sets"
    yield judged("tu2023.growth_in_all_models", ours, all(found))


def draw(folder: Path) -> list[Path]:
    """No picture: the table of all pairs."""
    page = folder / "pairs.md"
    page.write_text(pairs_table() + "\n", encoding="utf-8")
    return [page]
