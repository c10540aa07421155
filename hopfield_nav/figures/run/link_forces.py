"""How hard each link of a run pressed, beside what the regions of a human body bear (ISO/TS 15066, table A.2)."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sheets import add_legend, new_figure
from hopfield_nav.figures.style import CENTIMETRE, PAGE
from hopfield_nav.record import BODY_REGIONS, Run, link_forces_of

_PHASES = {"peak": "peak force, transient limit (N)", "lasting": "lasting force, quasi-static limit (N)"}


def link_forces_page(run: Run) -> Figure | None:
    """A panel for peak and one for lasting forces; None for a run in which nothing was touched."""
    found = link_forces_of(run.data)
    if not found:
        return None
    figure = new_figure(PAGE, 7.6 * CENTIMETRE)
    for ax, (phase, label) in zip(figure.subplots(1, 2, sharey=True), _PHASES.items(), strict=True):
        forces = {link: force for link, each in found.items() if (force := each[f"{phase}_force_N"]) is not None}
        _draw(ax, forces, {region.name: getattr(region, phase) for region in BODY_REGIONS})
        ax.set_xlabel(label)
    handles = [
        Patch(color=COLOURS.obstacle, label="limit, kept"), Patch(color=COLOURS.goal, label="limit, exceeded"),
        Line2D([], [], color=COLOURS.true, label="largest force of a link"),
    ]  # fmt: skip
    return add_legend(figure, handles, 3)


def _draw(ax: Axes, forces: dict[str, float], limits: dict[str, float | None]) -> None:
    """Limits as bars from above, where there are any, and a line for each link."""
    worst = max(forces.values(), default=0.0)
    for row, limit in enumerate(limits.values()):
        if limit is None:
            ax.text(
                0.98, row, "no such contact allowed", transform=ax.get_yaxis_transform(), ha="right", va="center",
                color=COLOURS.excluded,
            )  # fmt: skip
        else:
            ax.barh(row, limit, height=0.7, color=COLOURS.goal if worst > limit else COLOURS.obstacle)
    for k, (link, force) in enumerate(sorted(forces.items(), key=lambda each: each[1])):
        ax.axvline(force, color=COLOURS.true)
        above = (0, 1 + 8 * (k % 2))  # so that two links beside each other can be read
        where = {"xytext": above, "xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        ax.annotate(f"link {link}", (force, 1.0), **where, ha="center", va="bottom")
    if not forces:
        ax.set_title("no contact lasted 0.5 s", loc="right", color=COLOURS.excluded)
    ax.set_yticks(range(len(limits)), list(limits))
    ax.set_ylim(len(limits) - 0.4, -0.6)
    ax.set_xlim(0.0, 1.05 * max(worst, *(limit for limit in limits.values() if limit is not None)))
