"""Sections II.B to II.D: Table I, the flange's position, the inverse kinematics; singularities drawn."""

import numpy as np
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from nowoczyn2023.direct_kinematics import arm_of_table
from nowoczyn2023.singular import alone
from reproduction import picture, pictures_of

import dynamics
from dynamics import (
    Arm,
    closed_form_position,
    forward_kinematics,
    inverse_kinematics,
    link_frames,
    load_arm,
)
from hopfield_nav.figures import PAGE

NAME = "ur5_kebria2016"
TABLE_I = {  # as printed
    "a": [0, 0.425, 0.39225, 0, 0, 0],
    "alpha": [np.pi / 2, 0, 0, np.pi / 2, -np.pi / 2, 0],
    "d": [0.08916, 0, 0, 0.10915, 0.09456, 0.0823],
}
BASE = np.array([0.0, -1.2, 1.2, -1.0, 1.1, 0.0])  # [rad] of what is drawn
WRONG_IN_TABLE_I = {("a", 1), ("a", 2), ("d", 4)}
draw = pictures_of(__name__)


def positions(count: int = 20000) -> np.ndarray:
    """(count, 6) uniform joint angles."""
    return np.random.default_rng(2016).uniform(-np.pi, np.pi, (count, 6))


def table_differences() -> dict[tuple[str, int], float]:
    """Our values where Table I has others, by column and index from 0."""
    ours = dict(zip(("d", "a", "alpha"), load_arm(NAME).dh[:, 1:].T, strict=True))
    entries = [(column, i) for column in sorted(TABLE_I) for i in range(6)]
    return {(c, i): ours[c][i] for c, i in entries if abs(ours[c][i] - TABLE_I[c][i]) > 1e-12}


def effect_of_d5() -> float:
    """Largest shift of the flange by the printed d5 [m]."""
    q, table = positions(), load_arm(NAME).dh[:, 1:].copy()
    table[4, 0] = TABLE_I["d"][4]
    apart = closed_form_position(arm_of_table(table), q) - closed_form_position(load_arm(NAME), q)
    return float(np.linalg.norm(apart, axis=1).max())


