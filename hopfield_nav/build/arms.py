"""The arms of a world: the one that moves, and the one that its control computer believes in."""

import numpy as np

from dynamics import Arm, BadInput, load_arm, load_named_arm, with_dynamics, with_payload
from dynamics.link_bodies import massless, require_masses
from hopfield_nav.world import World, gives_rotors


def build_arm(world: World) -> Arm:
    """The world's arm with its gravity, tool frame and payload."""
    return _loaded(world.bare_arm()._replace(gravity=np.array(world.gravity)), world)


def _loaded(arm: Arm, world: World) -> Arm:
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
    return with_friction(
        world,
        arm if name is None else _loaded(with_dynamics(arm, load_arm(name, world.folder)), world),
    )


def refuse_massless(world: World, arm: Arm, model: bool = False) -> None:
    """Raise ``BadInput`` where torques cannot move the world's arm, or with ``model`` the control computer's."""
    key = "controller.model" if model else "plant.dynamics"
    given = world.controller.model if model else world.plant.dynamics
    if massless(arm):
        try:
            require_masses(arm, load_named_arm(given or world.arm, world.folder).links)
        except BadInput as error:
            raise error.at(key if given else "arm") from None


def build_model(world: World, arm: Arm, loaded: bool = True) -> Arm:
    """The arm as the controller believes it to be; a file without rotors gets those of elastic joints."""
    error, name = world.controller.model_error, world.controller.model or world.arm
    model = with_dynamics(arm, load_arm(name, world.folder))
    scale = np.zeros(len(arm.dh)) + np.asarray(error.mass_scale)
    model = model._replace(mass=scale * model.mass, inertia=scale[:, None, None] * model.inertia)
    if error.payload == "known" and loaded:
        model = _loaded(model, world)
    given = true_arm(world, arm)
    friction, gears = given.friction.copy(), given.presliding * np.asarray(error.presliding_scale)
    friction[:, :3] *= (np.zeros(len(arm.dh)) + np.asarray(error.friction_scale))[:, None]
    if not np.any(model.rotor_inertia) and gives_rotors(world):
        from dynamics.flexible_joint import flexible_joints

        model = model._replace(rotor_inertia=flexible_joints(given).rotor_inertia)
    return model._replace(friction=friction, presliding=gears)


def with_friction(world: World, arm: Arm) -> Arm:
    """``arm`` with the joint friction that the world's plant has: none, the arm's own, or given values."""
    given, gears, n = world.plant.friction, world.plant.presliding, len(arm.dh)
    ideal = gears == "ideal" or (gears is None and given != "arm")
    stiffness = np.inf if ideal else (arm.presliding if gears is None else gears)
    arm = arm._replace(presliding=np.zeros(n) + np.asarray(stiffness))
    if given == "arm":
        return arm
    if given is None:
        return arm._replace(friction=np.zeros_like(arm.friction))
    breakaway = given.coulomb if given.breakaway is None else given.breakaway
    columns = (given.coulomb, given.viscous, breakaway, given.stribeck_speed)
    return arm._replace(friction=np.column_stack([np.zeros(n) + np.asarray(c) for c in columns]))
