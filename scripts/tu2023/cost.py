"""What tu2023 2.2 says of the cost of Lagrange and Newton–Euler, measured on chains of many joints."""

from collections.abc import Callable

import numpy as np
from kebria2016.euler_lagrange import chain
from keeping import kept
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import picture, pictures_of, processor_times

from dynamics import euler_lagrange_torque, inverse_dynamics
from hopfield_nav.figures import COLOURS, COLUMN

SIZES = (2, 3, 4, 6, 8, 11, 15, 20, 25, 30)
LARGE = 15  # joints from which on the slope is measured: below, fixed costs count
FORMULATIONS: dict[str, Callable] = {
    "Newton–Euler": inverse_dynamics,
    "Euler–Lagrange": euler_lagrange_torque,
}
draw = pictures_of(__name__)


def seconds_per_torque(torque: Callable, n: int, budget: float = 0.004, repeats: int = 40) -> float:
    """Time of the processor for one torque of a chain of n links [s], the best of a few batches."""
    arm, rng = chain(n), np.random.default_rng(0)
    torque(arm, *rng.normal(size=(3, 2, n)))
    few = rng.normal(size=(3, 8, n))
    batch = max(4, int(8 * budget / processor_times(lambda: torque(arm, *few), 1)[0]))
    states = rng.normal(size=(3, batch, n))
    return min(processor_times(lambda: torque(arm, *states), repeats)) / batch


@kept(
    "test_kinematics_studies.py::test_cost_of_both_formulations",
    lambda found: {name: np.array(seconds) for name, seconds in found.items()},
)
def costs(sizes: tuple[int, ...] = SIZES) -> dict[str, np.ndarray]:
    """Seconds per torque of both formulations over the number of joints."""
    return {
        name: np.array([seconds_per_torque(f, n) for n in sizes])
        for name, f in FORMULATIONS.items()
    }


def exponent(seconds: np.ndarray, sizes: tuple[int, ...] = SIZES, least: int = LARGE) -> float:
    """Slope of the cost over the number of joints, both logarithmic, from ``least`` joints on."""
    large = np.array(sizes) >= least
    return float(np.polyfit(np.log(np.array(sizes)[large]), np.log(seconds[large]), 1)[0])


def rows() -> Rows:
    found = costs()
    newton, lagrange = (exponent(found[name]) for name in FORMULATIONS)
    ratio = [
        found["Euler–Lagrange"][SIZES.index(n)] / found["Newton–Euler"][SIZES.index(n)]
        for n in (6, 30)
    ]
    ours = (
        f"time of a torque ∝ n^{lagrange:.1f} from energies, n^{newton:.1f} by recursion ({LARGE}…{SIZES[-1]} joints);"
        f" {ratio[0]:.0f}× slower at 6 joints, {ratio[1]:.0f}× at {SIZES[-1]} †"
    )
    yield judged("tu2023.cost_of_lagrange_and_newton_euler", ours, lagrange < newton)


@picture("cost_of_formulations", COLUMN, 0.72 * COLUMN)
def cost_figure(figure: Figure, ax: Axes) -> None:
    """Time of one torque over the number of joints, and lines of the slopes that theory gives."""
    found, sizes = costs(), np.array(SIZES)
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
    ax.set(
        xlabel="number of joints $n$",
        ylabel="time of one torque [µs]",
        xlim=(1.8, 34),
        ylim=(0.05, 9000),
    )
    ax.set_xticks([2, 3, 4, 6, 10, 15, 20, 30], ["2", "3", "4", "6", "10", "15", "20", "30"])
    ax.minorticks_off()
    ax.legend(loc="upper left")
