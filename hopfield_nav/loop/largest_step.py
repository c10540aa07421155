"""How long a step may be, asked before anything moves.

Each integrator has a limit on step × rate for a decaying mode and for an oscillating one. Rates
come from the effective inertia of the joints and of what can touch, the smallest over the start
pose and random poses: with small rotors a wrist joint weighs 1e-4 kg·m², and 1 N·m·s/rad on it
decays within 0.1 ms. Where solids overlap their stiffnesses add up, which is not looked at.
"""

import math

import numpy as np

from dynamics import Arm, BadInput, jacobian, link_frames, mass_matrix
from hopfield_nav.geometry import END, KIND, LINK, START, UPRIGHT
from hopfield_nav.loop.plant import RK4, SEMI_IMPLICIT_EULER, Plant

DECAY_LIMIT = {RK4: 2.785, SEMI_IMPLICIT_EULER: 2.0}  # |step · rate| of a real mode
SWING_LIMIT = {RK4: 2.828, SEMI_IMPLICIT_EULER: 2.0}  # of an undamped oscillation
_HELD_LIMIT = 2.0  # of damping that a held torque gives
_POSES = 200  # at random, beside the start
_MARGIN = 0.98  # of the limit, for what is named to do


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
    """Refuse a step at which gears that give before they slip would explode.

    They do where stages add their torque. It asks the arm's ``presliding``; ideal joints are not
    looked at. For the other arguments see ``check_step``.

    Raises ``BadInput``: with the step that would do.
    """
    stiffness = np.where(np.isfinite(arm.presliding), arm.presliding, 0.0)
    if np.any(stiffness):
        _, inverse = _sampled(arm, q)
        limit = SWING_LIMIT[stages] / np.sqrt(_fastest(inverse, stiffness))
        _refuse_beyond(step, limit, "plant.step", "a gear that gives before it slips")


def _sampled(arm: Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The start pose and random ones (k, n), and M^-1 there (k, n, n)."""
    drawn = np.random.default_rng(0).uniform(-np.pi, np.pi, (_POSES, len(q)))
    poses = np.vstack([q, drawn])
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
    of_ends = [_point_jacobian(arm, poses, link, point) for link, point in ends]
    mobilities = []
    for whole in (jacobian(arm, poses), *of_ends):
        J = whole[:, :axes]
        mobilities.append(np.linalg.eigvalsh(J @ inverse @ J.transpose(0, 2, 1)).max())
    return float(max(mobilities))


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
        allowed = f"at most {_rounded_down(_MARGIN * limit):.2g} s"
        raise BadInput(message, where=key, found=step, allowed=allowed)


def _rounded_down(value: float) -> float:
    """A positive value to two digits, so that what is named will do."""
    second_digit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / second_digit) * second_digit
