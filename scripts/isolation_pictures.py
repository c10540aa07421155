"""Pictures of docs/lab/isolation.md: who is taken for whom, and the patches of the arm that explain one push.

python scripts/isolation_pictures.py docs/figures

The pushes are those of the suite ``isolation``.
"""

import sys
from pathlib import Path

import numpy as np
from benches import suite_module
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.lines import Line2D

from dynamics import Arm, link_frames, load_arm
from hopfield_nav.extensions.isolation import (
    BODY,
    HALF_U,
    HALF_V,
    Isolation,
    U,
    V,
    default_surface,
    surface_places,
)
from hopfield_nav.figures import (
    CENTIMETRE,
    COLOURS,
    PAGE,
    add_legend,
    new_figure,
    paper_style,
    save_figure,
)
from hopfield_nav.figures.solid import (
    CellPose,
    CellView,
    Solids,
    View,
    frame_cell,
    make_view,
    project,
)
from hopfield_nav.geometry import capsule, capsule_distance, capsules_in_base, pack_primitives
from hopfield_nav.world import Floor

suite, isolated = suite_module("isolation"), suite_module("isolation_pushes")
Pushes, Scores = isolated.Pushes, isolated.Scores
_SHADES = LinearSegmentedColormap.from_list("felt", ["#FFFFFF", COLOURS.felt])
_CUTS = 4  # small faces along each edge of a patch, to follow the round surface


def draw(
    arm: Arm, scores: Scores, pushes: Pushes, row: int, found: Isolation, folder: Path, name: str
) -> list[Path]:
    """Confusion matrix of many pushes, and the set of one of them on the arm."""
    with paper_style():
        figure = new_figure(PAGE, 7.2 * CENTIMETRE)
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
        draw_confusion(left, scores)
        draw_set(right, arm, pushes.q[row], found, pushes.point[row], pushes.force[row])
        return save_figure(add_legend(figure, _handles(), 4), folder, name)


def draw_confusion(ax: Axes, scores: Scores) -> None:
    """Share of the pushes on each link by the link they are taken for; the number at the right."""
    counts = scores.confusion[1:, 1:]
    total = scores.confusion[1:].sum(axis=1)
    share = counts / np.maximum(total, 1)[:, None]
    ax.imshow(np.where(counts > 0, share, np.nan), cmap=_SHADES, vmin=0.0, vmax=1.0, aspect="equal")
    for edge in np.arange(0.5, 5.0):
        ax.axhline(edge, color=COLOURS.grid, lw=0.4, zorder=0.5)
        ax.axvline(edge, color=COLOURS.grid, lw=0.4, zorder=0.5)
    for i, j in np.ndindex(share.shape):
        if counts[i, j]:
            ink = "white" if share[i, j] > 0.5 else COLOURS.ink
            ax.text(j, i, f"{100 * share[i, j]:.1f}", ha="center", va="center", color=ink)
    for i, n in enumerate(total):
        ax.text(5.65, i, f"{n}", ha="left", va="center", color=COLOURS.ink)
    ax.set_title("pushes", loc="right", x=1.17)
    ax.set(xlabel="likeliest link", ylabel="pushed link")
    ax.set_title("share (%)", loc="left")
    for set_ticks in (ax.set_xticks, ax.set_yticks):
        set_ticks(range(6), [str(i + 1) for i in range(6)])
    ax.tick_params(length=0)


def draw_set(
    ax: Axes, arm: Arm, q: np.ndarray, found: Isolation, point: np.ndarray, force: np.ndarray
) -> None:
    """The arm at ``q``, patches of the set (those of the likeliest link stronger), push and best point."""
    outward = _outward(force)
    cell = CellView(arm, [Floor(height=0.0)], q[None])
    cell.view, _ = _best_view(arm, q, found, outward)
    surface = default_surface(arm)
    link = surface.bodies[surface.patches[:, BODY].astype(int), 0].astype(int)
    patches = [
        (
            _patch_faces(arm, q, p),
            np.array(to_rgba(COLOURS.felt if link[p] == found.best_link else COLOURS.travelled)),
        )
        for p in found.patches
    ]
    frame_cell(ax, cell)
    Solids(ax, cell.view, zorder=1).show([*cell.parts([CellPose(q)]), *patches])
    _mark(ax, cell.view, point, outward, found)


def _seen(faces: np.ndarray, arm: Arm, q: np.ndarray, view: View) -> np.ndarray:
    """The faces (m, 4, 3) between whose middle and the eye there is no part of the arm, nor around it."""
    steps = np.concatenate([[0.001], np.arange(0.01, 1.2, 0.012)])
    points = faces.mean(axis=1)[:, None] + steps[:, None] * view.toward
    capsules = pack_primitives(
        capsule(row[:3], row[3:6], row[6]) for row in capsules_in_base(arm, q)
    )
    rows = np.concatenate([points, points, np.zeros((*points.shape[:2], 1))], axis=-1)
    return faces[~(capsule_distance(rows, capsules) < 0.0).any(axis=(1, 2))]


