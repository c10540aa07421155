"""What a run asks of its engine, which advances the state from event to event (``plant.engine`` of a world).

How long a step and a control period may be, is asked before anything moves.

The step: each integrator has a limit on step × rate for a decaying mode and for an oscillating one.
Rates come from the effective inertia of the joints and of what can touch, the smallest over the
start pose and random poses: with small rotors a wrist joint weighs 1e-4 kg·m², and 1 N·m·s/rad on
it decays within 0.1 ms. Where solids overlap their stiffnesses add up, which is not looked at.

The period: a law of the form of ``Gains`` turns each joint into a double integrator under the
feedback a = -K0 q - K1 q'. A computer samples it, holds the torque for a period and applies it some
periods later: one period is a matrix, and where that has an eigenvalue outside the unit circle the
loop is unstable whatever the arm.
"""

import math
from functools import lru_cache

import numpy as np

from dynamics import Arm, BadInput, jacobian, link_frames, mass_matrix
from hopfield_nav.geometry import END, KIND, LINK, START, UPRIGHT
from hopfield_nav.loop.plant import RK4, SEMI_IMPLICIT_EULER, Plant
from hopfield_nav.plugin import Gains

DECAY_LIMIT = {RK4: 2.785, SEMI_IMPLICIT_EULER: 2.0}  # |step · rate| of a real mode
SWING_LIMIT = {RK4: 2.828, SEMI_IMPLICIT_EULER: 2.0}  # of an undamped oscillation
_HELD_LIMIT = 2.0  # of damping that a held torque gives
_POSES, _MARGIN = 200, 0.98
_BISECTIONS, _ROUNDING = 60, 1e-9  # without K0 an eigenvalue is 1


class Engine:
    """An engine is called as the compiled loop is; what has an answer here is that of an arm with rigid joints.

    Its kernel as a ``Method`` is ``make(world, plant, start) -> Engine`` for a resolved world and
    joint angles (n,) [rad] at the start.
    """

    def __call__(self, plant, controller, trajectory, settings, state, log, last_step) -> int:
        """Advance until step ``last_step`` or the first event; arguments and result as the compiled loop."""
        raise NotImplementedError

    def encoders(self, q: np.ndarray) -> np.ndarray:
        """What the encoders show (n,) where the links rest at ``q`` (n,) [rad]: a reference begins there."""
        return q

    def check(
        self,
        plant: Plant,
        start: np.ndarray,
        step: float,
        stages: int,
        gain: np.ndarray,
        held_for: float,
    ) -> None:
        """Refuse a step that contact, or a damping ``gain`` (n,) held for some seconds, would make explode.

        Raises ``BadInput``: the step is too large; arguments as ``check_step``.
        """
        check_step(plant, start, step, stages, gain, held_for)


def check_step(
    plant: Plant, q: np.ndarray, step: float, stages: int, law_gain: np.ndarray, held_for: float
) -> None:
    """Refuse a step [s] that the damping or the contact would make explode.

    At the start pose ``q`` (n,) [rad], with RK4 or SEMI_IMPLICIT_EULER ``stages``. The control law
    adds at most the damping ``law_gain`` (n,) [N·m·s/rad], and its torque is held for ``held_for``
    [s]; 0: it follows every stage.

    Raises ``BadInput``: with the step that would do.
    """
    poses, inverse = _sampled(plant.arm, q)
    explicit = np.zeros(len(q)) if stages == SEMI_IMPLICIT_EULER else plant.damping
    if held_for == 0.0:
        explicit = explicit + law_gain
    elif np.any(law_gain):
        _refuse_beyond(
            held_for,
            _HELD_LIMIT / _fastest(inverse, law_gain),
            "controller.period",
            "the damping law",
        )
    if np.any(explicit):
        _refuse_beyond(
            step,
            DECAY_LIMIT[stages] / _fastest(inverse, explicit),
            "plant.step",
            "the joint damping",
        )
    _check_contact(plant, poses, inverse, step, stages)


def check_gears(arm: Arm, q: np.ndarray, step: float, stages: int) -> None:
    """Refuse a step at which gears that give before they slip would explode where stages add their torque.

    It asks the arm's ``presliding``; ideal joints are not looked at. For the other arguments see
    ``check_step``.

    Raises ``BadInput``: with the step that would do.
    """
    stiffness = np.where(np.isfinite(arm.presliding), arm.presliding, 0.0)
    if np.any(stiffness):
        _, inverse = _sampled(arm, q)
        limit = SWING_LIMIT[stages] / np.sqrt(_fastest(inverse, stiffness))
        _refuse_beyond(step, limit, "plant.step", "a gear that gives before it slips")


