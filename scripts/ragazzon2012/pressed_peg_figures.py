"""Figure and table of docs/lab/pressed_peg.md."""

from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from measured_part import table
from reproduction import picture, pictures_of

from hopfield_nav.figures import COLOURS, PAGE
from ragazzon2012 import pressed_peg as peg

SENSORS = {False: "exact", True: "real"}
WRONG = {"20 % too low": 0.8, "20 % too high": 1.2}
CASES = {
    "no rotors, no friction": peg.LIGHT,
    "rotors, no friction": peg.FULL,
    "friction known, slid around": peg.RUBBING,
    **{
        f"friction {k}, slid around": peg.RUBBING._replace(friction_scale=v)
        for k, v in WRONG.items()
    },
    "friction known, slid radially": peg.TURNING,
    **{
        f"friction {k}, slid radially": peg.TURNING._replace(friction_scale=v)
        for k, v in WRONG.items()
    },
}
LOOKS = {  # of the cases that are drawn
    "no rotors, no friction": ("o", COLOURS.start),
    "rotors, no friction": ("s", COLOURS.felt),
    "friction known, slid around": ("^", COLOURS.goal),
    "friction known, slid radially": ("v", COLOURS.planned),
    "friction 20 % too low, slid radially": ("D", COLOURS.travelled),
}


def draw(folder: Path) -> list[Path]:
    """Write the figure and the table; returns their paths."""
    page = folder / "pressed_peg_table.md"
    figures = pictures_of(__name__)(folder)
    page.write_text(peg_table() + "\n", encoding="utf-8")
    return [*figures, page]


@picture("pressed_peg", PAGE, 0.7 * PAGE, 2, 2)
def peg_figure(figure: Figure, axes: np.ndarray) -> None:
    """Force and estimate over time without and with friction; the joints' share; error by force."""
    real = [case._replace(real=True) for case in (peg.FULL, peg.RUBBING)]
    _forces(axes[0, 0], real[0], "rotors, no friction")
    _forces(axes[0, 1], real[1], "friction known, slid around")
    axes[0, 0].legend(ncols=2, loc="lower left")
    _joints(axes[1, 0], real[1])
    _errors(axes[1, 1])


def _forces(ax: Axes, case: peg.Case, title: str) -> None:
    """Vertical force, and the one along x, below 1 Hz."""
    time, force, estimate = peg.slow(case, "momentum_observer", "force", "force_estimate")
    chosen = peg.during(time, "all")
    for axis, dash in ((2, "-"), (0, (0, (1, 1.5)))):
        name = "xyz"[axis]
        # seen where the estimate lies on it
        broad = {"color": COLOURS.obstacle, "lw": 2.6, "ls": dash}
        ax.plot(time[chosen], force[chosen, axis], label=f"true $F_{name}$", **broad)
        ax.plot(
            time[chosen],
            estimate[chosen, axis],
            ls=dash,
            color=COLOURS.felt,
            label=rf"$\hat F_{name}$",
        )
    ax.set(
        xlabel="time [s]",
        ylabel="force below 1 Hz [N]",
        title=title,
        ylim=(-45, 60),
        xlim=(1.5, 14.5),
    )


def _joints(ax: Axes, case: peg.Case) -> None:
    """Friction that the model does not know of and the observer's error, joints 2 and 3."""
    time, missing, wrong = peg.unmodelled_friction(case)
    chosen = peg.during(time, "all")
    for joint, colour in ((1, COLOURS.goal), (2, COLOURS.start)):
        ax.plot(time[chosen], wrong[chosen, joint], color=colour, label=f"error, joint {joint + 1}")
        words = "friction believed less true" if joint == 2 else None
        ax.plot(
            time[chosen], missing[chosen, joint], ":", color=COLOURS.ink, linewidth=1.3, label=words
        )
    ax.set(xlabel="time [s]", ylabel="torque below 1 Hz [N·m]", title="friction known, slid around")
    ax.set(xlim=(1.5, 14.5), ylim=(-9, 14))
    ax.legend(loc="upper left", ncols=2)


def _errors(ax: Axes) -> None:
    """Rms error by pressing force; filled: momentum observer, open: joint error."""
    for name, (mark, colour) in LOOKS.items():
        for estimator, fill in zip(peg.ESTIMATORS, ("none", colour), strict=True):
            cases = [CASES[name]._replace(real=True, force=f) for f in peg.FORCES]
            found = [peg.error(case, estimator, "slide").rms for case in cases]
            label = name if fill != "none" else None
            ax.plot(
                peg.FORCES,
                found,
                mark + "-",
                color=colour,
                mfc=fill,
                markersize=4,
                linewidth=0.6,
                label=label,
            )
    ax.set(
        xlabel="wanted pressing force [N]",
        ylabel="rms force error below 1 Hz [N]",
        xscale="log",
        yscale="log",
    )
    ax.set(title="sliding; open: joint_error, filled: momentum_observer", ylim=(3e-3, 100))
    ax.set_yticks((1e-2, 1e-1, 1, 10, 100), ["0.01", "0.1", "1", "10", "100"])
    ax.set_xticks(peg.FORCES, [f"{f:g}" for f in peg.FORCES])
    ax.minorticks_off()
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=2)


def peg_table() -> str:
    """Markdown: a row a case, the range over the four forces."""
    head = [
        "arm",
        "sensors",
        "estimator",
        "rms at rest [N]",
        "rms sliding [N]",
        "bias [N]",
        "direction [°]",
    ]
    cases = product(CASES.items(), SENSORS, peg.ESTIMATORS)
    return table(
        head, [_line(name, case._replace(real=real), by) for (name, case), real, by in cases]
    )


def _line(name: str, case: peg.Case, estimator: str) -> list[str]:
    cases = [case._replace(force=f) for f in peg.FORCES]
    columns = [[peg.error(c, estimator, phase).rms for c in cases] for phase in ("rest", "slide")]
    whole = [peg.error(c, estimator) for c in cases]
    columns.append([float(np.linalg.norm(e.bias)) for e in whole])
    columns.append([e.angle for e in whole])
    return [name, SENSORS[case.real], f"`{estimator}`", *map(_span, columns)]


def _span(values: list[float]) -> str:
    low, high = (f"{v:.2g}" if v < 10 else f"{v:.0f}" for v in (min(values), max(values)))
    return low if low == high else f"{low}–{high}"
