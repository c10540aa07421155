"""Section II.E: the equations of motion from energies, and what they cost beside Newton-Euler."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from keeping import kept
from ledger import Row, judged
from matplotlib.figure import Figure
from reproduction import save_figures

from dynamics import (
    Arm,
    coriolis_matrix,
    euler_lagrange,
    euler_lagrange_torque,
    gravity_torque,
    inverse_dynamics,
    load_arm,
    mass_matrix,
)
from dynamics.files import arm_from_dict
from dynamics.lagrange import mass_matrix_derivatives
from hopfield_nav.figures import COLOURS, COLUMN

NAME = "ur5_kebria2016"
SIZES = (2, 3, 4, 6, 8, 11, 15, 20, 25, 30)
LARGE = 15  # joints from which on the slope is measured: below, fixed costs count
FORMULATIONS: dict[str, Callable] = {
    "Newton–Euler": inverse_dynamics,
    "Euler–Lagrange": euler_lagrange_torque,
}


def chain(n: int) -> Arm:
    """An arm of n equal links with crossed axes."""
    joint = {"d": 0.1, "a": 0.1, "alpha": "pi/2", "source": "made up"}
    link = {"mass": 1.0, "center_of_mass": [0, 0.05, 0], "inertia": np.diag([1e-2] * 3).tolist()}
    return arm_from_dict({"joints": [joint] * n, "links": [{**link, "source": "made up"}] * n})


def seconds_per_torque(torque: Callable, n: int, budget: float = 0.004, repeats: int = 40) -> float:
    """Time of the processor for one torque of a chain of n links [s], the best of a few batches."""
    arm, rng = chain(n), np.random.default_rng(0)
    torque(arm, *rng.normal(size=(3, 2, n)))
    started = time.process_time()
    torque(arm, *rng.normal(size=(3, 8, n)))
    batch = max(4, int(8 * budget / (time.process_time() - started)))
    states, best = rng.normal(size=(3, batch, n)), np.inf
    for _ in range(repeats):
        started = time.process_time()
        torque(arm, *states)
        best = min(best, time.process_time() - started)
    return best / batch


@kept(
    "test_kinematics_studies.py::test_cost_of_both_formulations",
    lambda found: {name: np.array(seconds) for name, seconds in found.items()},
)
def costs(sizes: tuple[int, ...] = SIZES) -> dict[str, np.ndarray]:
    """Seconds per torque of both formulations over the number of joints."""
    return {name: np.array([seconds_per_torque(f, n) for n in sizes]) for name, f in FORMULATIONS.items()}


def exponent(seconds: np.ndarray, sizes: tuple[int, ...] = SIZES, least: int = LARGE) -> float:
    """Slope of the cost over the number of joints, both logarithmic, from ``least`` joints on."""
    large = np.array(sizes) >= least
    return float(np.polyfit(np.log(np.array(sizes)[large]), np.log(seconds[large]), 1)[0])


def states(count: int = 1000) -> np.ndarray:
    """(3, count, 6) random angles, velocities and accelerations."""
    rng = np.random.default_rng(2016)
    return rng.uniform(-1, 1, (3, count, 6)) * np.array([np.pi, 3, 10])[:, None, None]


def largest_difference(arm: Arm, count: int = 1000) -> float:
    """Largest difference of M, C, g and the torque between energies and recursions [SI]."""
    q, qd, qdd = states(count)
    terms = euler_lagrange(arm, q, qd)
    pairs = (
        (terms.mass_matrix, mass_matrix(arm, q)),
        (terms.coriolis_matrix, coriolis_matrix(arm, q, qd)),
        (terms.gravity_torque, gravity_torque(arm, q)),
        (euler_lagrange_torque(arm, q, qd, qdd), inverse_dynamics(arm, q, qd, qdd)),
    )
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def skew_error(arm: Arm, count: int = 1000) -> float:
    """Largest element of the symmetric part of dM/dt − 2 C over the largest of dM/dt."""
    q, qd, _ = states(count)
    rate = np.einsum("akij,ak->aij", mass_matrix_derivatives(arm, q), qd)
    rest = rate - 2 * euler_lagrange(arm, q, qd).coriolis_matrix
    return float(np.abs(rest + np.swapaxes(rest, 1, 2)).max() / 2 / np.abs(rate).max())


def rows() -> list[Row]:
    """Claims of II.E on M, C and the two formulations."""
    arm = load_arm(NAME)
    matrix = euler_lagrange(arm, *states()[:2]).mass_matrix
    asymmetry = float(np.abs(matrix - np.swapaxes(matrix, 1, 2)).max())
    least = float(np.linalg.eigvalsh(matrix).min())
    skew, apart = skew_error(arm), largest_difference(arm)
    return [
        judged(
            "kebria2016.mass_matrix_is_positive_definite",
            f"at 1000 random positions: asymmetry {asymmetry:.0e}, smallest eigenvalue {least:.2g} kg·m²",
            asymmetry < 1e-14 and least > 0,
        ),
        judged(
            "kebria2016.skew_symmetry",
            f"symmetric part {skew:.0e} of Ṁ, with exact derivatives of M",
            skew < 1e-13,
        ),
        judged(
            "kebria2016.lagrange_gives_the_equations",
            f"M, C, g and torque equal to Newton–Euler to {apart:.0e} (1000 random states)",
            apart < 1e-10,
        ),
    ]


def draw(folder: Path) -> list[Path]:
    """Time of one torque over the number of joints, both formulations."""
    return save_figures(folder, {"cost_of_formulations": cost_figure})


def cost_figure() -> Figure:
    """Measured times, and lines of the slopes that theory gives."""
    figure = Figure(figsize=(COLUMN, 0.72 * COLUMN), layout="constrained")
    ax, found, sizes = figure.subplots(), costs(), np.array(SIZES)
    looks = {"Newton–Euler": (COLOURS.start, "o", 1), "Euler–Lagrange": (COLOURS.goal, "s", 4)}
    for name, (colour, marker, power) in looks.items():
        times, slope = 1e6 * found[name], exponent(found[name])
        label = f"{name}: $n^{{{slope:.1f}}}$ from {LARGE} joints"
        ax.loglog(sizes, times, marker, color=colour, markersize=4, label=label)
        from_here = sizes[sizes >= (2 if power == 1 else 6)]
        line = times[-1] * (from_here / sizes[-1]) ** power
        ax.loglog(from_here, line, "-", color=colour, linewidth=0.7, zorder=0)
        place = (from_here[2], line[2])
        text = "$\\propto n$" if power == 1 else f"$\\propto n^{power}$"
        ax.annotate(text, place, xytext=(8, -10), textcoords="offset points", color=colour)
    ax.set(xlabel="number of joints $n$", ylabel="time of one torque [µs]", xlim=(1.8, 34), ylim=(0.05, 9000))
    ax.set_xticks([2, 3, 4, 6, 10, 15, 20, 30], ["2", "3", "4", "6", "10", "15", "20", "30"])
    ax.minorticks_off()
    ax.legend(loc="upper left")
    return figure
