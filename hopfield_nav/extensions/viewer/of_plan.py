"""A plan as its page shows it, from its folder."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from dynamics import Arm, BadInput
from dynamics.files import require_regular
from hopfield_nav.build import build_arm, solids_of
from hopfield_nav.extensions.clearance import Scene, build_scene, clearance, scene_of_world
from hopfield_nav.extensions.known_world import load_plan_csv, plan_rows
from hopfield_nav.extensions.viewer.arrays import curve, frame_rows, joint_panel, packed, panel
from hopfield_nav.extensions.viewer.scene_parts import describe, solid_part
from hopfield_nav.figures import COLOURS
from hopfield_nav.world import recorded_world


def describe_plan(folder: Path, command: str = "") -> dict[str, Any]:
    """Everything that the page of a plan shows, ready for JSON, from a folder of ``hopfield-nav plan``.

    ``command``, how to come back to it, is shown beside its name.

    Raises ``BadInput``: the folder is not that of a plan, or a file in it cannot be read.
    """
    require_regular(folder / "plan.json")
    try:
        facts = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput("not the folder of a plan", where=str(folder), found=str(error)) from error
    world, table = recorded_world(folder / "world.yaml"), load_plan_csv(folder / "plan.csv")
    arm = build_arm(world)
    if table.q.shape[1] != len(arm.dh):
        raise BadInput("the plan is one of another arm", where=str(folder / "plan.csv"))
    rows = frame_rows(table.time, np.zeros(0))
    return describe(
        folder.name,
        f"planned ({facts['method']}), {facts['duration_s']:.2f} s",
        arm,
        table.time[rows],
        table.q[rows],
        table.tool[rows],
        command=command,
        tool_name="tool so far",
        planned=packed(table.tool[rows]),
        solids=[solid_part(solid, True) for solid in solids_of(world.known)],
        goal=table.tool[-1].tolist(),
        panels=[
            joint_panel("joint angle", "rad", table.q, rows),
            joint_panel("joint speed", "rad/s", table.qd, rows),
            joint_panel("motor torque", "N·m", table.tau, rows),
            *_distances(arm, scene_of_world(world, world.plan.clearance), table.q[rows]),
        ],
        results=[list(row) for row in plan_rows(facts)],
        world=world.to_yaml(),
    )


def _distances(arm: Arm, scene: Scene, q: np.ndarray) -> list[dict[str, Any]]:
    """How near the arm comes to known solids and to itself.

    Nothing where there is nothing to touch.
    """
    near = {
        "known obstacles": (COLOURS.felt, clearance(arm, scene._replace(pairs=scene.pairs[:0]), q)),
        "itself": (COLOURS.planned, clearance(arm, build_scene(arm), q)),
    }
    rows = np.arange(len(q))
    curves = [
        curve(name, c, 1e3 * d, rows) for name, (c, d) in near.items() if np.isfinite(d).all()
    ]
    margin = 1e3 * float(scene.margin[0])
    limits = {"asked for": margin} if margin > 0 else {}
    return [panel("distance", "mm", curves, limits)] if curves else []
