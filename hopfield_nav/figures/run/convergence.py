"""How the network of a run settles: the largest change and the Lyapunov function, sweep by sweep.

The synchronous sweeps of (6.9) of ragazzon2012 are made anew over the map of the last plan, from zero and from where
the network of the plan before had settled.
"""

import numpy as np
from matplotlib.figure import Figure

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.network import NetworkOfRun, network_of
from hopfield_nav.figures.sheets import add_legend, labelled, new_figure
from hopfield_nav.figures.style import CENTIMETRE, COLUMN
from hopfield_nav.planning import Activation, activation, iterate
from hopfield_nav.record import Run

_MOST_SWEEPS = 20_000
_LAST_BIT = 2.0**-51  # relative change of a neuron that counts as none: from above, the last bit of some never rests
_SMALLEST = np.finfo(float).tiny
_FLOOR = 1e-17  # of the Lyapunov function above its least value


def settling(network: NetworkOfRun, k: int, start: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Settle the network of plan ``k`` sweep by sweep, from a grid of activations; None: from zero.

    Returns the largest change of any neuron in each sweep (m,), relative; in the last one none changes but in its last
    bit. And L of (6.4) with the sign of (6.5), before the first and after each sweep (m + 1,).
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
            blocked, goal, near=network.near, most_sweeps=1, function=function, start=sigma, closed=closed
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
        traces.append((f"from plan {known[-2]}'s state", COLOURS.travelled, settling(network, known[-1], before)))
    figure = new_figure(COLUMN, 8.4 * CENTIMETRE)
    upper, lower = figure.subplots(2, 1, sharex=True)
    least = min(float(values.min()) for _, _, (_, values) in traces)
    for name, colour, (change, values) in traces:
        count = len(change)
        upper.plot(np.arange(1, count + 1), change, color=colour, label=f"{name}: {count} sweeps")
        lower.plot(np.arange(count + 1), np.maximum(values - least, _FLOOR), color=colour)
    upper.set(yscale="log", ylabel="largest change of a neuron,\nrelative")
    lower.set(yscale="log", ylabel=r"$L - L_{\mathrm{min}}$", xlabel=f"sweeps over the map of plan {known[-1]}")
    return add_legend(figure, labelled(figure), 2)
