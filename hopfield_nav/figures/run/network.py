"""The network of a run: its landscape under the paths, what a mark changed, how it settles."""

from functools import cached_property

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dynamics import BadInput
from hopfield_nav.build import build_arm, build_obstacles
from hopfield_nav.figures import network as drawn
from hopfield_nav.figures import solid
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.touches import after_touch, require_touch
from hopfield_nav.figures.sheets import add_legend, new_figure
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, PAGE, panels_across, sheet_width
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.navigation import space_of
from hopfield_nav.planning import Landscape, closed_keys, default_beta, neighbourhood_of
from hopfield_nav.record import PlanRecord, Run

_BOTH = LinearSegmentedColormap.from_list("change", [COLOURS.travelled, "white", COLOURS.felt])
_MORE = LinearSegmentedColormap.from_list("shadow", ["white", COLOURS.felt])
_SHADOW = "what the last mark changed:\nin its shadow"
_SHADOWS = {True: _SHADOW + "\nσ is smaller", False: _SHADOW + "\nthe goal is further away"}
_NARROW = 0.75 * PAGE  # [inch] of a sheet on which titles take two lines
_LEFT = "steps left"
_NO_CHANGE = 1e-6  # of the depth
_AGAINST = "against_beliefs"
_DASHES = (0, (2.2, 1.4))


