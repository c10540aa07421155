"""Every arm, engine and pair of estimator and detector where nothing is in the way: nothing may be felt."""

import itertools
import random
from pathlib import Path

from dynamics import list_arms
from hopfield_nav import load_world, simulate
from hopfield_nav.plugin import method_names
from torturing.trials import Trials

ENGINES = ("internal", "mujoco", "flexible")
DEFAULT = ("momentum_observer", "adaptive_joint_torque")
_SEVEN_JOINTS = {"panda": ("panda", ["obstacles=[]", "known=[]"])}  # an empty world for its joints

Case = tuple[str, str, str, str]  # arm, engine, estimator, detector


def cases() -> list[Case]:
    """All of them in a fixed order, the default methods first, so that a few trials are of many kinds."""
    pairs = itertools.product(method_names("estimator"), method_names("detector"))
    others = [pair for pair in pairs if pair != DEFAULT]
    first = [(*where, *DEFAULT) for where in itertools.product(list_arms(), ENGINES)]
    rest = [(*where, *pair) for where in itertools.product(list_arms(), ENGINES) for pair in others]
    random.Random(0).shuffle(rest)
    return first + rest


def empty_worlds(place: Path, count: int, first: int, limit: float) -> Trials:
    """Runs in which nothing can be touched; an alarm or a goal not reached breaks a trial."""
    for case in cases()[first : first + count]:
        yield f"empty world of {', '.join(case)}", lambda case=case: _run(*case)


def _run(arm: str, engine: str, estimator: str, detector: str) -> None:
    name, changes = _SEVEN_JOINTS.get(arm, ("empty", [f"arm={arm}"]))
    methods = [f"detection.estimator={estimator}", f"detection.measure={detector}"]
    sensor = ["sensors.wrench={}"] if estimator == "wrist_sensor" else []
    world = load_world(
        name, [*changes, f"plant.engine={engine}", *methods, *sensor, "record.signals=none"]
    )
    summary = simulate(world).summary
    alarms = summary["collision_count"] + summary["graze_count"]
    assert alarms == 0, f"{alarms} alarms with nothing to touch"
    assert summary["outcome"] == "reached", summary["reason"]
