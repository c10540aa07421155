"""Tables of the documentation that come from a few runs, or from an arm's own numbers.

    python scripts/documentation/tables.py [PAGE...] [PAGE:PART...]

writes every part that is named below to its page and to docs/measured: some four minutes of
processor time in all, of which docs/lab/detection.md takes most.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from measured_part import table, write  # noqa: E402  (in the folder above)

from dynamics import load_arm  # noqa: E402
from hopfield_nav import load_world, simulate  # noqa: E402

DETECTED = ("ragazzon2012", "ragazzon2012_momentum")
IN_SPACE = ("over_the_wall", "shelf", "free_rotation")
PERIODS = (0.008, 0.002, 0.001)  # [s]
RATIOS = (0.5, 0.7, 1.0, 1.5, 2.0)  # damping ratios
DELAYS = {"no delay": 0, "one period": 1, "two": 2, "three": 3}


def of(name: str) -> Callable[[], str]:
    """A table of another script, ``module:function``, which is loaded when it is asked for."""
    module, _, function = name.partition(":")
    return lambda: getattr(import_module(module), function)()


def detectors() -> str:
    """The main experiment with two detectors."""
    return table(
        ["world", "time to the goal", "collisions", "largest force", "delay, median"],
        map(detector, DETECTED),
    )


def detector(world: str) -> list[str]:
    told = simulate(load_world(world), seed=0).summary
    return [
        f"`{world}`", f"{told['simulated_time_s']:.1f} s", f"{told['collision_count']}",
        f"{told['peak_contact_force_N']:.0f} N", f"{1000 * told['detection_delay_median_s']:.0f} ms",
    ]  # fmt: skip


def closed_loop() -> str:
    """The main experiment as ``hopfield-nav compare`` judges it, with two detectors and with a real arm."""
    from hopfield_nav.record import marks_score, score_run

    def told(world: str) -> dict:
        run = simulate(load_world(world), seed=0)
        return {**run.summary, **score_run(run).summary(), **marks_score(run)}

    worlds = (*DETECTED, "ragazzon2012_real")
    columns = [told(world) for world in worlds]
    lines: dict[str, Callable[[dict], str]] = {
        "time to the goal [s]": lambda t: f"{t['simulated_time_s']:.1f}",
        "collisions answered": lambda t: f"{t['collision_count']}",
        "largest contact force [N]": lambda t: f"{t['peak_contact_force_N']:.1f}",
        "delay of each contact, median, largest [ms]": lambda t: (
            f"{1e3 * t['delay_p50_s']:.0f}, {1e3 * t['delay_max_s']:.0f}"
        ),
        "missed contacts": lambda t: f"{t['missed_count']}",
        "false alarms": lambda t: f"{t['false_alarm_count']}",
        "mean distance of marks from an obstacle [mm]": lambda t: f"{1e3 * t['map_error_m']:.1f}",
        "from the goal in the end [mm]": lambda t: f"{1e3 * t['final_tool_error_m']:.1f}",
    }
    rows = [[name, *map(text, columns)] for name, text in lines.items()]
    return table(["", *(f"`{world}`" for world in worlds)], rows)


def in_space() -> str:
    """Worlds in space, touched by the tool point alone or by the whole arm."""
    rows = []
    for world in IN_SPACE:
        for bodies in ("tool", "arm"):
            told = simulate(load_world(world, [f"contact.bodies={bodies}"]), seed=0).summary
            count, grazes = (str(told[key]) for key in ("collision_count", "graze_count"))
            time = f"{told['simulated_time_s']:.0f} s"
            rows.append([f"`{world}`", f"`{bodies}`", f"`{told['outcome']}`", count, grazes, time])
    return table(
        ["world", "`contact.bodies`", "outcome", "collisions", "grazes", "simulated time"], rows
    )


def friction() -> str:
    """Coulomb and viscous friction in the joints of ``ur5_full``."""
    coulomb, viscous = load_arm("ur5_full").friction[:, :2].T
    rows = [["c [N·m]", *map(_plain, coulomb)], ["d [N·m·s/rad]", *map(_plain, viscous)]]
    return table(["joint", *map(str, range(1, 7))], rows)


def _plain(value: float) -> str:
    return f"{value:.1f}" if value >= 1 else f"{value:g}"


def sampling() -> str:
    """The largest natural frequency that a sampled law with a delay can have, by its damping ratio."""
    from hopfield_nav.experiment.sampled_loop import largest_factor

    def limits(period: float, ratio: float = 1.0) -> list[float]:
        return [largest_factor(1.0, 2.0 * ratio, delay) / period for delay in DELAYS.values()]

    products = [
        [f"limit times period, ζ = {r:g}", *(f"{limit:.3g}" for limit in limits(1.0, r))]
        for r in RATIOS
    ]
    rows = [
        [f"at {1e3 * p:g} ms, ζ = 1 [rad/s]", *(f"{limit:.0f}" for limit in limits(p))]
        for p in PERIODS
    ]
    return table(["", *DELAYS], [*products, *rows])


def base_parameters() -> str:
    """How many parameters of a UR5e its torques show."""
    from madsen2020.parametrisation import INCLINE, columns, counts

    found = counts()
    rows = [
        ["columns that are not zero, of 60", f"{columns()}", f"{columns(INCLINE)}"],
        ["base parameters", f"{found['upright']}", f"{found['incline']}"],
        [
            "base parameters with rotors",
            f"{found['upright, rotors']}",
            f"{found['incline, rotors']}",
        ],
    ]
    return table(["UR5e", "upright", "incline"], rows)


def calibration() -> str:
    """NMSE on motions that no fit has seen."""
    from madsen2020.validation import table_5

    rows = [
        [
            f"trajectory {k}", f"{line.cad:.3f}", f"{line.calibrated:.3f} N·m",
            f"{100 * line.improvement:.0f} %", f"{links.cad:.3f}",
        ]
        for k, (line, links) in enumerate(zip(table_5(), table_5(links_only=True), strict=True), 1)
    ]  # fmt: skip
    return table(["", "CAD", "calibrated", "gain", "CAD with the fitted friction"], rows)


def recorded_torques() -> str:
    """The torque that a real UR5's controller computed, less that of each parameter set, rms."""
    from recorded_runs import RUNS, residuals, sets

    def row(name: str, run: str, values: np.ndarray) -> list[str]:
        digits = 4 if values.max() < 0.1 else 2
        return [name, run, *(f"{value:.{digits}f}" for value in values)]

    own = residuals(load_arm("ur5_controller"))
    rows = [
        row("`ur5_controller`", f"`{run}`", values) for run, values in zip(RUNS, own, strict=True)
    ]
    for name, arm in sets().items():
        quoted = re.sub(r"ur5_\w+", r"`\g<0>`", name)
        rows.append(row(quoted, "worst of five", residuals(arm).max(axis=0)))
    return table(["parameter set", "run", *(f"joint {j}" for j in range(1, 7))], rows)


