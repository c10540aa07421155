"""Small worlds and arms that several tests use."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames
from dynamics.work import make_work
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.geometry import pack_primitives, tool_body, upright_cylinder
from hopfield_nav.loop import Contact, ContactLaw, make_contact
from hopfield_nav.loop.contact import TouchState, add_contact, make_touch
from hopfield_nav.record import Run
from hopfield_nav.world import World, load_world, parse_world

# nothing is felt; without a goal the arm holds its start pose
REST = "detection: {estimator: none}\n"
OMEGA = np.array([22.5, 22.5, 37.5, 60.0, 67.5, 75.0])

# in place of joint angles
TOOL_MAP = ["map={space: tool}", "contact.bodies=arm", "goal={cell: [17, 6]}"]
GOAL = "goal: {cell: [17, 6]}\n"  # that of ragazzon2012 7.1
# walls off the goal of u_trap
NO_PATH = [
    "known=["
    + ", ".join(
        f"{{cylinder: {{center: [0.4, {y}], radius: 0.08}}}}" for y in (-0.24, -0.12, 0, 0.12, 0.24)
    )
    + "]"
]

SWING = """
format: 1
description: one upright hinge with a boom of one metre; gravity has no lever
joints: [{d: 0, a: 1.0, alpha: 0, source: made up}]
links:
  - mass: 3.0
    center_of_mass: [-0.5, 0, 0]
    inertia: [[0.1, 0, 0], [0, 0.25, 0], [0, 0, 0.25]]
    source: made up
"""

PLANAR = """
format: 1
description: three upright hinges; no motion along z, no turn about x and y
joints:
  - {d: 0, a: 0.3, alpha: 0, source: made up}
  - {d: 0, a: 0.3, alpha: 0, source: made up}
  - {d: 0, a: 0.2, alpha: 0, source: made up}
links:
  - {mass: 2, center_of_mass: [-0.15, 0, 0],
     inertia: [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], source: made up}
  - {mass: 2, center_of_mass: [-0.15, 0, 0],
     inertia: [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], source: made up}
  - {mass: 1, center_of_mass: [-0.1, 0, 0],
     inertia: [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], source: made up}
"""

CONSTANT = """
from hopfield_nav.plugin import Method, Parameter


def control(model, sensed, parameters, memory, work, tau):
    for i in range(tau.size):
        tau[i] = parameters[i]
    return 0


PUSH = Method(
    kind="controller", name="push", kernel=control,
    parameters=(Parameter("torque", 0.0, -1e3, 1e3, "N·m", "on each joint", per_joint=True),),
)
"""


def world(text: str = "", folder: Path | None = None) -> World:
    """A world from the lines that matter; it feels by the joint error unless they name an estimator."""
    slow = {"estimator": "joint_error", "measure": "force_norm"}
    words = ", ".join(f"{key}: {name}" for key, name in slow.items() if f"{key}:" not in text)
    if words:
        if "detection: {" in text:
            text = text.replace("detection: {", f"detection: {{{words}, ")
        else:
            text = f"{text.rstrip()}\ndetection: {{{words}}}\n"
    return parse_world("format: 1\n" + text, folder=folder, allow_code=True)


def simulation(text: str = "", folder: Path | None = None) -> Simulation:
    """A simulation at its start."""
    return Simulation(world(text, folder))


def advance(sim: Simulation, steps: int) -> None:
    """Go on by whole steps, whatever is felt on the way answered as always."""
    sim.step(steps * sim.world.plant.step)


def push_with_force(sim: Simulation, force: tuple[float, float]) -> None:
    """Let an obstacle exert a force (fx, fy) [N] that hardly changes when the tool moves.

    The tool is 1000 km inside a cylinder with a radius of 2000 km: 1 mm changes the force by 1e-9.
    """
    far = 1e6
    size = float(np.hypot(*force))
    x, y = _tool(sim)
    center = [x - far * force[0] / size, y - far * force[1] / size]
    wall = pack_primitives([upright_cylinder(center, 2 * far)])
    law = ContactLaw(size / far, 0.0, 0.0)
    sim.plant = sim.plant._replace(contact=make_contact(law, wall, tool_body(sim.arm)))


def _tool(sim: Simulation) -> tuple[float, float]:
    from dynamics import forward_kinematics

    x, y = forward_kinematics(sim.arm, sim.state.q)[:2, 3]
    return float(x), float(y)


@kernel
def _add_contact(arm, contact, q, qd, work, torque, touch):
    update_frames(arm, q, work)
    add_contact(contact, qd, work, torque, touch)


def contact_of(
    arm: Arm, contact: Contact, q: np.ndarray, qd: np.ndarray
) -> tuple[np.ndarray, TouchState]:
    """Torque (n,) of contact [N·m], and what touches, of an arm in a state."""
    torque, touch = np.zeros(len(q)), make_touch()
    for array in touch[1:]:
        array[:] = np.nan  # whatever was there before
    touch.now.link, touch.now.pairs, touch.now.depth, touch.now.sunk = -1, -1, np.nan, np.nan
    _add_contact(arm, contact, q, qd, make_work(len(q)), torque, touch)
    return torque, touch


def numbers_of(touch: TouchState) -> np.ndarray:
    """Every number of what touches, one after the other."""
    now = touch.now
    return np.concatenate([[now.link, now.pairs, now.depth, now.sunk], *touch[1:]])


@cache
def touched_whole_arm() -> Run:
    """The first seconds of ``whole_arm``, over a map of joint angles; the arm is touched once."""
    return simulate(load_world("whole_arm", ["time_limit=9"]))
