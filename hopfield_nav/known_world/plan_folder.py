"""What a plan leaves behind: a folder with the world, its numbers, the trajectory and a robot program."""

from __future__ import annotations

import json
from pathlib import Path

from dynamics.whole_file import write_whole
from hopfield_nav.known_world.plan_file import write_plan_csv
from hopfield_nav.known_world.planned import Planned, facts
from hopfield_nav.known_world.urscript import urscript


def save_plan(planned: Planned, folder: Path, motion: str = "servoj") -> None:
    """Write ``world.yaml``, ``plan.json``, ``plan.csv`` and, for six joints, ``plan.script``.

    Args:
        planned: with a trajectory.
        folder: made where there is none.
        motion: of the program, see ``urscript``.

    Raises:
        BadInput: a motion that does not suit the way.
    """
    assert planned.trajectory is not None
    assert planned.plan.way is not None
    six = len(planned.arm.dh) == 6  # URScript knows no others
    text = (
        urscript(planned.arm, planned.plan.way, planned.trajectory, motion, planned.world.name) if six else ""
    )
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "world.yaml", planned.world.to_yaml(folder))
    write_whole(folder / "plan.json", json.dumps(facts(planned), indent=2, ensure_ascii=False) + "\n")
    write_plan_csv(planned.arm, planned.trajectory, folder / "plan.csv")
    if text:
        write_whole(folder / "plan.script", text)
