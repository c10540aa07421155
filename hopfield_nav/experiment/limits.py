"""Settings that cannot go well: warned of before a run, blamed after an explosion.

With some a loop is unstable. With others friction hides what the joints should feel.
"""

from collections.abc import Iterator

import numpy as np

from dynamics import Arm, jacobian
from hopfield_nav.build import find_methods
from hopfield_nav.experiment.sampled_loop import warn_of_gains
from hopfield_nav.plugin import FORCE_FELT, WRIST, Gains, loop_gains
from hopfield_nav.world import World

HIDDEN_SHARE = 0.3  # largest share of a wanted force that friction may hide


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
    """Torque that each gear takes within one step of its encoder (n,) [N·m].

    Endless where it is ideal.
    """
    gives = np.isfinite(arm.presliding)
    step = np.asarray(world.sensors.encoder_resolution, dtype=np.float64)
    return np.where(gives, np.where(gives, arm.presliding, 0.0) * step, np.inf)


def warn_of_hidden_force(world: World, arm: Arm, start: np.ndarray) -> list[str]:
    """Whether the joints' friction hides the force that shall be controlled.

    One sentence, or none.
    """
    methods = find_methods(world)
    response = world.trust.find("response", world.explore.method, world.folder)
    slides = response.needs == FORCE_FELT
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
    """The largest force [N] on the tool that the joints bear by friction.

    They are not seen to turn under it. In a direction d it is the least of friction_i / |J^T d|_i
    over the joints. ``unseen`` (n,) is the torque that turns each gear by a step of its encoder
    [N·m]; endless: none is seen.
    """
    angle = np.linspace(0.0, np.pi, 73)
    around = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(73)])
    tilts = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 73) if in_space else np.zeros(1)
    up = np.array([0.0, 0.0, 1.0])
    directions = np.concatenate([np.cos(t) * around + np.sin(t) * up for t in tilts])
    lever = np.abs(directions @ jacobian(arm, q)[:3])
    friction = np.minimum(arm.friction[:, [0, 2]].max(axis=1), unseen)
    with np.errstate(divide="ignore", invalid="ignore"):
        held = np.where(lever > 0.0, friction / lever, np.inf)  # by each joint [N]
        return float(np.nanmin(held, axis=1).max())


def why_diverged(world: World, joint: int, time: float, touching: bool) -> str:
    """A sentence on an explosion.

    Where (joints from 0), when [s], the likely cause, what to change.
    """
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
    """Gains, (n,) each, with which the world's control law makes joints follow something.

    None: it says none.
    """
    return loop_gains(find_methods(world).law, world.controller.parameters, len(world.start.joints))