def printed_position(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(k, 3) the flange by (2) as printed, without s5 in p_x and p_y, with the arm's own lengths."""
    q234 = q[:, 1:4].sum(axis=1)
    lacking = arm.dh[5, 1] * (1 - np.sin(q[:, 4])) * np.cos(q234)
    shift = np.column_stack(
        [np.cos(q[:, 0]) * lacking, np.sin(q[:, 0]) * lacking, np.zeros(len(q))]
    )
    return closed_form_position(arm, q) - shift


def theta6(q: np.ndarray, T: np.ndarray, printed: bool) -> np.ndarray:
    """(k,) theta6 by (5), theta1 and theta5 given: as printed, or with x_x s1 − x_y c1."""
    c1, s1, s5 = np.cos(q[:, 0]), np.sin(q[:, 0]), np.sin(q[:, 4])
    x, y = T[:, :3, 0], T[:, :3, 1]
    across = x[:, 0] * c1 - x[:, 1] * s1 if printed else x[:, 0] * s1 - x[:, 1] * c1
    return np.arctan2((y[:, 1] * c1 - y[:, 0] * s1) / s5, across / s5)


def largest_turn(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference of angles, modulo a turn [rad]."""
    return float(np.abs(np.angle(np.exp(1j * (found - expected)))).max())


def position_errors() -> tuple[float, float]:
    """Largest error of (2), as printed and corrected, against the product of transformations [m]."""
    arm, q = load_arm(NAME), positions()
    right = forward_kinematics(arm, q)[:, :3, 3]
    formulas = printed_position(arm, q), closed_form_position(arm, q)
    return tuple(float(np.linalg.norm(p - right, axis=1).max()) for p in formulas)


def theta6_errors() -> tuple[float, float]:
    """Largest error of (5), as printed and corrected, where |s5| > 0.01 [rad]."""
    q = positions()
    q = q[np.abs(np.sin(q[:, 4])) > 0.01]
    T = forward_kinematics(load_arm(NAME), q)
    return largest_turn(theta6(q, T, True), q[:, 5]), largest_turn(theta6(q, T, False), q[:, 5])


def solution_counts(count: int = 5000) -> np.ndarray:
    """How many solutions each of ``count`` reachable poses has."""
    arm = load_arm(NAME)
    solutions = inverse_kinematics(arm, forward_kinematics(arm, positions(count)))
    return np.isfinite(solutions[..., 0]).sum(axis=1)


def ring(count: int = 200_000) -> np.ndarray:
    """Smallest and largest distance of frame 4's axis from frame 1's origin in the arm's plane [m]."""
    frames = link_frames(load_arm(NAME), positions(count))
    apart = frames[:, 3, :3, 3] - frames[:, 1, :3, 3]
    return np.quantile(np.linalg.norm(apart, axis=1), [0, 1])


def wrist_distance(count: int = 200_000) -> float:
    """Smallest distance of the wrist centre (frame 5) from axis 1 [m]."""
    centers = link_frames(load_arm(NAME), positions(count))[:, 5, :2, 3]
    return float(np.linalg.norm(centers, axis=1).min())


def rows() -> Rows:
    wrong, shift = table_differences(), effect_of_d5()
    entries = ", ".join(f"{column}{i + 1} {value:.7g}" for (column, i), value in wrong.items())
    yield judged(
        "kebria2016.dh_parameters", f"{18 - len(wrong)} of 18 agree; ours {entries} m", not wrong
    )
    yield judged("kebria2016.printed_d5", f"up to {1e3 * shift:.3f} mm of shift", shift < 1e-9)
    position, turn = position_errors(), theta6_errors()
    ours = f"as printed off by up to {1e3 * position[0]:.0f} mm; with s5 by {position[1]:.0e} m"
    yield judged("kebria2016.position_of_the_flange", ours, position[0] < 1e-9)
    ours = (
        f"as printed off by up to {turn[0]:.2f} rad; with (x_x s1 − x_y c1)/s5 by {turn[1]:.0e} rad"
    )
    yield judged("kebria2016.theta6", ours, turn[0] < 1e-9)
    counts, limits, nearest = solution_counts(), ring(), wrist_distance()
    arm = load_arm(NAME)
    (a2, a3), d4 = np.abs(arm.dh[1:3, 2]), arm.dh[3, 1]
    singular = float(np.linalg.norm(link_frames(arm, alone()["shoulder"])[5, :2, 3]))
    share = np.mean(counts == 8)
    margin = 1.96 * np.sqrt(share * (1 - share) / len(counts))
    ours = (
        f"up to {counts.max()}; {100 * share:.0f} ± {100 * margin:.0f} % of {len(counts)} reachable poses"
        f" have all 8, the least {counts.min()}"
    )
    yield judged("kebria2016.number_of_solutions", ours, int(counts.max()) == 8)
    ours = f"joint 4's axis between {limits[0]:.4f} and {limits[1]:.4f} m from joint 2's"
    yield judged(
        "kebria2016.limits_of_reach",
        ours,
        limits[0] >= a2 - a3 - 1e-12 and limits[1] <= a2 + a3 + 1e-12,
    )
    ours = (
        f"R at least {nearest:.5f} m, d4 = {d4:.5f} m, "
        f"and d4 to {abs(singular - d4):.0e} m at the shoulder singularity"
    )
    yield judged("kebria2016.distance_from_axis_1", ours, min(nearest, singular) > d4 + 1e-6)


@picture("singularities", PAGE, 0.38 * PAGE, 1, 2)
def singularity_figure(figure: Figure, *axes: Axes) -> None:
    """Smallest singular value over two pairs of angles; lines where a measure is zero."""
    images = [
        draw_singularities(ax, *pair) for ax, pair in zip(axes, ((2, 4), (1, 2)), strict=True)
    ]
    figure.colorbar(images[0], ax=list(axes), label="smallest singular value of $J$", pad=0.01)
    known = {
        label: handle
        for ax in axes
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(known.values(), known.keys(), loc="outside upper center", ncols=3)


def draw_singularities(ax: Axes, i: int, j: int) -> object:
    """One map over joints i and j (from 0), the others as in ``BASE``."""
    arm, angles = load_arm(NAME), np.linspace(-np.pi, np.pi, 181)
    q = np.tile(BASE, (len(angles), len(angles), 1))
    q[..., i], q[..., j] = angles[None, :], angles[:, None]
    degrees = np.degrees(angles)
    smallest = dynamics.singular_values(arm, q)[..., -1]
    image = ax.imshow(
        smallest, extent=(-180, 180, -180, 180), origin="lower", cmap="cividis", vmin=0, vmax=0.35
    )
    measures = dynamics.singularity_measures(arm, q)._asdict()
    for name, dash in (("elbow", "-"), ("wrist", "--"), ("shoulder", ":")):
        values = measures[name]
        if values.min() < 0 < values.max():
            ax.contour(
                degrees, degrees, values, [0], colors="white", linestyles=dash, linewidths=1.1
            )
            ax.plot([], [], dash, color="#555555", label=name)
    ticks = range(-180, 181, 90)
    ax.set(xlabel=f"$q_{i + 1}$ [°]", ylabel=f"$q_{j + 1}$ [°]", xticks=ticks, yticks=ticks)
    ax.spines[:].set_visible(False)
    return image
