"""Parameter sets against the torque that a real UR5's controller computed for itself."""

import numpy as np
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from recorded_runs import (
    GRAVITY_9_82,
    MOVING,
    NO_ROTORS,
    RUNS,
    STANDSTILL,
    residual,
    residuals,
    sets,
    size,
)
from reproduction import picture, pictures_of

from dynamics import load_arm
from hopfield_nav.figures import COLOURS, COLUMN

LIMIT = 0.05  # [N·m]
FLOOR = 1e-4  # [N·m] what is smaller is drawn there
MARKS = (  # colour and marker of every set, in the order of ``sets``
    (COLOURS.start, "v"),
    (COLOURS.felt, "o"),
    (COLOURS.planned, "P"),
    (COLOURS.goal, "D"),
    (COLOURS.travelled, "s"),
    (COLOURS.true, "x"),
)
draw = pictures_of(__name__, dpi=200)


def worst() -> dict[str, np.ndarray]:
    """Largest residual (6,) over all runs, by parameter set [N·m]."""
    return {name: residuals(arm).max(axis=0) for name, arm in sets().items()}


def rows() -> Rows:
    largest, plain, other = (
        worst()[name].max() for name in ("ur5_controller", NO_ROTORS, GRAVITY_9_82)
    )
    ours = (
        f"rms {largest:.3f} N·m at most of six joints and five runs; {other:.4f} N·m with g = "
        f"{-sets()[GRAVITY_9_82].gravity[2]:g} m/s²"
    )
    yield judged("tu2023.adopted_equation", ours, bool(largest < LIMIT), plain=plain)
    tu, adopted = (
        residual(load_arm(name), STANDSTILL) for name in ("ur5_tu2023", "ur5_controller")
    )
    fits = load_arm("ur5_controller")
    along = np.abs(fits.center_of_mass[2]).max()
    ours = (
        f"joints 2, 3 off by {tu[1]:.2f}, {tu[2]:.2f} N·m; {adopted[1]:.3f}, {adopted[2]:.3f} N·m with "
        f"{fits.mass[2]:g} kg, {along:.5f} m"
    )
    yield judged("tu2023.forearm", ours, bool(tu.max() < LIMIT))
    share = np.array([residual(load_arm("ur5_tu2023"), run) / size(run) for run in MOVING])
    low, high = 100 * share.min(axis=0), 100 * share.max(axis=0)
    text = ", ".join(
        "–".join(dict.fromkeys((f"{a:.0f}", f"{b:.0f}"))) for a, b in zip(low, high, strict=True)
    )
    ours = f"share of the recorded model torque in motion, joints 1 to 6: {text} %"
    yield judged("tu2023.model_of_the_ur5", ours, bool(high.max() < 10))


@picture("recorded_torque", COLUMN, 0.95 * COLUMN)
def _figure(figure: Figure, ax: Axes) -> None:
    shift = np.linspace(-0.3, 0.3, len(MARKS))
    for (name, arm), (colour, marker), dx in zip(sets().items(), MARKS, shift, strict=True):
        values = np.maximum(residuals(arm), FLOOR)
        style = {"color": colour, "markersize": 3, "markeredgewidth": 0.8, "linestyle": "none"}
        for k in range(len(RUNS)):
            ax.plot(np.arange(1, 7) + dx, values[k], marker, alpha=0.75, **style)
        ax.plot([], [], marker, label=name, **style)
    ax.axhline(LIMIT, color=COLOURS.ink, linewidth=0.6, linestyle="--", zorder=0)
    for edge in np.arange(1.5, 6):
        ax.axvline(edge, color=COLOURS.grid, linewidth=0.5, zorder=0)
    ax.set(
        yscale="log", ylim=(0.7 * FLOOR, 60), xlim=(0.5, 6.5), xticks=range(1, 7), xlabel="joint"
    )
    ax.set_yticks(
        [1e-4, 1e-3, 1e-2, 0.1, 1, 10], [r"$\leq$ 0.0001", "0.001", "0.01", "0.1", "1", "10"]
    )
    ax.minorticks_off()
    ax.set_ylabel("rms torque difference [N·m]")
    handles = [
        *ax.get_legend_handles_labels()[0],
        Line2D([], [], color=COLOURS.ink, lw=0.6, ls="--"),
    ]
    labels = [*ax.get_legend_handles_labels()[1], f"{LIMIT} N·m"]
    figure.legend(handles, labels, loc="outside upper center", ncols=1, labelspacing=0.25)
