"""Figures 12 and 14 of tu2023, what should stand in place of figure 13, and a map of resonances."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import picture, pictures_of

from dynamics import gravity_torque, inverse_kinematics_branches, linearize, load_arm
from hopfield_nav.figures import COLOURS, COLUMN
from tu2023.bode_plots import bode, resonances
from tu2023.linearisation import (
    ARM,
    FEW,
    MANY,
    WRONG_MODEL,
    as_printed,
    closed_loop,
    errors_by_distance,
    open_loop,
)

OPEN, OWN, WRONG, PRINTED = COLOURS.goal, COLOURS.felt, COLOURS.start, COLOURS.planned
READING = "(58) joint by joint"  # the only one that calls more than a few points stable
HANGING = np.radians([0, 75, 30, -20, 90, 0])  # [rad] below the shoulder, so that the arm swings
ROTATION = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]])  # tool down
Y, GRID = 0.0, 121  # [m] plane of the map, cells a side
ELBOW = (1, 1, -1)  # branch of the map: shoulder, wrist, elbow
draw = pictures_of(__name__)


@picture("figure_12_stability", COLUMN, 1.0 * COLUMN, 2, 1)
def stability_figure(figure: Figure, few: Axes, many: Axes) -> None:
    """Figure 12: the largest real part at 50 points, and its distribution over 5000."""
    kinds = (
        ("open loop, exact", OPEN, "o", open_loop),
        ("closed loop, own model", OWN, "s", closed_loop),
        (
            "closed loop, another arm's model",
            WRONG,
            "^",
            lambda count: closed_loop(count, WRONG_MODEL),
        ),
        ("∂τ/∂q̇ as printed in (58)", PRINTED, "x", lambda count: as_printed(READING, count)),
    )
    bins = np.arange(-26, 26, 0.5)
    for label, colour, mark, values in kinds:
        few.plot(
            np.arange(1, FEW + 1), values(FEW), mark, color=colour, markersize=2.6, label=label
        )
        share = 100 * np.histogram(values(MANY), bins)[0] / MANY
        many.stairs(np.maximum(share, 1e-3), bins, color=colour, linewidth=0.9)
    few.axhline(0, color=COLOURS.ink, linewidth=0.5)
    many.axvline(0, color=COLOURS.ink, linewidth=0.5)
    few.set(xlabel=f"operating point (of {FEW})", ylabel="max Re λ [1/s]")
    many.set(xlabel=f"max Re λ [1/s], {MANY} operating points", ylabel="share [%] in 0.5 1/s")
    many.set(yscale="log", ylim=(0.01, 150), xlim=(-26, 26))
    figure.legend(loc="outside upper center", ncols=2)


@picture("figure_13_linearisation_error", COLUMN, 0.7 * COLUMN)
def error_figure(figure: Figure, ax: Axes) -> None:
    """In place of figure 13: torque error against the distance from the operating point."""
    distances = np.geomspace(1e-3, 3, 22)
    for order, colour, name in ((1, OPEN, "first"), (2, OWN, "second")):
        low, middle, high = np.percentile(
            100 * errors_by_distance(distances, order), [5, 50, 95], axis=1
        )
        ax.fill_between(distances, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(distances, middle, color=colour, label=f"{name} order")
        line = middle[4] * (distances / distances[4]) ** (order + 1)
        ax.plot(
            distances,
            line,
            ":",
            color=COLOURS.ink,
            linewidth=0.7,
            label="slopes 2 and 3" if order == 2 else None,
        )
    ax.set(xscale="log", yscale="log", xlim=(distances[0], distances[-1]), ylim=(1e-8, 1e3))
    ax.set(
        xlabel="distance in (q, q̇, q̈), norm of rad, rad/s, rad/s²",
        ylabel="torque error [% of the largest torque]",
    )
    ax.legend(loc="upper left")


@picture("figure_14_bode", COLUMN, 0.95 * COLUMN, 2, 1, sharex=True)
def bode_figure(figure: Figure, size: Axes, phase: Axes) -> None:
    """Figure 14: two pairs at a hanging pose held against gravity, undamped peaks and all."""
    arm = load_arm(ARM)
    model = linearize(arm, HANGING, np.zeros(6), gravity_torque(arm, HANGING), "position")
    frequency = np.geomspace(0.3, 100, 4000)
    for (output, source), colour, dash in (
        ((1, 1), OWN, "-"),
        ((2, 2), OPEN, "--"),
        ((2, 1), WRONG, "-."),
    ):
        found = bode(model, output, source, frequency)
        label = f"$\\tau_{source + 1} \\to q_{output + 1}$ [rad/(N·m)]"
        size.plot(frequency / (2 * np.pi), found.magnitude, dash, color=colour, label=label)
        phase.plot(frequency / (2 * np.pi), wrapped(np.degrees(found.phase)), dash, color=colour)
    size.set(ylabel="magnitude [dB]", xscale="log", ylim=(-120, 20), xlim=(0.05, 15))
    phase.set(xlabel="frequency [Hz]", ylabel="phase [°]", yticks=(-180, -90, 0), ylim=(-200, 20))
    size.legend(loc="lower left")


def wrapped(degrees: np.ndarray) -> np.ndarray:
    """Angles in (−270°, 90°], so that ±180° of rounding does not jump."""
    return -((-degrees + 90) % 360 - 90)


@picture("resonances", COLUMN, 0.85 * COLUMN, 1, 2, sharey=True)
def resonance_figure(figure: Figure, *axes: Axes) -> None:
    """The fastest swing and the fastest fall in the plane y = 0, tool down, held against gravity."""
    x, z, swing, fall = resonance_map()
    _map(figure, axes[0], x, z, swing / (2 * np.pi), "fastest swing [Hz]", "viridis")
    _map(figure, axes[1], x, z, fall, "fastest fall [1/s], 0: none", "magma")
    axes[0].set_ylabel("z of the tool [m]")


def resonance_map() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """x, z (GRID,) [m]; fastest swing [rad/s] and fall [1/s], (GRID, GRID), NaN out of reach."""
    arm = load_arm(ARM)
    x, z = np.linspace(0.0, 0.95, GRID), np.linspace(-0.95, 0.95, GRID)
    q = np.array([[_joints(arm, a, b) for a in x] for b in z])
    swing, fall = np.full((2, GRID, GRID), np.nan)
    there = np.isfinite(q[..., 0])
    swings, falls = resonances(arm, q[there])
    swing[there], fall[there] = swings[:, -1], falls[:, -1]
    return x, z, swing, fall


def _joints(arm, x: float, z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = ROTATION, (x, Y, z)
    solutions, branches = inverse_kinematics_branches(arm, pose)
    found = solutions[(branches == ELBOW).all(axis=1)]
    return found[0] if len(found) else np.full(6, np.nan)


def _map(
    figure: Figure,
    ax: Axes,
    x: np.ndarray,
    z: np.ndarray,
    values: np.ndarray,
    label: str,
    colours: str,
) -> None:
    picture = ax.pcolormesh(x, z, values, cmap=colours, rasterized=True)
    figure.colorbar(picture, ax=ax, location="top", pad=0.02).set_label(label, labelpad=5)
    ax.set(xlabel="x of the tool [m]", aspect="equal")