def _mark(ax: Axes, view: View, point: np.ndarray, outward: np.ndarray, found: Isolation) -> None:
    tip, tail = project(view, np.array([point, point + 0.25 * outward]))
    style = {"arrowstyle": "-|>,head_width=0.25,head_length=0.5", "color": COLOURS.true, "lw": 1.4}
    ax.annotate("", tip, tail, arrowprops={**style, "shrinkA": 0, "shrinkB": 0}, zorder=8)
    ax.plot(
        *project(view, found.best_point),
        "o",
        ms=4.5,
        mfc=COLOURS.goal,
        mec="white",
        mew=0.6,
        zorder=9,
    )


def _outward(force: np.ndarray) -> np.ndarray:
    """Against a push: away from the arm."""
    return -force / np.linalg.norm(force)


def _best_view(
    arm: Arm, q: np.ndarray, found: Isolation, outward: np.ndarray
) -> tuple[View, float]:
    """The view of a wide arm that shows most of the patches of the set's least visible link, and its score.

    Views along the push are left out: its arrow would be a dot.
    """
    surface = default_surface(arm)
    link = surface.bodies[surface.patches[found.patches, BODY].astype(int), 0].astype(int)
    faces = [_patch_faces(arm, q, patch) for patch in found.patches]
    views = [make_view(float(a), e) for e in (22.0, 40.0) for a in range(0, 360, 15)]
    views = [v for v in views if abs(v.toward @ outward) < 0.85]

    def least_shown(view: View) -> float:
        shown = np.array([_facing_cells(_seen(f, arm, q, view), view) / len(f) for f in faces])
        return min((shown[link == k].mean() for k in found.links), default=0.0)

    frames = link_frames(arm, q)[:, :3, 3]
    shown = [np.ptp(frames @ view.right) * least_shown(view) for view in views]
    return views[int(np.argmax(shown))], max(shown)


def _facing_cells(faces: np.ndarray, view: View) -> float:
    """Sum over faces of the cosine between their normals and the direction to the eye."""
    normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    size = np.maximum(np.linalg.norm(normal, axis=1), 1e-12)
    return float(np.maximum(normal @ view.toward / size, 0.0).sum())


def _patch_faces(arm: Arm, q: np.ndarray, patch: int) -> np.ndarray:
    """Faces (m, 4, 3) of a patch in base axes, a little above the surface [m]."""
    surface = default_surface(arm)
    lifted = surface._replace(bodies=surface.bodies.copy())
    lifted.bodies[:, 7] += 0.002
    row = surface.patches[patch]
    u = np.linspace(row[U] - row[HALF_U], row[U] + row[HALF_U], _CUTS + 1)
    v = np.linspace(row[V] - row[HALF_V], row[V] + row[HALF_V], _CUTS + 1)
    grid = np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1).reshape(-1, 2)
    points = surface_places(
        arm, q, lifted, np.full(len(grid), patch), grid[:, 0].copy(), grid[:, 1].copy()
    )[0]
    rows = points.reshape(_CUTS + 1, _CUTS + 1, 3)
    faces = np.stack([rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]], axis=2).reshape(
        -1, 4, 3
    )
    middle = rows.reshape(-1, 3).mean(axis=0)
    lifted.bodies[:, 7] = 0.0  # without thickness, its points lie on the axes
    axis, _ = surface_places(
        arm, q, lifted, np.array([patch]), row[U : U + 1].copy(), row[V : V + 1].copy()
    )
    normal = np.cross(faces[0, 2] - faces[0, 0], faces[0, 3] - faces[0, 1])
    return faces if normal @ (middle - axis[0]) > 0 else faces[:, ::-1]


def _handles() -> list:
    dot = {"ls": "none", "marker": "o", "ms": 4.5, "mec": "white"}
    block = {"ls": "none", "marker": "s", "ms": 5}
    return [
        Line2D([], [], **block, color=COLOURS.felt, label="set: likeliest link"),
        Line2D([], [], **block, color=COLOURS.travelled, label="set: other links"),
        Line2D([], [], **dot, mfc=COLOURS.goal, color=COLOURS.goal, label="likeliest point"),
        Line2D(
            [], [], color=COLOURS.true, lw=1.4, marker=">", ms=3, markevery=[1], label="true push"
        ),
    ]


def _example(arm: Arm, pushes: Pushes, found: list[Isolation]) -> int:
    """Of the pushes on link 3 whose set has several links, on an arm that is stretched out, the one seen best."""
    rows = isolated.counted(pushes)
    several = [
        k for k, i in enumerate(rows)
        if len(found[k].links) >= 2 and found[k].best_link == pushes.link[i] == 3 and len(found[k].patches) >= 5
        and np.linalg.norm(pushes.point[i][:2]) > 0.3 and pushes.point[i][2] > 0.25
    ]  # fmt: skip
    shown = [
        _best_view(arm, pushes.q[rows[k]], found[k], _outward(pushes.force[rows[k]]))[1]
        for k in several
    ]
    return several[int(np.argmax(shown))]


if __name__ == "__main__":
    arm, pushes = load_arm("ur5_full"), suite.pushes_of("ur5_full")
    scores, found = isolated.isolate_pushes(arm, pushes)
    k = _example(arm, pushes, found)
    print(
        *draw(
            arm,
            scores,
            pushes,
            isolated.counted(pushes)[k],
            found[k],
            Path(sys.argv[1]),
            "isolation",
        ),
        sep="\n",
    )