class NetworkOfRun:
    """The networks of a run's plans, of a record that has some.

    Plans without one have no landscape.
    """

    def __init__(self, run: Run) -> None:
        world, data = run.world, run.data
        self.run = run
        # the plans whose network the record has
        activations = enumerate(data.activation.values)
        self.known = [k for k, values in activations if not np.isnan(values).any()]
        self.by = data.plan_by.values
        self.time = data.plan_time.values
        self.paths = [rows[rows[:, 0] >= 0] for rows in data.plan_path.values]
        # what was felt before each plan
        touches = np.searchsorted(data.event_time.values, self.time + 1e-9, side="right")
        self.number = touches.tolist()
        plans = run.plans()
        self.plans: list[PlanRecord] = [plans[k] for k in self.number]
        # the network
        planner = world.planner
        space = space_of(world)
        self.of_places = space.of_places
        grid = space.cells(world, build_arm(world))
        periodic = getattr(grid, "periodic", None)
        ties = planner.ties if self.of_places else None
        self.near = neighbourhood_of(grid.shape, planner.radius, periodic=periodic, ties=ties)
        self.sums = self.of_places and planner.network == "sum"
        self.beta = (planner.beta or default_beta(self.near)) if self.sums else None
        # of longer moves, and of the whole arm, the record does not say which are closed
        says_closed = planner.radius == 1.0 or world.detection.mark != "felt"
        self.has_arrows = self.of_places and says_closed
        # where the cells lie
        rank = len(grid.shape)
        self.origin = np.asarray(grid.centre(np.zeros(rank, int)), float)[:rank]
        beside = np.asarray(grid.centre(np.ones(rank, int)), float)[:rank]
        self.spacing = beside - self.origin

    def landscape(self, k: int) -> Landscape:
        """The network of a plan that has one."""
        activation = self.run.data.activation.values[k]
        steps = self.plans[k].steps if self.has_arrows else None
        return Landscape(lambda: activation, self.near, closed_keys(steps, self.near), self.sums)

    def depth(self, k: int) -> np.ndarray:
        """The values ln σ/ln β over the grid, of a plan; inf where no path leads to the goal."""
        return drawn.depth(self.landscape(k), self.beta)

    def steps_of_climb(self, k: int) -> np.ndarray | None:
        """Steps of the climb from each cell of a plan, −1 where it does not arrive.

        None for a plan without arrows.
        """
        return drawn.steps_of_climb(self.landscape(k)) if self.has_arrows else None

    @cached_property
    def label(self) -> str:
        """What the depth is called."""
        return drawn.depth_label(self.landscape(self.known[0]))

    def planes(self, plans: list[int]) -> list[drawn.Plane]:
        """Of each plan the plane that holds most of its path, along the same two axes for all."""
        shape = self.near.shape
        paths = [self.paths[k] for k in plans]
        there = [path for path in paths if len(path)]
        axes = drawn.axes_along(there, shape) if there else None
        return [drawn.plane_along(path, shape, self.origin, self.spacing, axes) for path in paths]

    def chosen(self) -> list[int]:
        """Known plans that are drawn.

        They are the first, the second, the middle and the last that changed something.
        """
        known = self.known
        last = self._last_change()
        return sorted({known[k] for k in (0, min(1, last), min(len(known) // 2, last), last)})

    def after(self, touch: int) -> int:
        """The last known plan that was made after a touch and before the next; touches count from 1.

        Raises ``BadInput``: there is no such touch, or the record has no network of such a plan.
        """
        require_touch(self.run, touch)
        found = [k for k in self.known if self.number[k] == touch]
        if not found:
            numbers = sorted({self.number[k] for k in self.known} - {0})
            allowed = ", ".join(map(str, numbers)) or "none"
            raise BadInput("no network was kept after it", "touch", touch, allowed)
        return found[-1]

    def title(self, k: int) -> str:
        """When a plan was made, in words."""
        told = after_touch(self.number[k])
        if not k:
            return told
        gap = ",\n" if sheet_width(PAGE) < _NARROW else ", "
        return f"{told}{gap}{self.time[k]:.1f} s"

    def since(self, k: int) -> str:
        """What a plan is compared with: the known plan before, in words."""
        before = self.known[self.known.index(k) - 1]
        number = self.number[before]
        if number == self.number[k]:
            return f"since {self.time[before]:.1f} s"
        return f"since touch {number}" if number else "since the start"

    def change(self, k: int) -> np.ndarray:
        """How much deeper each cell lies than in the known plan before; NaN without a path."""
        before = self.known[self.known.index(k) - 1]
        with np.errstate(invalid="ignore"):
            return self.depth(k) - self.depth(before)

    def _last_change(self) -> int:
        """Place among the known plans of the last one that casts a shadow, if one does."""
        for place in range(len(self.known) - 1, 0, -1):
            change = self.change(self.known[place])
            if np.abs(change[np.isfinite(change)]).max(initial=0.0) > _NO_CHANGE:
                return place
        return len(self.known) - 1


def network_of(run: Run) -> NetworkOfRun | None:
    """The networks of a run; None where the record has none."""
    network = NetworkOfRun(run) if {"activation", "plan_by"} <= set(run.data) else None
    return network if network and network.known else None


class NetworkLayer:
    """The network under a map from above, which changes with the plan.

    It is nothing where the record has none. ``artists`` are what is drawn.
    """

    def __init__(self, ax: Axes, run: Run) -> None:
        self._network = network_of(run)
        self.artists: list[AxesImage] = []
        if self._network is not None:
            self._depths = {k: self._network.depth(k) for k in self._network.known}
            top = max(float(s[np.isfinite(s)].max(initial=1.0)) for s in self._depths.values())
            first = self._depths[self._network.known[0]]
            self.artists = [drawn.add_depth(ax, first, self._plane(self._network, 0), top)]

    def show(self, time: float, level: int = 0) -> None:
        """The network of the plan that is followed at a time [s]; in space one level, from 0."""
        if self._network is None:
            return
        times = self._network.time[self._network.known]
        made = int(np.searchsorted(times, time + 1e-9, side="right"))  # plans so far
        plan = self._network.known[max(made - 1, 0)]
        depths = self._plane(self._network, level).of(self._depths[plan])
        self.artists[0].set_data(np.ma.masked_invalid(depths.T))

    def add_scale(self) -> None:
        """The scale of the landscape at the right of its axes, which move to the left for it."""
        if self._network is None:
            return
        ax = self.artists[0].axes
        ax.set_anchor("W")
        beside = ax.inset_axes((1.02, 0.0, 0.035, 0.62))
        scale = ax.figure.colorbar(self.artists[0], cax=beside)
        scale.outline.set_visible(False)
        scale.ax.tick_params(length=2, pad=1)
        scale.ax.set_title(self._network.label, loc="left", pad=4)

    @staticmethod
    def _plane(network: NetworkOfRun, level: int) -> drawn.Plane:
        rest = (level,) * (len(network.near.shape) - 2)
        return drawn.Plane((0, 1), (0, 0, *rest), network.origin[:2], network.spacing[:2])


def network_page(run: Run, touch: int | None = None) -> Figure | None:
    """Four plans over their networks, what the last mark changed, the depth along the paths.

    ``touch``: the network after this one alone, counted from 1. None of a record without networks.

    Raises ``BadInput``: the record has no network of a plan after this touch.
    """
    network = network_of(run)
    if network is None:
        return None
    if touch is not None:
        return _page_of_one(network, network.after(touch))
    chosen = network.chosen()
    planes = network.planes(chosen)
    depths = [network.depth(k) for k in chosen]
    top = max(float(d[np.isfinite(d)].max(initial=1.0)) for d in depths)
    words = _SHADOWS[network.sums]
    figure, maps, shadows, strip = _layout(planes, network.near.shape, len(chosen), words)
    columns = panels_across(max(len(chosen), 3), PAGE)
    for place, (ax, k, plane, grid) in enumerate(zip(maps, chosen, planes, depths, strict=True)):
        image = _draw_plan(ax, network, k, plane, grid, top)
        is_left = place % columns == 0
        is_lowest = place + columns >= len(maps)
        ax.set_xlabel(_name(network, plane.axes[0]) if is_lowest else "")
        ax.set_ylabel(_name(network, plane.axes[1]) if is_left else "")
        ax.tick_params(labelleft=is_left, labelbottom=is_lowest)
    figure.colorbar(image, ax=maps, label=network.label, aspect=14 * _rows(maps, columns), pad=0.01)
    if shadows:
        _draw_shadows(figure, shadows, network, chosen[-len(shadows) :], planes[-len(shadows) :])
    _draw_strip(strip, network, chosen)
    return add_legend(figure, _handles(network), 8)


def draw_network(ax: Axes, run: Run, touch: int | None = None) -> Axes:
    """The network after a touch, counted from 1, or of the last plan that changed something.

    Raises ``BadInput``: the record has no such network.
    """
    network = network_of(run)
    if network is None:
        raise BadInput("the record has no network", where="plot", allowed="record.network: true")
    _draw_one(ax, network, network.chosen()[-1] if touch is None else network.after(touch))
    return ax


def _draw_one(ax: Axes, network: NetworkOfRun, k: int) -> Artist:
    """A plan over its network, with the names of both axes."""
    (plane,) = network.planes([k])
    depths = network.depth(k)
    top = float(depths[np.isfinite(depths)].max(initial=1.0))
    image = _draw_plan(ax, network, k, plane, depths, top)
    ax.set_xlabel(_name(network, plane.axes[0]))
    ax.set_ylabel(_name(network, plane.axes[1]))
    return image


def _page_of_one(network: NetworkOfRun, k: int) -> Figure:
    """One plan over its network, with a scale, as wide as a column."""
    (plane,) = network.planes([k])
    left, right, low, high = plane.extent(network.near.shape)
    wide = sheet_width(COLUMN)
    shape = float(np.clip((high - low) / (right - left), 0.3, 1.2))
    figure = new_figure(wide, (wide - 2.4 * CENTIMETRE) * shape + 2.4 * CENTIMETRE)
    ax = figure.add_subplot()
    image = _draw_one(ax, network, k)
    figure.colorbar(image, ax=ax, label=network.label, aspect=22, pad=0.02)
    return add_legend(figure, _handles(network), 4)


def _rows(panels: list[Axes], columns: int) -> int:
    """How many rows panels fill."""
    return -(-len(panels) // columns)


def _layout(
    planes: list, shape: tuple[int, ...], count: int, words: str
) -> tuple[Figure, list[Axes], list[Axes], Axes]:
    """Maps, shadows below them and a strip; ``words`` stand in a place that is left free among the shadows.

    On a sheet as wide as a page every shadow stands below its map.
    """
    left, right, low, high = planes[-1].extent(shape)
    columns = panels_across(max(count, 3), PAGE)
    wide = (sheet_width(PAGE) - 2.6 * CENTIMETRE) / columns
    tall = float(np.clip(wide * (high - low) / (right - left), 0.4, 3.2))
    map_rows = -(-count // columns)
    first = 1 if map_rows == 1 else 0  # free place before the first shadow
    shadow_rows = -(-(count - 1 + first) // columns) if count > 1 else 0
    rows = map_rows + shadow_rows
    figure = new_figure(PAGE, rows * (tall + 0.8 * CENTIMETRE) + 4.0 * CENTIMETRE)
    figure.get_layout_engine().set(hspace=0.06)  # no title may touch the name of the axis above it
    ratios = [tall] * rows + [2.1 * CENTIMETRE]
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=ratios)
    maps = [figure.add_subplot(grid[divmod(k, columns)]) for k in range(count)]
    places = [divmod(k + first + map_rows * columns, columns) for k in range(count - 1)]
    shadows = [figure.add_subplot(grid[place]) for place in places]
    last = (map_rows + shadow_rows) * columns - 1
    free = map_rows * columns if first else last
    if shadows and divmod(free, columns) not in places:
        beside = figure.add_subplot(grid[divmod(free, columns)])
        beside.axis("off")
        if sheet_width(PAGE) < _NARROW:
            words = words.replace(" mark", "\nmark")
        beside.text(0.0, 0.5, words, va="center", transform=beside.transAxes)
    return figure, maps, shadows, figure.add_subplot(grid[rows, :])


def _draw_plan(
    ax: Axes, network: NetworkOfRun, k: int, plane: drawn.Plane, depths: np.ndarray, top: float
) -> Artist:
    image = drawn.add_depth(ax, depths, plane, top)
    add_felt(ax, network, k, plane)
    if network.has_arrows:
        drawn.add_arrows(ax, network.landscape(k), plane)
    add_true(ax, network, plane, network.time[k])
    if len(network.paths[k]):
        drawn.add_climb(
            ax, network.paths[k], plane, style=_DASHES if network.by[k] == _AGAINST else "-"
        )
        drawn.mark_ends(ax, network.paths[k], plane)
    _frame(ax, network, plane)
    ax.set_title(network.title(k), pad=2)
    rest = [axis for axis in range(len(plane.cell)) if axis not in plane.axes]
    # where the map is cut; of more axes it would be too long
    if len(rest) == 1 and network.of_places:
        (axis,), box = rest, {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
        at = network.origin[axis] + network.spacing[axis] * plane.cell[axis]
        where = f"{'xyz'[axis]} = {at:.2g} m"
        how = {
            "transform": ax.transAxes,
            "ha": "right",
            "va": "top",
            "fontsize": "small",
            "zorder": 7,
        }
        ax.text(0.97, 0.93, where, bbox=box, **how)
    return image


def add_felt(ax: Axes, network: NetworkOfRun, k: int, plane: drawn.Plane) -> None:
    """What was felt before a plan: cells and, in the plane, closed steps; and what is excluded."""
    if not network.of_places:
        return
    plan = network.plans[k]
    classes = plane.of(solid.cell_classes(network.run, plan, path=False))
    colours = np.zeros((5, 4))  # of each class; of those that are not shown none
    colours[1] = to_rgba(COLOURS.excluded, 0.6)
    colours[3] = to_rgba(COLOURS.felt)
    colours[4] = to_rgba(COLOURS.true)
    ax.imshow(
        colours[np.swapaxes(classes, 0, 1)],
        origin="lower",
        extent=plane.extent(network.near.shape),
        zorder=2.1,
        interpolation="none",
    )
    inside = plane.holds(plan.steps[:, 0]) & plane.holds(plan.steps[:, 1])
    ends = plan.steps[inside].reshape(-1, plan.steps.shape[2])
    solid.add_bars(ax, plane.points(ends), plan.certainty[inside], 2.4)


def add_true(ax: Axes, network: NetworkOfRun, plane: drawn.Plane, time: float) -> None:
    """Outlines of the true obstacles at a time [s] where the plane cuts them.

    The arm does not know them.
    """
    solids = build_obstacles(network.run.world)[network.run.standing(time)]
    if not network.of_places or not len(solids):
        return
    left, right, low, high = plane.extent(network.near.shape)
    x, y = np.meshgrid(np.linspace(left, right, 300), np.linspace(low, high, 300))
    points = np.tile(np.array(network.run.world.map.origin), (x.size, 1))
    for axis, c in enumerate(plane.cell):
        points[:, axis] = network.origin[axis] + network.spacing[axis] * c
    points[:, plane.axes[0]] = x.ravel()
    points[:, plane.axes[1]] = y.ravel()
    rows = np.column_stack([points, points, np.zeros(len(points))])
    depth = capsule_distance(rows, solids).min(axis=1).reshape(x.shape)
    if depth.min() < 0.0 < depth.max():
        ax.contour(
            x,
            y,
            depth,
            levels=[0.0],
            colors=[COLOURS.true],
            linewidths=0.7,
            linestyles=[(0, (1, 1))],
            zorder=2.6,
        )


def _frame(ax: Axes, network: NetworkOfRun, plane: drawn.Plane) -> None:
    left, right, low, high = plane.extent(network.near.shape)
    ax.set(xlim=(left, right), ylim=(low, high), aspect="equal" if network.of_places else "auto")
    ax.locator_params(nbins=3)
    for spine in ax.spines.values():
        spine.set_visible(True)


def _name(network: NetworkOfRun, axis: int) -> str:
    return f"{'xyz'[axis]} (m)" if network.of_places else f"joint {axis + 1} (rad)"


def _draw_shadows(
    figure: Figure,
    axes: list[Axes],
    network: NetworkOfRun,
    chosen: list[int],
    planes: list[drawn.Plane],
) -> None:
    """How much deeper, or less deep, each cell lies since the plan before."""
    grids = [network.change(k) for k in chosen]
    seen = np.concatenate(
        [g[np.isfinite(g)] for g in (p.of(g) for p, g in zip(planes, grids, strict=True))]
    )
    most, fewer = max(float(np.abs(seen).max(initial=0.0)), 0.1), bool((seen < -_NO_CHANGE).any())
    for ax, k, plane, grid in zip(axes, chosen, planes, grids, strict=True):
        ax.set_facecolor(drawn.DARK)
        image = ax.imshow(
            np.ma.masked_invalid(plane.of(grid).T), cmap=_BOTH if fewer else _MORE, vmin=-most * fewer, vmax=most,
            origin="lower", extent=plane.extent(grid.shape), interpolation="none", zorder=0.5,
        )  # fmt: skip
        _frame(ax, network, plane)
        cell = network.plans[k].cell
        if cell is not None and network.of_places and plane.holds(np.array([cell]))[0]:
            ax.plot(*plane.points(np.array([cell]))[0], "s", color=COLOURS.true, ms=3.2, zorder=3)
        ax.set_title(network.since(k), pad=2)
        ax.tick_params(labelleft=False, labelbottom=False)
    columns = panels_across(max(len(axes) + 1, 3), PAGE)
    tall = 14 * _rows(axes, columns)
    figure.colorbar(image, ax=axes, label=_change_label(network), aspect=tall, pad=0.01)


def _change_label(network: NetworkOfRun) -> str:
    return rf"change of {drawn.DEPTH_LABEL}" if network.sums else "more steps"


def _draw_strip(ax: Axes, network: NetworkOfRun, chosen: list[int]) -> None:
    """The depth along the chosen paths, from their beginnings to the goal.

    It stands beside the steps that are left.
    """
    longest = 0
    for shade, k in zip(np.linspace(0.35, 1.0, len(chosen)), chosen, strict=True):
        path = network.paths[k]
        if not len(path):
            continue
        depths = network.depth(k)[tuple(path.T)]
        depths = np.where(np.isfinite(depths), depths, np.nan)
        style = _DASHES if network.by[k] == _AGAINST else "-"
        label = after_touch(network.number[k])
        before_goal = np.arange(len(path)) - len(path) + 1
        ax.plot(before_goal, depths, ls=style, marker=".", ms=3, color=COLOURS.planned, alpha=shade,
                label=label)  # fmt: skip
        longest = max(longest, len(path) - 1)
    ax.set_xlabel("steps of the path, up to the goal at 0")
    ax.locator_params(axis="x", integer=True)
    ax.set_ylabel(network.label if network.near.uniform else "shortest steps")
    if ax.lines:
        ax.plot(
            [-longest, 0], [longest, 0], color=COLOURS.ink, ls=":", lw=1.0, label=_LEFT, zorder=1
        )
        if sheet_width(PAGE) < _NARROW:
            ax.legend(loc="lower left", ncols=2, bbox_to_anchor=(0.0, 1.0), borderaxespad=0.1)
        else:
            ax.legend(loc="lower left", ncols=5)


def _handles(network: NetworkOfRun) -> list[Artist]:
    handles: list[Artist] = list(drawn.path_handles("from here"))
    if not network.has_arrows:
        del handles[1]
    if network.of_places and len(network.plans) > 1:
        handles += [
            Patch(color=COLOURS.felt, lw=0, label="felt"),
            Patch(color=COLOURS.true, lw=0, label="last mark"),
        ]
    if network.of_places and len(build_obstacles(network.run.world)):
        handles.append(
            Line2D([], [], color=COLOURS.true, lw=0.8, ls=(0, (1, 1)), label="true obstacle")
        )
    if _AGAINST in network.by[network.chosen()]:
        handles.append(
            Line2D([], [], color=COLOURS.planned, ls=_DASHES, label="against beliefs: no climb")
        )
    return handles
