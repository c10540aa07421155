"""Figures of a run that are drawn on request alone.

``convergence``: how the network settles, the largest change and the Lyapunov function, sweep by
sweep. The synchronous sweeps of (6.9) of ragazzon2012 are made anew over the map of the last plan,
from zero and from where the network of the plan before had settled.

``link_forces``: how hard each link pressed, beside what the regions of a human body bear (ISO/TS
15066, table A.2).
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.network import NetworkOfRun, network_of
from hopfield_nav.figures.run.touches import after_touch
from hopfield_nav.figures.sheets import add_legend, labelled, new_figure
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, PAGE
from hopfield_nav.planning import Activation, activation, iterate
from hopfield_nav.record import BODY_REGIONS, Run, link_forces_of

_MOST_SWEEPS = 20_000
# relative change of a neuron that counts as none: from above, the last bit of some never rests
_LAST_BIT = 2.0**-51
_SMALLEST = np.finfo(float).tiny
_FLOOR = 1e-17  # of the Lyapunov function above its least value
_PHASES = {
    "peak": "peak force, transient limit (N)",
    "lasting": "lasting force, quasi-static limit (N)",
}


def settling(
    network: NetworkOfRun, k: int, start: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Settle the network of plan ``k`` sweep by sweep, from a grid of activations; None: from zero.

    Returns the largest change of any neuron in each sweep (m,), relative; in the last one none
    changes but in its last bit. And L of (6.4) with the sign of (6.5), before the first and after
    each sweep (m + 1,).
    """
    logs, planner = network.run.data.activation.values[k], network.run.world.planner
    assert network.beta is not None
    function = activation(planner.activation, network.beta)
    blocked, goal = ~np.isfinite(logs), tuple(np.argwhere(logs == logs.max())[0].tolist())
    closed = network.plans[k].steps
    sigma = np.zeros(logs.shape) if start is None else np.where(blocked, 0.0, start)
    sigma[goal] = 1.0
    changes, values, moves = list[float](), [_lyapunov(network, sigma, function)], True
    while moves and len(changes) < _MOST_SWEEPS:
        after, _ = iterate(
            blocked,
            goal,
            near=network.near,
            most_sweeps=1,
            function=function,
            start=sigma,
            closed=closed,
        )
        step = np.abs(after - sigma) / np.maximum(np.maximum(after, sigma), _SMALLEST)
        changes.append(float(step.max()))
        moves = changes[-1] > _LAST_BIT
        values.append(_lyapunov(network, after, function))
        sigma = after
    return np.array(changes), np.array(values)


def _lyapunov(network: NetworkOfRun, sigma: np.ndarray, function: Activation) -> float:
    flat = np.append(sigma.ravel(), 0.0)
    pairs = float(flat[:-1] @ flat[network.near.plain.table].sum(axis=1))
    return float(function.integral(sigma).sum()) - 0.5 * pairs


def convergence_page(run: Run) -> Figure | None:
    """Two panels over sweeps; None for a run without a network "sum" in its record."""
    network = network_of(run)
    if network is None or not network.sums:
        return None
    known = network.known
    traces = [("from zero", COLOURS.felt, settling(network, known[-1], None))]
    if len(known) > 1:
        before = np.exp(run.data.activation.values[known[-2]])
        traces.append(
            (
                f"from the state {after_touch(network.number[known[-2]])}",
                COLOURS.travelled,
                settling(network, known[-1], before),
            )
        )
    figure = new_figure(COLUMN, 8.4 * CENTIMETRE)
    upper, lower = figure.subplots(2, 1, sharex=True)
    least = min(float(values.min()) for _, _, (_, values) in traces)
    for name, colour, (change, values) in traces:
        count = len(change)
        upper.plot(np.arange(1, count + 1), change, color=colour, label=f"{name}: {count} sweeps")
        lower.plot(np.arange(count + 1), np.maximum(values - least, _FLOOR), color=colour)
    upper.set(yscale="log", ylabel="largest change of a neuron,\nrelative")
    lower.set(
        yscale="log",
        ylabel=r"$L - L_{\mathrm{min}}$",
        xlabel=f"sweeps over the map {after_touch(network.number[known[-1]])}",
    )
    return add_legend(figure, labelled(figure), 2)


def link_forces_page(run: Run) -> Figure | None:
    """A panel for peak and one for lasting forces; None for a run in which nothing was touched."""
    found = link_forces_of(run.data)
    if not found:
        return None
    figure = new_figure(PAGE, 7.6 * CENTIMETRE)
    for ax, (phase, label) in zip(figure.subplots(1, 2, sharey=True), _PHASES.items(), strict=True):
        forces = {
            link: force
            for link, each in found.items()
            if (force := each[f"{phase}_force_N"]) is not None
        }
        _draw_limits(ax, forces, {region.name: getattr(region, phase) for region in BODY_REGIONS})
        ax.set_xlabel(label)
    handles = [
        Patch(color=COLOURS.obstacle, label="limit, kept"), Patch(color=COLOURS.goal, label="limit, exceeded"),
        Line2D([], [], color=COLOURS.true, label="largest force of a link"),
    ]  # fmt: skip
    return add_legend(figure, handles, 3)


def _draw_limits(ax: Axes, forces: dict[str, float], limits: dict[str, float | None]) -> None:
    """Limits as bars from above, where there are any, and a line for each link."""
    worst = max(forces.values(), default=0.0)
    for row, limit in enumerate(limits.values()):
        if limit is None:
            ax.text(
                0.98, row, "no such contact allowed", transform=ax.get_yaxis_transform(), ha="right", va="center",
                color=COLOURS.excluded,
            )  # fmt: skip
        else:
            ax.barh(
                row, limit, height=0.7, color=COLOURS.goal if worst > limit else COLOURS.obstacle
            )
    for k, (link, force) in enumerate(sorted(forces.items(), key=lambda each: each[1])):
        ax.axvline(force, color=COLOURS.true)
        above = (0, 1 + 8 * (k % 2))  # so that two links beside each other can be read
        where = {
            "xytext": above,
            "xycoords": ("data", "axes fraction"),
            "textcoords": "offset points",
        }
        ax.annotate(f"link {link}", (force, 1.0), **where, ha="center", va="bottom")
    if not forces:
        ax.set_title("no contact lasted 0.5 s", loc="right", color=COLOURS.excluded)
    ax.set_yticks(range(len(limits)), list(limits))
    ax.set_ylim(len(limits) - 0.4, -0.6)
    ax.set_xlim(0.0, 1.05 * max(worst, *(limit for limit in limits.values() if limit is not None)))
