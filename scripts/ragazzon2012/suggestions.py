"""Sections 7.3 and 8.1: what the document leaves to others, tried."""

import numpy as np
from benches import suite_module
from keeping import kept
from ledger import Rows, judged
from reproduction import listed
from verdicts import PARTLY

from dynamics import load_arm
from hopfield_nav import load_world
from hopfield_nav.record import Run
from ragazzon2012.contact import RIGHT
from ragazzon2012.experiment import run
from ragazzon2012.feeling import delays

# with thresholds that are quiet in free motion
OTHERS = {
    "momentum observer": (
        "detection.estimator=momentum_observer",
        "detection.measure=adaptive_joint_torque",
        "detection.threshold=[1, 1, 1, 0.25, 0.25, 0.25]",
    ),
    "disturbance observer": (
        "detection.estimator=disturbance_observer",
        "detection.measure=adaptive_joint_torque",
        "detection.threshold=[1, 1, 1, 0.25, 0.25, 0.25]",
    ),
    "energy": ("detection.measure=energy", "detection.threshold=0.05"),
    "q̃ and its rate": (
        "detection.measure=tracking",
        "detection.position_threshold=0.004",
        "detection.speed_threshold=0.06",
    ),
}
FIRST = "time_limit=7"  # [s], by when the arm has felt its first contact
SMOOTH = ("planner.any_angle=true", "planner.clearance=0.01")
SLID = ("u_trap", "narrow_gap", "enclosed_goal")
IN_SPACE = ("over_the_wall", "shelf", "free_rotation")
PUSHES = 300


def first_delay(name: str | None = None) -> float:
    """From the first contact of the experiment to its detection, with another detector [s]."""
    return float(delays(run(RIGHT, FIRST, *(OTHERS[name] if name else ())))[0])


def alarms_in_free_motion(name: str) -> int:
    """Alarms of another detector along the first path, nothing in the way."""
    return int(run(RIGHT, "obstacles=[]", *OTHERS[name]).summary["collision_count"])


def roughness(*overrides: str) -> float:
    """Root mean square of the reference's acceleration along the first path, nothing in the way [rad/s²]."""
    return float(np.sqrt((run(RIGHT, "obstacles=[]", *overrides).data.qdd_ref.values ** 2).mean()))


def left_share() -> tuple[float, int]:
    """Share of the felt cells that lie in the left half of the map, and how many there are."""
    recorded = run(RIGHT)
    felt = np.unique(recorded.data.event_cell.values, axis=0)
    return float(np.mean(felt[:, 0] < recorded.world.map.shape[0] / 2)), len(felt)


def slid(world: str) -> list[Run]:
    """A world replanned and slid through."""
    return [run(world, f"explore={method}") for method in ("replan", "slide")]


@kept("test_ragazzon2012_suggestions.py::test_the_whole_arm_arrives")
def whole_arm() -> list[float]:
    """Neurons of the bundled world of the whole arm, whether it arrives, touches, and median of a replan [s]."""
    recorded, shape = run("whole_arm"), load_world("whole_arm").map.shape
    told = recorded.summary
    reached = told["outcome"] == "reached"
    return [
        float(np.prod(shape)),
        float(reached),
        told["collision_count"],
        told["replan_wall_time_median_s"],
    ]


@kept("test_ragazzon2012_suggestions.py::test_which_link")
def links_found(count: int = PUSHES) -> list[float]:
    """Pushes on links 2 to 6 that some joint feels: how many, right link in the set, and right best guess."""
    pushed = suite_module("isolation_pushes")
    arm = load_arm("ur5_full")
    scores, _ = pushed.isolate_pushes(arm, pushed.random_pushes(arm, count, seed=1))
    confusion = scores.confusion[2:]
    return [int(confusion.sum()), int(scores.in_set[2:].sum()), int(np.trace(confusion[:, 2:]))]


def quicker(name: str) -> tuple[str, bool]:
    """How soon another detector feels the first contact, in words, and whether sooner and quiet in free motion."""
    delay, base, alarms = first_delay(name), first_delay(), alarms_in_free_motion(name)
    ours = f"first contact felt after {1e3 * delay:.0f} ms, by the document's method after {1e3 * base:.0f} ms"
    return f"{ours}; alarms in free motion: {alarms}", delay < base and not alarms


def rows() -> Rows:
    yield judged("ragazzon2012.quicker_momentum", *quicker("momentum observer"))
    yield judged("ragazzon2012.quicker_disturbance_observer", *quicker("disturbance observer"))
    yield judged("ragazzon2012.quicker_energy", *quicker("energy"))
    yield judged("ragazzon2012.quicker_tracking", *quicker("q̃ and its rate"))
    share, count = left_share()
    ours = f"{100 * share:.0f} % of our {count} felt cells lie there"
    yield judged("ragazzon2012.left_half", ours, None)
    zigzag, smooth = roughness(), roughness(*SMOOTH)
    reached = run(RIGHT, *SMOOTH).outcome
    ours = f"rms acceleration of the reference {zigzag:.2f} → {smooth:.2f} rad/s²; the experiment: {reached}"
    yield judged("ragazzon2012.smoother_paths", ours, smooth < zigzag and reached == "reached")
    runs = [slid(world) for world in SLID]
    times = [[one.summary["simulated_time_s"] for one in pair] for pair in runs]
    touches = [[one.summary["collision_count"] for one in pair] for pair in runs]
    ours = f"replan / slide in {', '.join(SLID)}: " + ", ".join(
        f"{listed(pair, '.0f')} s" for pair in times
    )
    ours += "; touches " + ", ".join(f"{a} / {b}" for a, b in touches)
    yield judged("ragazzon2012.sliding", ours, all(b < a for a, b in times) or PARTLY)
    outcomes = [run(world).outcome for world in IN_SPACE]
    ours = ", ".join(
        f"{world}: {outcome}" for world, outcome in zip(IN_SPACE, outcomes, strict=True)
    )
    yield judged("ragazzon2012.three_dimensions", ours, set(outcomes) == {"reached"})
    neurons, arrived, felt, replan = whole_arm()
    words = "reached" if arrived else "not reached"
    ours = (
        f"{neurons:,.0f} neurons: {words} after {felt:.0f} touches; a replan takes {replan:.1g} s †"
    )
    yield judged("ragazzon2012.six_dimensions", ours, bool(arrived))
    total, inside, best = links_found()
    ours = (
        f"of {total:.0f} pushes on links 2 to 6 the true link is in the set {inside:.0f} times, "
        f"best {best:.0f} times"
    )
    yield judged("ragazzon2012.which_link", ours, best > 0.8 * total)