def _sampled(arm: Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The start pose and random ones (k, n), and M^-1 there (k, n, n)."""
    poses = np.vstack([q, np.random.default_rng(0).uniform(-np.pi, np.pi, (_POSES, len(q)))])
    return poses, np.linalg.inv(mass_matrix(arm, poses))


def _fastest(inverse: np.ndarray, damping: np.ndarray) -> float:
    """Largest eigenvalue of M^-1 D over the poses: for damping D a rate [1/s]."""
    root = np.sqrt(damping)
    return float(np.linalg.eigvalsh(root[:, None] * inverse * root).max())


def _check_contact(
    plant: Plant, poses: np.ndarray, inverse: np.ndarray, step: float, stages: int
) -> None:
    contact = plant.contact
    if len(contact.solids) == 0:
        return
    mobility = _largest_mobility(plant, poses, inverse)
    stiffness, damping = contact.law.stiffness, contact.law.damping
    _refuse_beyond(
        step,
        SWING_LIMIT[stages] / np.sqrt(stiffness * mobility),
        "plant.step",
        "the contact stiffness",
    )
    if damping > 0:
        _refuse_beyond(
            step, DECAY_LIMIT[stages] / (damping * mobility), "plant.step", "the contact damping"
        )


def _largest_mobility(plant: Plant, poses: np.ndarray, inverse: np.ndarray) -> float:
    """Largest inverse of the effective mass where the arm can be touched, over the poses [1/kg].

    Cylinders without end push in the plane alone, other solids anywhere; the tool point and the
    ends of all bodies count.
    """
    arm, contact = plant.arm, plant.contact
    axes = 2 if np.all(contact.solids[:, KIND] == UPRIGHT) else 3
    moving = contact.bodies[contact.bodies[:, LINK] > 0]
    ends = [(int(row[LINK]), row[first : first + 3]) for row in moving for first in (START, END)]
    rows = [
        jacobian(arm, poses)[:, :axes],
        *(_point_jacobian(arm, poses, *end)[:, :axes] for end in ends),
    ]
    return max(float(np.linalg.eigvalsh(J @ inverse @ J.transpose(0, 2, 1)).max()) for J in rows)


def _point_jacobian(arm: Arm, poses: np.ndarray, link: int, point: np.ndarray) -> np.ndarray:
    """(k, 3, n) of a point fixed to a link."""
    frames = link_frames(arm, poses)
    place = (frames[:, link, :3, :3] @ point) + frames[:, link, :3, 3]
    out = np.zeros((len(poses), 3, len(arm.dh)))
    for i in range(link):
        out[:, :, i] = np.cross(frames[:, i, :3, 2], place - frames[:, i, :3, 3])
    return out


def _refuse_beyond(step: float, limit: float, key: str, cause: str) -> None:
    if step > limit:
        message = f"the simulation would explode: {cause} is too stiff for this step"
        unit = 10.0 ** (
            math.floor(math.log10(_MARGIN * limit)) - 1
        )  # of the second digit: what is named will do
        allowed = f"at most {math.floor(_MARGIN * limit / unit) * unit:.2g} s"
        raise BadInput(message, where=key, found=step, allowed=allowed)


@lru_cache(maxsize=128)
def largest_factor(position: float, velocity: float, delay: int) -> float:
    """Largest factor on K1, and squared on K0, with which the sampled loop is stable, for a perfect model.

    K0 is given as K0 · period², K1 as K1 · period, the delay from sensing to torque in periods.

    Source: discrete-time form of ragazzon2012 (4.4) under zero-order hold.
    """
    low, high = 0.0, 2.0 / max(velocity, math.sqrt(position))
    for _ in range(_BISECTIONS):
        factor = 0.5 * (low + high)
        stable = _spectral_radius(factor**2 * position, factor * velocity, delay) <= 1.0 + _ROUNDING
        low, high = (factor, high) if stable else (low, factor)
    return low


def _spectral_radius(position: float, velocity: float, delay: int) -> float:
    """Largest |eigenvalue| of one period; arguments as ``largest_factor``."""
    size = 2 + delay
    step = np.zeros((size, size))
    step[:2, :2] = [[1.0, 1.0], [0.0, 1.0]]  # angle, and velocity times the period
    law = np.array([-position, -velocity])
    pushed = np.array([0.5, 1.0])
    if delay == 0:
        step[:2, :2] += np.outer(pushed, law)
    else:
        step[:2, 2] = pushed  # the oldest acceleration under way acts now
        for k in range(2, size - 1):
            step[k, k + 1] = 1.0
        step[size - 1, :2] = law
    return float(np.abs(np.linalg.eigvals(step)).max())


def warn_of_gains(gains: Gains, source: str, period: float, delay: int) -> list[str]:
    """A sentence for each limit that gains, (n,) each, are beyond in their sampled loop.

    ``source`` says where they come from; the period is in seconds, the delay from sensing to torque
    in whole periods.
    """
    beyond: dict[str, list[str]] = {}
    for joint, (position, velocity) in enumerate(np.column_stack(gains), 1):
        if position == velocity == 0.0:
            continue
        factor = largest_factor(position * period**2, velocity * period, delay)
        if factor < 1.0:
            k0, k1 = factor**2 * position, factor * velocity
            limit = f"{math.sqrt(k0):.3g} rad/s (K0 {k0:.3g} 1/s², K1 {k1:.3g} 1/s)"
            beyond.setdefault(limit, []).append(str(joint))
    behind = "" if delay == 0 else f" and a delay of {delay} period{'s' if delay > 1 else ''}"
    return [
        f"{source} of joint {', '.join(fast)}: the natural frequency is beyond {limit}, from which a loop with a "
        f"period of {1e3 * period:g} ms{behind} is unstable with this damping"
        for limit, fast in beyond.items()
    ]
