"""The arms of a world: the one that moves, and the one that its control computer believes in."""

import numpy as np
from numpy.typing import ArrayLike

from dynamics import Arm, BadInput, load_arm, load_named_arm, with_dynamics, with_payload
from dynamics.link_bodies import massless, require_masses
from hopfield_nav.world import World, gives_rotors


def build_arm(world: World) -> Arm:
    """The world's arm with its gravity, tool frame and payload."""
    return _loaded(world.bare_arm()._replace(gravity=np.array(world.gravity)), world)


def _loaded(arm: Arm, world: World) -> Arm:
    """``arm`` with the world's payload at its tool."""
    payload = world.tool.payload
    if payload.mass == 0.0 and not np.any(payload.inertia):
        return arm
    try:
        return with_payload(
            arm, payload.mass, np.array(payload.center_of_mass), np.array(payload.inertia)
        )
    except BadInput as error:
        raise error.at("tool.payload.inertia") from None


def true_arm(world: World, arm: Arm) -> Arm:
    """The arm that moves: ``arm`` with the dynamics and the joint friction of the world's plant."""
    name = world.plant.dynamics
    if name is not None:
        arm = _loaded(with_dynamics(arm, load_arm(name, world.folder)), world)
    return with_friction(world, arm)


def refuse_massless(world: World, arm: Arm, model: bool = False) -> None:
    """Refuse an arm that torques cannot move.

    It is the world's arm, or with ``model`` that in which the control computer believes.

    Raises ``BadInput``: a joint has no mass to move.
    """
    if not massless(arm):
        return
    key = "controller.model" if model else "plant.dynamics"
    given = world.controller.model if model else world.plant.dynamics
    try:
        named = load_named_arm(given or world.arm, world.folder)
        require_masses(arm, named.links)
    except BadInput as error:
        raise error.at(key if given else "arm") from None


def build_model(world: World, arm: Arm, loaded: bool = True) -> Arm:
    """The arm as the control computer believes it to be.

    Where its file says no rotors and the engine gives the plant some, it has those of elastic
    joints. ``loaded``: with the payload, if the computer knows it.
    """
    error = world.controller.model_error
    name = world.controller.model or world.arm
    model = with_dynamics(arm, load_arm(name, world.folder))
    mass_scale = _of_each_joint(arm, error.mass_scale)
    model = model._replace(
        mass=mass_scale * model.mass, inertia=mass_scale[:, None, None] * model.inertia
    )
    if error.payload == "known" and loaded:
        model = _loaded(model, world)
    plant = true_arm(world, arm)
    if not np.any(model.rotor_inertia) and gives_rotors(world):
        from dynamics.flexible_joint import flexible_joints

        model = model._replace(rotor_inertia=flexible_joints(plant).rotor_inertia)
    # The Stribeck speed, in the last column, is no torque and is not scaled.
    friction = plant.friction.copy()
    friction[:, :3] *= _of_each_joint(arm, error.friction_scale)[:, None]
    presliding = plant.presliding * np.asarray(error.presliding_scale)
    return model._replace(friction=friction, presliding=presliding)


def with_friction(world: World, arm: Arm) -> Arm:
    """``arm`` with the joint friction of the world's plant.

    That is none, the arm's own, or given values.
    """
    arm = arm._replace(presliding=_presliding(world, arm))
    given = world.plant.friction
    if given == "arm":
        return arm
    if given is None:
        return arm._replace(friction=np.zeros_like(arm.friction))
    breakaway = given.coulomb if given.breakaway is None else given.breakaway
    columns = (given.coulomb, given.viscous, breakaway, given.stribeck_speed)
    friction = np.column_stack([_of_each_joint(arm, column) for column in columns])
    return arm._replace(friction=friction)


def _presliding(world: World, arm: Arm) -> np.ndarray:
    """(n,) stiffness of the gears before they slip [N·m/rad]; infinite where they stick."""
    given = world.plant.presliding
    if given == "ideal":
        return _of_each_joint(arm, np.inf)
    if given is not None:
        return _of_each_joint(arm, given)
    if world.plant.friction == "arm":
        return _of_each_joint(arm, arm.presliding)
    return _of_each_joint(arm, np.inf)


def _of_each_joint(arm: Arm, value: ArrayLike) -> np.ndarray:
    """(n,) one number for all joints, or one for each, as an array of its own."""
    return np.zeros(len(arm.dh)) + np.asarray(value)