def whole_arm_numbers() -> str:
    """The tuned numbers of the whole arm, as their file has them."""
    text = (ROOT / "hopfield_nav/extensions/whole_arm/numbers.py").read_text(encoding="utf-8")
    comments = comments_of(text)
    rows = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign):
            continue
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        words = " ".join(comments[line] for line in lines if line in comments)
        what, _, origin = words.rpartition(" [")
        names = ast.get_source_segment(text, node.targets[0])
        rows.append([f"`{names}`", _value(text, node), what, origin.strip("]")])
    return table(["number", "value", "unit, and what it does", "from"], rows)


def comments_of(text: str) -> dict[int, str]:
    """The comments of a source by their lines."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}


def _value(text: str, node: ast.Assign) -> str:
    """What is assigned, as it is written but in one line; of several names without brackets."""
    parts = [node.value]
    if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        parts = node.value.elts
    written = (" ".join((ast.get_source_segment(text, part) or "").split()) for part in parts)
    return ", ".join(written).replace("( ", "(").replace(", )", ")")


TABLES: dict[str, dict[str, Callable[[], str]]] = {  # page: part
    "README.md": {"": detectors},
    "docs/lab/three_dimensions.md": {"": in_space},
    "docs/lab/detectors_compared.md": {"closed_loop": closed_loop},
    "docs/lab/detection.md": {
        **{name: of(f"documentation.starts:{name}") for name in ("starts", "contacts")},
        "mass_matrix": of("ragazzon2012.mass_matrix:error_table"),
    },
    "docs/lab/imperfections.md": {"friction": friction, "sampling": sampling},
    "docs/lab/pressed_peg.md": {"": of("ragazzon2012.pressed_peg_figures:peg_table")},
    "docs/lab/whole_arm.md": {"numbers": whole_arm_numbers},
    "docs/lab/identification.md": {"base_parameters": base_parameters, "calibration": calibration},
    "docs/lab/recordings.md": {"": recorded_torques},
}

if __name__ == "__main__":
    for asked in sys.argv[1:] or TABLES:
        page, _, part = asked.partition(":")
        for name in [part] if part else TABLES[page]:
            write(TABLES[page][name](), ROOT / page, name)
