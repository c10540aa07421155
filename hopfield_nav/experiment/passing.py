"""Obstacles that the tool may go through: too soft, too thin, or met too fast.

Contact pushes the tool out to the nearer side, so an obstacle can push back with no more than
stiffness times half its thickness: beyond its middle it pushes the tool on. Where two overlap they
push back with less, which is not looked at: whether a tool passed between them, the run says in the
end. What an obstacle may have to hold against is estimated along the first path, as if the tool met
it head-on:

- the force at which a collision is **felt**. A threshold in newtons is that force. One in
  newton-metres is divided by the lever of the joint that shows the force best; what the detector
  allows a wrong model is added to it (its mass_error, friction_error and stiction_share, of the arm
  at rest). Of a detector without such a threshold nothing is known, and nothing is added. It counts
  twice: until the reference has turned back the force grows on (measured: to 380 N with a threshold
  of 200 N, to 22 N with one of 12 N); but the motors press with no more than their limits allow.
- the force of the **impact**: with speed v and the mass m that the tool shows in its own direction
  it is v sqrt(stiffness m) where nothing but the stiffness stops it.

In one integrator step the tool must not go further than half the thickness either. And a force
above what the motors can press with, none beyond its limit, is never felt, except in an impact.
"""

from collections.abc import Iterator

import numpy as np

from dynamics import Arm, gravity_torque, jacobian, mass_matrix
from hopfield_nav.build import find_methods, solids_of
from hopfield_nav.geometry import LINK, RADIUS, thickness
from hopfield_nav.loop import Plant, Trajectory, sample
from hopfield_nav.world import World

_PLACES = 60  # of the path at which forces are estimated
_MOMENTS_A_PIECE = 8  # moments looked at on each piece of the trajectory
_GROWS = 2.0  # times the force at which a collision is felt that it grows to
_FORCE = ("N", "N and N·m")  # units of a threshold that a force on the tool meets as it is
_MOVING = 0.1  # share of the largest speed below which the tool's direction says nothing


def warn_of_passing(world: World, plant: Plant, trajectory: Trajectory | None) -> Iterator[str]:
    """At most a sentence each on soft obstacles, on the step, and on the threshold.

    Unknown obstacles may be too soft to stop the tool. A run that ends before it begins has no
    trajectory.
    """
    solids, law = plant.contact.solids[: len(world.obstacles)], plant.contact.law
    if trajectory is None or len(solids) == 0:
        return
    q, velocity = _fast_places(plant.arm, trajectory)
    if len(q) == 0:
        return
    speed = np.linalg.norm(velocity, axis=1)
    along = velocity / speed[:, None]
    lever = np.einsum("kin,ki->kn", jacobian(plant.arm, q)[:, :3], along)
    inverse = np.linalg.inv(mass_matrix(plant.arm, q))
    mass = 1.0 / np.einsum("ki,kij,kj->k", lever, inverse, lever)
    impact = (speed * np.sqrt(law.stiffness * mass)).max()
    felt, pressed = _felt(world, plant.arm, q, lever), _pressed(world, plant.arm, q, lever)
    moving = plant.contact.bodies[plant.contact.bodies[:, LINK] > 0, RADIUS]
    half = 0.5 * thickness(solids) + moving.min(initial=np.inf)
    needed = impact + (0.0 if felt is None else np.minimum(_GROWS * felt, pressed).max())
    soft = int(np.count_nonzero(law.stiffness * half < needed))
    if soft:
        known = "" if felt is None else f"a collision is felt at up to {felt.max():.3g} N, "
        yield (
            f"{_name(world, half.argmin(), soft)} pushes back with {law.stiffness * half.min():.3g} N at most"
            f" and may have to hold {needed:.3g} N ({known}the impact at {speed.max():.2g} m/s is up "
            f"to {impact:.3g} N): the tool may go through; give more contact.stiffness or thickness, less "
            "speed or threshold"
        )
    stride = speed.max() * world.plant.step
    thin = int(np.count_nonzero(half <= stride))
    if thin:
        yield (
            f"in one step of {world.plant.step:g} s the tool moves {1e3 * stride:.2g} mm, which is more than "
            f"half of {_name(world, half.argmin(), thin)}; give a smaller plant.step"
        )
    if felt is not None and not np.any(felt < pressed):
        best = np.argmin(felt - pressed)
        yield (
            f"a collision is felt from {felt[best]:.3g} N on, but the motors press with {pressed[best]:.3g} N at "
            "most: nothing but an impact will be felt; give a smaller detection.threshold"
        )


def _fast_places(arm: Arm, trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Joint angles (k, n) [rad] and tool velocities (k, 3) [m/s] at moments of a trajectory.

    They are spread over the time in which the tool moves, and that at which it is fastest is among
    them. For an arm at rest k is 0.
    """
    _, q, qd, _ = sample(trajectory, _MOMENTS_A_PIECE)
    velocity = np.einsum("kin,kn->ki", jacobian(arm, q)[:, :3], qd)
    speed = np.linalg.norm(velocity, axis=1)
    moving = np.flatnonzero((speed > _MOVING * speed.max()) & (speed > 0.0))
    if len(moving) == 0:
        return q[:0], velocity[:0]
    count = min(_PLACES, len(moving))
    spread = moving[np.linspace(0, len(moving) - 1, count).astype(int)]
    places = np.unique([*spread, speed.argmax()])
    return q[places], velocity[places]


def _felt(world: World, arm: Arm, q: np.ndarray, lever: np.ndarray) -> np.ndarray | None:
    """Force along the motion at which a collision is felt at each place (k,) [N].

    None: not known.
    """
    units = {p.name: p.unit for p in find_methods(world).detector.parameters}
    values, unit = world.detection.parameters, units.get("threshold")
    if world.detection.estimator == "none" or unit not in {*_FORCE, "N·m"}:
        return None
    if unit in _FORCE:
        return np.full(len(q), float(values["threshold"]))
    coulomb, breakaway = arm.friction[:, 0], arm.friction[:, [0, 2]].max(axis=1)
    threshold = np.asarray(values["threshold"]) + values.get("mass_error", 0.0) * np.abs(
        gravity_torque(arm, q)
    )
    threshold = threshold + values.get("friction_error", 0.0) * coulomb
    threshold = threshold + values.get("stiction_share", 0.0) * breakaway
    return _least_ratio(threshold, lever)


def _pressed(world: World, arm: Arm, q: np.ndarray, lever: np.ndarray) -> np.ndarray:
    """Force along the motion that the motors can press with at each place (k,) [N].

    No motor is beyond its limit.
    """
    if not world.controller.saturate:
        return np.full(len(q), np.inf)
    spare = arm.torque_limits - np.sign(lever) * gravity_torque(arm, q)
    return _least_ratio(np.maximum(spare, 0.0), lever)


def _least_ratio(torque: np.ndarray, lever: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nanmin(torque / np.abs(lever), axis=1)


def _name(world: World, index: int | np.intp, count: int) -> str:
    kind = type(solids_of(world.obstacles)[index]).__name__.lower()
    return f"obstacle {index} ({kind})" + (f", as {count - 1} others," if count > 1 else "")
