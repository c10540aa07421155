"""Where the experiment of chapter 7 marks its collisions, and what other ways of marking lead to."""

import numpy as np
from ledger import Rows, judged

from dynamics import forward_kinematics
from hopfield_nav.build import build_arm, endless_cylinders
from hopfield_nav.record import Run
from ragazzon2012.contact import AS_PRINTED, RIGHT
from ragazzon2012.experiment import run

BETTER = ("detection.mark=actual", "detection.back_off=along_force")
DESIRED_ARMED = (
    "detection.rearm=null",
    "detection.episodes=false",
    "time_limit=20",
    "record.signals=none",
)
ALWAYS_ARMED = ("detection.mark=actual", *DESIRED_ARMED)


def depths(recorded: Run) -> tuple[np.ndarray, np.ndarray]:
    """How deep inside the obstacles the desired and the true tool are at each detection [m]."""
    rows = recorded.data.sel(time=recorded.data.event_time, method="nearest")
    desired = forward_kinematics(build_arm(recorded.world), rows.q_ref.values)[:, :2, 3]
    return _depth(recorded, desired), _depth(recorded, recorded.data.event_position.values[:, :2])


def _depth(recorded: Run, points: np.ndarray) -> np.ndarray:
    """Depth of points (k, 2) below the surface of the nearest cylinder [m]; negative outside."""
    cylinders = endless_cylinders(recorded.world)
    return (cylinders[:, 2] - np.linalg.norm(points[:, None] - cylinders[:, :2], axis=2)).max(
        axis=1
    )


def rows() -> Rows:
    desired, actual = depths(run(AS_PRINTED))
    right, tool = depths(run(RIGHT))
    ours = f"desired position {_deep(desired)} deep (as printed), {_deep(right)} (right)"
    yield judged("ragazzon2012.marks_inside_objects", ours, bool((desired > 2e-3).any()))
    ours = f"tool {_deep(actual)} deep (as printed), {_deep(tool)} (right)"
    yield judged(
        "ragazzon2012.actual_position",
        ours,
        actual.max() < desired.max() and tool.max() < right.max(),
    )
    failed, solved, desired = (
        [run(name, *how).summary for name in (AS_PRINTED, RIGHT)]
        for how in (ALWAYS_ARMED, BETTER, DESIRED_ARMED)
    )
    ours = f"detector always armed: as printed {_told(failed[0])}; right {_told(failed[1])}"
    none = all(summary["outcome"] != "reached" for summary in failed)
    yield judged("ragazzon2012.marking_the_actual_position", ours, none)
    ours = f"as printed {_told(solved[0])}; right {_told(solved[1])}"
    yield judged(
        "ragazzon2012.other_ways", ours, all(summary["outcome"] == "reached" for summary in solved)
    )
    ours = f"detector always armed: as printed {_told(desired[0])}; right {_told(desired[1])}"
    yield judged("ragazzon2012.marking_the_desired_position", ours, None)


def _told(summary: dict) -> str:
    time, collisions = summary["simulated_time_s"], summary["collision_count"]
    return f"{summary['outcome']} after {time:.0f} s and {collisions} collisions"


def _deep(found: np.ndarray) -> str:
    low, middle, high = 1e3 * np.quantile(found, [0, 0.5, 1])
    return f"{low:.1f}–{high:.1f} mm (median {middle:.1f} mm)"
