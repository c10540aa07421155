"""Settings that cannot go well: refused or warned of before a run, blamed after an explosion.

With some a loop is unstable. With others the tool may go through obstacles, too soft, too thin, or
met too fast. Contact pushes the tool out to the nearer side, so an obstacle can push back with no
more than stiffness times half its thickness: beyond its middle it pushes the tool on. Where two
overlap they push back with less, which is not looked at: whether a tool passed between them, the
run says in the end. What an obstacle may have to hold against is estimated along the first path, as
if the tool met it head-on:

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
from hopfield_nav.loop import Plant, Trajectory, sample, warn_of_gains
from hopfield_nav.plugin import FORCE_FELT, WRIST, Gains, loop_gains
from hopfield_nav.world import World

HIDDEN_SHARE = 0.3  # largest share of a wanted force that friction may hide
_PLACES = 60  # of the path at which forces are estimated
_MOMENTS_A_PIECE = 8  # moments looked at on each piece of the trajectory
_GROWS = 2.0  # times the force at which a collision is felt that it grows to
_FORCE = ("N", "N and N·m")  # units of a threshold that a force on the tool meets as it is
_MOVING = 0.1  # share of the largest speed below which the tool's direction says nothing


def find_warnings(world: World, arm: Arm) -> Iterator[str]:
    """Sentences on settings of a world that cannot go well, for the true arm."""
    gains, control = gains_of_law(world), world.controller
    if gains is not None and control.hold:
        yield from warn_of_gains(
            gains, _keys_of_gains(world), control.period, round(control.delay / control.period)
        )
    if gains is not None and control.settling > 0.0:
        # s³ + K1 s² + K0 s + K0 rate is stable above K1 = rate
        swings = np.flatnonzero(
            (np.asarray(gains.position) > 0.0) & (np.asarray(gains.velocity) <= control.settling)
        )
        if swings.size:
            joints, rate = ", ".join(str(i + 1) for i in swings), f"{control.settling:g} 1/s"
            yield f"controller.settling swings joint {joints} at the end of a path: {rate} is not below its K1"
    yield from _on_stiff_gears(world, arm)


def _keys_of_gains(world: World) -> str:
    """What sets the gains of a joint."""
    names = [f"controller.{p.name}" for p in find_methods(world).law.parameters if p.per_joint]
    return " and ".join(names) or "the gains"


def _on_stiff_gears(world: World, arm: Arm) -> Iterator[str]:
    """Whether gears turn less under a load than the encoders tell."""
    level = arm.friction[:, [0, 2]].max(axis=1)
    unseen = np.minimum(_unseen(world, arm), level)
    blind = np.flatnonzero((unseen > HIDDEN_SHARE * level) & np.isfinite(arm.presliding))
    if blind.size:
        joints = ", ".join(str(i + 1) for i in blind)
        finer = float((HIDDEN_SHARE * level / arm.presliding)[blind].min())
        yield (
            f"a load of up to {unseen[blind].max():.2g} N·m on a standing joint ({joints}) turns it by less than "
            "a step of its encoder: it is not felt until the joint moves, or with "
            f"sensors.encoder_resolution: {finer:.1g}"
        )


def _unseen(world: World, arm: Arm) -> np.ndarray:
    """Torque that each gear takes within one step of its encoder (n,) [N·m]; endless where it is ideal."""
    gives = np.isfinite(arm.presliding)
    step = np.asarray(world.sensors.encoder_resolution, dtype=np.float64)
    return np.where(gives, np.where(gives, arm.presliding, 0.0) * step, np.inf)


def warn_of_hidden_force(world: World, arm: Arm, start: np.ndarray) -> list[str]:
    """Whether the joints' friction hides the force that shall be controlled; one sentence, or none."""
    methods, slides = find_methods(world), world.explore.method == "slide"
    if methods.estimator.needs == WRIST or not (slides or methods.law.needs == FORCE_FELT):
        return []
    in_space = slides and world.map.rank == 3
    hidden = hidden_force(arm, start, in_space, _unseen(world, arm))
    wanted = world.explore.force if slides else float(world.controller.parameters["force"])
    if hidden <= HIDDEN_SHARE * wanted:
        return []
    instead = ": the arm follows what it felt instead of sliding on it" if slides else ""
    return [
        f"joint friction hides up to {hidden:.2g} N of a force on the tool at the start: {wanted:g} N cannot "
        "be controlled without sensors.wrench and its estimator, but "
        f"{hidden / HIDDEN_SHARE:.2g} N could{instead}"
    ]


def hidden_force(
    arm: Arm, q: np.ndarray, in_space: bool = False, unseen: np.ndarray | float = np.inf
) -> float:
    """The largest force on the tool that the joints bear by friction, without being seen to turn [N].

    In a direction d it is the least of friction_i / |J^T d|_i over the joints. ``unseen`` (n,) is
    the torque that turns each gear by a step of its encoder [N·m]; endless: none is seen.
    """
    angle = np.linspace(0.0, np.pi, 73)
    around = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(73)])
    tilts = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 73) if in_space else np.zeros(1)
    directions = np.concatenate([np.cos(t) * around + np.sin(t) * np.eye(3)[2] for t in tilts])
    lever = np.abs(directions @ jacobian(arm, q)[:3])
    friction = np.minimum(arm.friction[:, [0, 2]].max(axis=1), unseen)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmin(np.where(lever > 0.0, friction / lever, np.inf), axis=1).max())


def why_diverged(world: World, joint: int, time: float, touching: bool) -> str:
    """A sentence on an explosion: where (joints from 0), when [s], the likely cause, what to change."""
    step = world.plant.step
    if touching:
        cause = "a stiff contact; try a smaller plant.step or contact.stiffness"
    elif world.controller.hold and gains_of_law(world) is not None:
        cause = f"a controller too fast for its period and delay; try a smaller {_keys_of_gains(world)}, or period"
    else:
        cause = "a step too large; try a smaller plant.step"
    return (
        f"joint {joint + 1} exploded at {time:.4f} s (step {step:g} s), likely because of {cause}"
    )


def gains_of_law(world: World) -> Gains | None:
    """Gains, (n,) each, with which the world's control law makes joints follow something; None: it says none."""
    return loop_gains(find_methods(world).law, world.controller.parameters, len(world.start.joints))


def warn_of_passing(world: World, plant: Plant, trajectory: Trajectory | None) -> Iterator[str]:
    """At most a sentence on unknown obstacles too soft to stop the tool, on the step, on the threshold.

    A run that ends before it begins has no trajectory.
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
    """Joint angles (k, n) and tool velocities (k, 3), the fastest among them; none for an arm at rest."""
    _, q, qd, _ = sample(trajectory, _MOMENTS_A_PIECE)
    velocity = np.einsum("kin,kn->ki", jacobian(arm, q)[:, :3], qd)
    speed = np.linalg.norm(velocity, axis=1)
    moving = np.flatnonzero((speed > _MOVING * speed.max()) & (speed > 0.0))
    if len(moving) == 0:
        return q[:0], velocity[:0]
    some = moving[np.linspace(0, len(moving) - 1, min(_PLACES, len(moving))).astype(int)]
    some = np.unique([*some, speed.argmax()])
    return q[some], velocity[some]


def _felt(world: World, arm: Arm, q: np.ndarray, lever: np.ndarray) -> np.ndarray | None:
    """Force along the motion at which a collision is felt at each place (k,) [N]; None: not known."""
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
    """Force along the motion that the motors can press with at each place (k,), none beyond its limit [N]."""
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
