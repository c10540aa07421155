"""All configurations of one pose of the tool in one picture (nowoczyn2023, inverse_kinematics_example)."""

import re
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dynamics import Arm, BadInput, inverse_kinematics
from hopfield_nav.extensions.clearance import Scene, explain, in_names
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE
from hopfield_nav.figures.solid import CellPose, CellView, add_poses, frame_cell
from hopfield_nav.world import Solid
from nowoczyn2023.figures.drawing import add_tool_axes
from nowoczyn2023.figures.signals import touched_links

_COLUMNS = 4
_MOST_LINES = 3  # of words about what touches what
# [inch] below a panel: the angles, a line of words
_ANGLES, _WORDS = (0.5 * CENTIMETRE, 0.3 * CENTIMETRE)
_FOOT = 0.5 * CENTIMETRE


def solutions_page(
    arm: Arm,
    scene: Scene,
    solids: Sequence[Solid],
    pose: np.ndarray,
    names: Sequence[str | None] = (),
) -> Figure:
    """The arm in every configuration that brings the tool to a pose (4, 4), and what it touches there.

    ``solids`` are those of the scene in the same order, ``names`` theirs; by default none has one.
    """
    solutions = inverse_kinematics(arm, pose)
    if len(solutions) == 0:
        raise BadInput(
            "no joint position to draw: out of reach", where="pose", found=pose[:3, 3].tolist()
        )
    view, names = CellView(arm, solids, solutions), names or [None] * len(solids)
    lines = max(len(_words(arm, scene, q, names)) for q in solutions)
    figure, panels = _grid(view, len(solutions), _ANGLES + _WORDS * lines)
    for k, (ax, q) in enumerate(zip(panels, solutions, strict=True)):
        draw_solution(ax, view, scene, q, k + 1, names)
    foot = f"joint angles in rad; {_names(scene, solids, names)}".removesuffix("; ")
    place = (0.5, 0.08 * CENTIMETRE / figure.get_figheight())
    figure.text(*place, foot, ha="center", va="bottom", fontsize="small")
    return figure


def draw_solution(
    ax: Axes, view: CellView, scene: Scene, q: np.ndarray, number: int, names: Sequence[str | None]
) -> Axes:
    """One configuration (n,) [rad], the links that touch something in colour; angles and words below it."""
    frame_cell(ax, view)
    add_poses(ax, view, [CellPose(q, touched=touched_links(view.arm, scene, q))], pale=True)
    add_tool_axes(ax, view, q)
    words = _words(view.arm, scene, q, names)
    ax.set_title(
        f"{number}: " + ("in collision" if words else "free"),
        color=COLOURS.goal if words else COLOURS.ink,
    )
    angles = "  ".join(f"{angle:.2f}".replace("-", "−") for angle in q)
    ax.text(0.5, -0.01, angles, transform=ax.transAxes, ha="center", va="top", fontsize="x-small")
    ax.annotate(
        "\n".join(words), (0.5, -0.01), xycoords="axes fraction", xytext=(0, -9), textcoords="offset points",
        ha="center", va="top", fontsize="x-small", color=COLOURS.goal,
    )  # fmt: skip
    return ax


def touch_words(explained: str) -> list[str]:
    """The words of ``explain``, together by what is touched (or too near): "links 2, 3 touch known[1]"."""
    if explained == "free":
        return []
    touching: dict[str, list[str]] = {}
    for part in explained.split(", "):
        what, by = re.split(" touches | comes within .* of ", part)
        touching.setdefault(by, []).append(what)
    return [_sentence(parts, by) for by, parts in touching.items()]


def _sentence(parts: list[str], by: str) -> str:
    links = sorted(part.removeprefix("link ") for part in parts if part.startswith("link "))
    names = [f"link{'s' * (len(links) > 1)} " + ", ".join(links)] * bool(links)
    names += [part for part in parts if not part.startswith("link ")]
    return " and ".join(names) + (" touches " if len(parts) == 1 else " touch ") + by


def _words(arm: Arm, scene: Scene, q: np.ndarray, names: Sequence[str | None]) -> list[str]:
    """The lines below a panel, not too many; none for a free pose."""
    words = [in_names(line, names) for line in touch_words(explain(arm, scene, q))]
    more = len(words) - _MOST_LINES
    return [*words[:_MOST_LINES], f"and {more} more"] if more > 0 else words


def _names(scene: Scene, solids: Sequence[Solid], names: Sequence[str | None]) -> str:
    kinds = [
        f"known[{k}] {type(s).__name__.lower()}" for k, s in enumerate(solids) if names[k] is None
    ]
    margin = float(scene.margin[0])
    near = f"touched: nearer than {100 * margin:.3g} cm" if len(solids) and margin > 0 else ""
    return "; ".join(part for part in (", ".join(kinds), near) if part)


def _grid(view: CellView, count: int, below: float) -> tuple[Figure, list[Axes]]:
    columns = min(count, _COLUMNS)
    rows, wide, title = -(-count // columns), PAGE / columns, 0.45 * CENTIMETRE
    left, right, low, high = view.limits()
    tall = wide * (high - low) / (right - left)
    height = rows * (tall + title + below) + _FOOT
    figure = Figure((PAGE, height))
    places = [
        (
            (k % columns) * wide / PAGE,
            (_FOOT + below + (rows - 1 - k // columns) * (tall + title + below)) / height,
            wide / PAGE,
            tall / height,
        )
        for k in range(count)
    ]
    return figure, [figure.add_axes(place) for place in places]
