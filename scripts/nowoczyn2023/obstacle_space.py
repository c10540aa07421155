"""Section 3.1: the library of collisions on a grid of 10°, beside the exact check; both draw two planes of it."""

from functools import cache
from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from reproduction import picture, pictures_of, processor_times

from dynamics import load_arm, with_tool
from hopfield_nav.extensions.clearance import build_scene, collides
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, add_legend
from hopfield_nav.sweeps import Value, share
from nowoczyn2023.collision_library import CollisionLibrary, build_library, relevant_joints

NAME = "ur5_tu2023"  # the UR5's (CB3) lengths, as the document has them under the name UR5e
BESIDE = 0.1  # [m] of a tool point from axis 6
POSES, SEED, RUNS = 1_000_000, 31, 9
FREE, TOUCHING, ALARM, MISSED = range(4)
draw = pictures_of(__name__)


class Plane(NamedTuple):
    """Two joints, from 1, that are turned, from where on [°], and the angles of all joints otherwise [°]."""

    across: int
    up: int
    others: tuple[float, ...]
    begin: tuple[int, int] = (-180, -180)
    end: tuple[int, int] = (180, 180)


PLANES = (  # the other joints between nodes, as they mostly are
    Plane(3, 4, (0, -117, 0, 0, 33, 0), (120, -180), (240, 180)),
    Plane(4, 5, (0, -117, 152, 0, 0, 0)),
)


@cache
def library() -> CollisionLibrary:
    """The document's: the arm without tool, 10°."""
    return build_library(load_arm(NAME))


@kept("test_obstacle_space.py::test_errors_are_those_kept")
def wrong_poses(count: int) -> list[int]:
    """Of random poses, all joints uniform over a turn: called free but touching, and the other way round."""
    q = np.random.default_rng(SEED).uniform(-np.pi, np.pi, (count, 6))
    exact, said = collides(library().arm, library().scene, q), library().collides(q)
    return [int((exact & ~said).sum()), int((said & ~exact).sum())]


@kept("test_ledger_rows.py::test_times_are_of_the_order_kept")
def times_faster() -> float:
    """Time of the exact check over that of looking up, a batch of poses, medians of runs in turns."""
    q = np.random.default_rng(SEED).uniform(-np.pi, np.pi, (20_000, 6))
    calls = (lambda: collides(library().arm, library().scene, q), lambda: library().collides(q))
    taken = [[processor_times(call, 1)[0] for call in calls] for _ in range(RUNS + 1)][1:]
    return float(np.divide(*np.median(taken, axis=0)))


@cache
def without_joint_6(beside: float, count: int = 200_000) -> tuple[str, Value]:
    """Joints on which collisions of an arm with a tool depend, and random poses that a joint 6 at 0 gets wrong.

    The tool point is 0.2 m from the flange and so much [m] ``beside`` axis 6.
    """
    tool = np.eye(4)
    tool[:3, 3] = beside, 0.0, 0.2
    arm = with_tool(load_arm(NAME), tool)
    scene, q = build_scene(arm), np.random.default_rng(SEED).uniform(-np.pi, np.pi, (count, 6))
    still = q * [1, 1, 1, 1, 1, 0]
    wrong = collides(arm, scene, q) != collides(arm, scene, still)
    return ", ".join(str(j + 1) for j in relevant_joints(scene)), share(int(wrong.sum()), count)


def rows() -> Rows:
    ratio, size = times_faster(), library().bits.nbytes
    missed, alarms = (share(count, POSES) for count in wrong_poses(POSES))
    wrong = f"{_percent(missed)} called free but touching, {_percent(alarms)} the other way"
    joints, turn = ", ".join(str(j + 1) for j in library().joints), library().per_turn
    ours = f"{turn}⁴ cells of {360 / turn:g}° (joints {joints}), {size / 1e3:.0f} kB"
    yield judged("nowoczyn2023.size_of_the_library", ours, turn == 36 and size == 36**4 // 8)
    ours = (
        f"of {missed.n} random poses: {wrong}; looking up takes 1/{ratio:.0f}† of the exact check"
    )
    yield judged("nowoczyn2023.collisions_at_run_time", ours, ratio < 1.0 and missed.low > 0.0)
    (on, none), (off, some) = without_joint_6(0.0), without_joint_6(BESIDE)
    ours = (
        f"{joints} without a tool; {on} with one on axis 6 ({100 * none.estimate:.0f} % of {none.n} poses"
        f" wrong); {off} with one {BESIDE} m beside it: without joint 6 {_percent(some)} are wrong"
    )
    yield judged("nowoczyn2023.joints_of_the_library", ours, None)


def _percent(value: Value) -> str:
    return f"{100 * value.estimate:.2f} % ({100 * value.low:.2f} to {100 * value.high:.2f})"


@picture("obstacle_space", PAGE, 16.0 * CENTIMETRE, len(PLANES), 2)
def planes_figure(figure: Figure, panels: np.ndarray) -> None:
    """Two planes: exact at 1°, and the library with its errors."""
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
    for (left, right), plane in zip(panels, PLANES, strict=True):
        exact, said = sampled(plane)
        _show(left, plane, np.where(exact, TOUCHING, FREE))
        kinds = np.select(
            [exact & said, said & ~exact, exact & ~said], [TOUCHING, ALARM, MISSED], FREE
        )
        _show(right, plane, kinds)
        still = [j for j in range(2, 6) if j not in (plane.across, plane.up)]
        fixed = ", ".join(f"θ{j} = {plane.others[j - 1]:g}°" for j in still).replace("-", "−")
        left.set_title(f"exact, every 1°; {fixed}", loc="left")
        wrong = 100 * (exact != said).mean()
        right.set_title(f"library, cells of 10°; {wrong:.1f} % wrong here", loc="left")
    labels = ("touches itself", "called touching, but free", "called free, but touching")
    colours = (COLOURS.obstacle, COLOURS.felt, COLOURS.goal)
    add_legend(
        figure, [Patch(color=c, label=text) for c, text in zip(colours, labels, strict=True)], 3
    )


def sampled(plane: Plane) -> tuple[np.ndarray, np.ndarray]:
    """Exact check and library every 1°, ``up`` over ``across``."""
    across, up = (
        np.radians(np.arange(b + 0.5, e)) for b, e in zip(plane.begin, plane.end, strict=True)
    )
    q = np.tile(np.radians(plane.others), (len(up), len(across), 1))
    q[..., plane.across - 1], q[..., plane.up - 1] = across[None, :], up[:, None]
    return collides(library().arm, library().scene, q), library().collides(q)


def _show(ax: Axes, plane: Plane, kinds: np.ndarray) -> None:
    colours = ListedColormap(["white", COLOURS.obstacle, COLOURS.felt, COLOURS.goal])
    (left, low), (right, high) = plane.begin, plane.end
    how = {
        "origin": "lower",
        "extent": (left, right, low, high),
        "interpolation": "none",
        "aspect": "auto",
    }
    ax.imshow(kinds, cmap=colours, vmin=0, vmax=3, **how)
    ax.set(xlabel=f"θ{plane.across} [°]", ylabel=f"θ{plane.up} [°]")
    ax.set(xticks=np.linspace(left, right, 5), yticks=np.linspace(low, high, 5))
