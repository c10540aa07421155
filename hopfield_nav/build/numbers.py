"""A world as numbers: its arms, true and believed; its methods; and its obstacles, as solids and as kernels read them.

Of obstacles the worlds are resolved: random cylinders have been drawn. Unknown ones come first,
then known ones.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, load_arm, load_named_arm, with_dynamics, with_payload
from dynamics.link_bodies import massless, require_masses
from hopfield_nav.plugin import Method
from hopfield_nav.world import Cylinder, KnownObstacle, Solid, World, packed


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
    if world.plant.engine == "flexible" and not np.any(model.rotor_inertia):
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


class Methods(NamedTuple):
    """The three methods that the world chose."""

    law: Method
    estimator: Method
    detector: Method


def find_methods(world: World) -> Methods:
    """The control law, estimator and detector of a world.

    Raises ``BadInput``: one is a Python file that may not be executed.
    """
    find, folder = world.trust.find, world.folder
    return Methods(
        find("controller", world.controller.law, folder),
        find("estimator", world.detection.estimator, folder),
        find("detector", world.detection.measure, folder),
    )


def all_solids(world: World) -> list[Solid]:
    """Every obstacle of a resolved world: unknown ones, then known ones.

    Raises ``BadInput``: some are not drawn yet.
    """
    if any(obstacle.random_cylinders or obstacle.random_scene for obstacle in world.obstacles):
        raise BadInput(
            "random obstacles are not drawn yet",
            where="obstacles",
            allowed="a world after resolve(seed)",
        )
    return solids_of((*world.obstacles, *world.known))


def standing_times(
    world: World, late: Mapping[str, float | None] = MappingProxyType({})
) -> np.ndarray:
    """From when until when each solid of ``all_solids`` stands, (m, 2) [s].

    ``late`` says when those came that had to wait, by their numbers; None: never.
    """
    unknown = [obstacle.times for obstacle in world.obstacles for _ in obstacle.solids]
    times = np.array([*unknown, *[(0.0, np.inf)] * len(solids_of(world.known))]).reshape(-1, 2)
    for number, came in late.items():
        times[int(number), 0] = np.inf if came is None else came
    return times


def stands_at(times: np.ndarray, time: float) -> np.ndarray:
    """Which of the solids with ``standing_times`` (m, 2) stand at a time [s]: (m,) bool."""
    return (times[:, 0] <= time) & (time < times[:, 1])


def solids_of(obstacles: Iterable[KnownObstacle]) -> list[Solid]:
    """The solids that entries of ``obstacles`` or ``known`` hold or stand for, in their order."""
    return [solid for obstacle in obstacles for solid in obstacle.solids]


def names_of(obstacles: Iterable[KnownObstacle]) -> list[str | None]:
    """The name of the entry of every solid of ``solids_of``; None where it has none."""
    return [obstacle.name for obstacle in obstacles for _ in obstacle.solids]


def build_obstacles(world: World) -> np.ndarray:
    """Every obstacle of a resolved world, packed: (m, 17)."""
    return packed(all_solids(world))


def endless_cylinders(world: World) -> np.ndarray:
    """Centre x, y and radius [m] of the upright cylinders without end, (m, 3)."""
    rows = [
        (*s.center, s.radius)
        for s in all_solids(world)
        if isinstance(s, Cylinder) and s.height is None
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)
