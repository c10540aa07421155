"""Section 4.3: resonances and Bode plots of all points of the workspace, which the document leaves open.

Operating points are random poses in space, each on all its branches: the tool anywhere in reach,
turned anyhow, the arm at rest and held against gravity. The linear model is M q~'' + K q~ = tau~
with K = dg/dq.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import picture, pictures_of
from scipy.spatial.transform import Rotation

from dynamics import inverse_dynamics_derivatives, inverse_kinematics, load_arm, mass_matrix
from hopfield_nav.figures import COLOURS, PAGE
from tu2023.bode_plots import resonances
from tu2023.kinematics import exact_extent
from tu2023.linearisation import ARM

POSES, SEED = 2000, 14
FREQUENCIES = np.array([0.1, 1.0, 10.0])  # [Hz] at which gains are told
# [rad/s] below which a mode neither swings nor falls: joint 1 and what rounding makes of it
STILL = 0.01
draw = pictures_of(__name__)


class Points(NamedTuple):
    """Operating points."""

    q: np.ndarray  # (k, 6) [rad]
    poses: int  # how many poses they come from
    swings: np.ndarray  # (k, 6) frequencies of the modes [rad/s], 0 where one does not swing
    falls: np.ndarray  # (k, 6) growth rates [1/s], 0 where one does not fall


@cache
def points(count: int = POSES) -> Points:
    """``count`` random poses that the arm reaches, on every branch."""
    arm, rng = load_arm(ARM), np.random.default_rng(SEED)
    reach, shoulder = exact_extent(arm).reach, np.array([0, 0, arm.dh[0, 1]])
    found: list[np.ndarray] = []
    while len(found) < count:
        pose, place = np.eye(4), rng.uniform(-reach, reach, 3)
        pose[:3, :3] = Rotation.random(random_state=rng).as_matrix()
        pose[:3, 3] = place + shoulder
        solutions = inverse_kinematics(arm, pose)
        if np.linalg.norm(place) < reach and np.isfinite(solutions).any():
            found.append(solutions[np.isfinite(solutions).all(axis=1)])
    q = np.concatenate(found)
    return Points(q, len(found), *resonances(arm, q))


def gains(frequencies: np.ndarray, joint: int) -> np.ndarray:
    """(frequencies, k) |G| from a joint's torque to its angle (joint from 0) [dB of rad/(N·m)]."""
    arm, q = load_arm(ARM), points().q
    still = np.zeros_like(q)
    stiffness, mass = inverse_dynamics_derivatives(arm, q, still, still).q, mass_matrix(arm, q)
    found = []
    for frequency in frequencies:
        response = np.linalg.inv(stiffness - (2 * np.pi * frequency) ** 2 * mass)[:, joint, joint]
        found.append(20 * np.log10(np.abs(response)))
    return np.array(found)


def rows() -> Rows:
    found = points()
    fastest = found.swings[:, -1] / (2 * np.pi)
    falling, swinging = found.falls.max(axis=1) > STILL, (found.swings > STILL).sum(axis=1)
    low, middle, high = np.percentile(fastest, [5, 50, 95])
    bounds = np.percentile(gains(FREQUENCIES, 1), [5, 95], axis=1).T
    spread = "; ".join(
        f"{hertz:g} Hz {a:.0f} to {b:.0f} dB"
        for hertz, (a, b) in zip(FREQUENCIES, bounds, strict=True)
    )
    ours = (
        f"{len(found.q)} operating points of {found.poses} random poses: {100 * falling.mean():.1f} % have a mode that"
        f" falls, up to {found.falls.max():.1f} 1/s; {swinging.min()} to {swinging.max()} modes swing, the fastest at"
        f" {middle:.2f} Hz (90 % from {low:.2f} to {high:.2f}); τ2 → q2 at {spread} (90 %)"
    )
    yield judged("tu2023.bode_plots_of_the_workspace", ours, None)


@picture("workspace_resonances", PAGE, 0.36 * PAGE, 1, 2)
def workspace_figure(figure: Figure, modes: Axes, plot: Axes) -> None:
    """Left: how often which swing and fall. Right: where the magnitudes of two joints lie."""
    found, bins = points(), np.arange(0, 3.001, 0.05)
    for values, colour, label in (
        (found.swings / (2 * np.pi), COLOURS.felt, "swings"),
        (found.falls / (2 * np.pi), COLOURS.goal, "falls, rate / 2π"),
    ):
        share = np.histogram(values[values > STILL], bins)[0] / len(found.q)
        modes.stairs(share, bins, color=colour, label=label)
    modes.set(
        xlabel="frequency or rate of a mode [1/s]",
        ylabel="modes per point and 0.05/s",
        xlim=(0, 3),
        ylim=(0, None),
    )
    modes.legend()
    frequency = np.geomspace(0.05, 30, 160)
    for joint, colour in ((0, COLOURS.start), (1, COLOURS.felt), (4, COLOURS.goal)):
        low, middle, high = np.percentile(gains(frequency, joint), [5, 50, 95], axis=1)
        plot.fill_between(frequency, low, high, color=colour, alpha=0.2, linewidth=0)
        plot.semilogx(
            frequency, middle, color=colour, label=f"$\\tau_{joint + 1} \\to q_{joint + 1}$"
        )
    plot.set(xlabel="frequency [Hz]", ylabel="magnitude [dB of rad/(N·m)]", xlim=(0.05, 30))
    plot.legend()
