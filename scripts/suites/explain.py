"""Detections whose cause is known, and what ``explain`` says of them first, for the suite ``explain``.

Each is a motion over three random configurations whose torques come from a true arm, read with a
model that has one fault: nothing but a contact, friction, a payload, masses, or one wrong sample of
a torque.
"""

from functools import partial

import numpy as np

from dynamics import Arm, inverse_dynamics, jacobian, joint_friction_torque, load_arm
from hopfield_nav.extensions.recordings import Explanation, Signals, explain_detections, replay
from hopfield_nav.loop import quintic_trajectory, values_at
from hopfield_nav.plugin import Measures, find_method

KINDS = ("contact", "friction", "payload", "masses", "noise")
PERIOD, LEG = 0.008, 2.0  # [s]
NOISE = 0.2  # [N·m] of a measured torque
THRESHOLD = (9.0, 9.0, 7.0, 3.0, 3.0, 3.0)  # [N·m]
LOW, HIGH = (-2.0, -2.2, -2.0, -2.0, -2.0, -2.0), (2.0, -0.6, 2.0, 2.0, 2.0, 2.0)  # [rad]


def arm_of() -> Arm:
    """A UR5 with its friction, and gears that stick."""
    arm = load_arm("ur5_full")
    return arm._replace(presliding=np.full(6, np.inf))


def case(kind: str, seed: int) -> Explanation | None:
    """The first detection of a motion with one fault; None where there is none."""
    generator = np.random.default_rng([KINDS.index(kind), seed])
    model, q = arm_of(), generator.uniform(LOW, HIGH, (3, 6))
    path = quintic_trajectory(q, LEG)
    time = np.arange(0.0, 2 * LEG, PERIOD)
    q, qd, qdd = values_at(path, time)
    true = changed(model, kind, generator)
    tau = inverse_dynamics(true, q, qd, qdd) + joint_friction_torque(true, qd)
    tau += generator.normal(0.0, NOISE, tau.shape)
    if kind == "contact":
        force = generator.normal(size=3)
        force *= generator.uniform(30.0, 90.0) / np.linalg.norm(force)
        pressed = np.clip((time - generator.uniform(0.6, 3.0)) / 0.1, 0.0, 1.0)
        tau -= np.einsum("kij,i->kj", jacobian(model, q)[:, :3], force) * pressed[:, None]
    if kind == "payload":
        load = generator.uniform(1.5, 4.0)
        tau -= np.einsum("kij,i->kj", jacobian(model, q)[:, :3], load * model.gravity)
    if kind == "noise":
        joint = generator.integers(6)
        tau[generator.integers(100, len(time) - 100), joint] += 60.0 * THRESHOLD[joint]
    signals = Signals(time, q, qd, q, qd, qdd, tau)
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    found = replay(model, signals, *methods, {"threshold": list(THRESHOLD)})
    told = explain_detections(model, signals, found)
    return told[0] if told else None


def changed(model: Arm, kind: str, generator: np.random.Generator) -> Arm:
    """The arm that moves."""
    if kind == "friction":
        return model._replace(
            friction=model.friction * [[*(generator.uniform(1.5, 2.2),) * 3, 1.0]]
        )
    if kind == "masses":
        scale = generator.uniform(1.15, 1.35)
        return model._replace(mass=scale * model.mass, inertia=scale * model.inertia)
    return model


def first_answer(world, seed: int, kind: str) -> dict:
    """A row; it counts where there was a detection."""
    told = case(kind, seed)
    right = told is not None and told.causes[0].name == kind
    return {
        "outcome": "reached", "simulated_time_s": 2 * LEG, "counts": int(told is not None),
        "said": None if told is None else told.causes[0].name, "wrong": int(not right),
    }  # fmt: skip


CONTACT, FRICTION, PAYLOAD, MASSES, NOISY = (partial(first_answer, kind=kind) for kind in KINDS)
COLUMNS = {"said": "", "wrong": "1"}
MEASURES = Measures(lambda run: {name: run.summary.get(name) for name in COLUMNS}, COLUMNS)
