"""The arm with elastic joints: links and rotors joined by springs (Spong's reduced model).

    M(q) qdd + C(q, qd) qd + g(q) = tau_j + tau_external,   tau_j = K (theta - q) + D (theta_d - qd)
    B theta_dd + tau_j + f(theta_d, tau_j, T) = tau_m = N k_t i

q are the angles of the links, theta those of the rotors divided by the gear ratio N, so that B, f
and tau_m stand on the links' side. A rotor spins about its own axis only. M holds the links alone,
no rotors.

madsen2020 takes its friction from a reference that is not public. The law here, of rotor speed v,
load tau_j and temperature T:

    f = (c + (b - c) exp(-(v/v_s)²) + l |tau_j|) sign(v) + d w(T) v_n asinh(v/v_n)
    w(T) = 1 + a (exp(-(T - T_0)/T_v) - 1)

Coulomb and Stribeck terms (c, b, v_s, d) are those of ``dynamics.joint_friction``. Friction that
grows with the load and falls with the temperature of the grease: Bittencourt, Wernholt,
Sander-Tavallaey and Brogårdh
2010. A viscous part less than linear in speed, as strain-wave gears have it (Wolf and Iskandar
2018): Eyring's shear-thinning law, linear far below v_n.

Source: madsen2020 section 2 (1), (2); Spong 1987.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.composite import mass_matrix
from dynamics.errors import BadInput
from dynamics.joint_friction import coulomb_level
from dynamics.kernels.decorators import inlined

WARM = 30.0  # [°C] T_0, at which viscous friction is that of ``Arm.friction``
LARGE = 60.0  # [N·m] torque limit from which a joint counts as large (a UR5e's are of 150 and 28)
LIGHTEST = 1e-6  # [kg·m²] of what a spring may move
_SIZES = {  # large, small: of the order of strain-wave gears of sizes 25 and 14, ratio 1:100
    "stiffness": (2.0e4, 5.0e3),
    "damping": (1.0, 0.25),
    "rotor_inertia": (1.9, 0.16),  # of the UR5's controller, see docs/recordings.md
}


class FlexibleJoints(NamedTuple):
    """Transmissions and motors of n joints, seen from the links' side."""

    stiffness: np.ndarray  # (n,) K [N·m/rad]
    damping: np.ndarray  # (n,) D, of the transmission itself [N·m·s/rad]
    rotor_inertia: np.ndarray  # (n,) B = N² times that of the rotor [kg·m²]
    friction: np.ndarray  # (n, 4) c, d, b, v_s as in ``Arm.friction``, acting on the rotors
    # (n,) stiffness before a rotor slips [N·m/rad], as in ``Arm.presliding``
    presliding: np.ndarray
    thinning_speed: np.ndarray  # (n,) v_n [rad/s]
    load_share: np.ndarray  # (n,) l, friction a torque through the gear [1]
    thermal: np.ndarray  # (n, 2) a [1] and T_v [K]
    temperature: np.ndarray  # (n,) T of the joints [°C]


def flexible_joints(arm: Arm, **given: Any) -> FlexibleJoints:
    """Transmissions of an arm, as in a UR5e but for ``given`` fields.

    A field is one number or one row a joint. The arm's torque limits say which joints are large;
    its ``rotor_inertia`` counts where it has any.
    """
    n = len(arm.dh)
    size = np.where(arm.torque_limits >= LARGE, 0, 1)
    values: dict[str, Any] = {name: np.array(pair)[size] for name, pair in _SIZES.items()}
    if np.any(arm.rotor_inertia > 0):
        values["rotor_inertia"] = arm.rotor_inertia
    values |= {"friction": arm.friction, "presliding": arm.presliding, "thinning_speed": 3.0}
    values |= {"load_share": 0.02, "thermal": (0.7, 20.0), "temperature": WARM}
    if unknown := given.keys() - set(FlexibleJoints._fields):
        raise BadInput("unknown fields of flexible joints", found=sorted(unknown))
    values |= given
    wide = {"friction": (4,), "thermal": (2,)}
    joints = FlexibleJoints(
        *(_filled(name, values[name], (n, *wide.get(name, ()))) for name in FlexibleJoints._fields)
    )
    for name in set(FlexibleJoints._fields) - {
        "damping",
        "friction",
        "load_share",
        "thermal",
        "temperature",
    }:
        if not np.all(getattr(joints, name) > 0):
            raise BadInput(f"{name} must be positive", found=getattr(joints, name).tolist())
    for name in ("damping", "friction", "load_share"):
        if not np.all(getattr(joints, name) >= 0):
            raise BadInput(f"{name} cannot be negative", found=getattr(joints, name).tolist())
    return joints


def _filled(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), shape), order="C")
    except ValueError as error:
        raise BadInput(
            f"{name} has the wrong shape", found=np.shape(value), allowed=str(shape)
        ) from error
    if np.isnan(array).any() or (name != "presliding" and np.isinf(array).any()):
        raise BadInput(f"{name} must be finite", found=array.tolist())
    return array


def links_alone(arm: Arm) -> Arm:
    """The arm of the link equation: its rotors spin by themselves, and friction acts on them."""
    return arm._replace(
        rotor_inertia=np.zeros_like(arm.rotor_inertia), friction=np.zeros_like(arm.friction)
    )


def highest_frequency(arm: Arm, joints: FlexibleJoints, q: np.ndarray) -> float:
    """Highest natural frequency of links and rotors on their springs, at joint angles (n,) [rad/s].

    Raises ``BadInput``: links without inertia of their own, as in ``ur5_controller``, where it is
    the rotors'.
    """
    links = mass_matrix(links_alone(arm), q)
    least = float(np.linalg.eigvalsh(links)[0])
    if not least > LIGHTEST:
        message = "the links have no inertia of their own besides the rotors'"
        found = f"a smallest principal inertia of {least:.2g} kg·m²"
        raise BadInput(
            message, found=found, allowed=f"above {LIGHTEST:g} kg·m², as in ur5_full or ur5e"
        )
    inverse = np.linalg.inv(links) + np.diag(1 / joints.rotor_inertia)
    root = np.sqrt(joints.stiffness)
    return float(np.sqrt(np.linalg.eigvalsh(root[:, None] * inverse * root).max()))


@inlined
def spring_torque(joints, i, twist, twist_rate):
    """tau_j of joint ``i`` [N·m] for theta - q [rad] and its rate [rad/s]."""
    return joints.stiffness[i] * twist + joints.damping[i] * twist_rate


@inlined
def dry_level(joints, i, speed, load):
    """Largest friction torque of rotor ``i`` without the viscous part [N·m]."""
    return coulomb_level(joints.friction, i, speed) + joints.load_share[i] * abs(load)


@inlined
def viscous_torque(joints, i, speed):
    """Viscous friction of rotor ``i``, thinning with speed and heat [N·m]."""
    thinning = joints.thinning_speed[i]
    warmth = math.exp(-(joints.temperature[i] - WARM) / joints.thermal[i, 1])
    slope = joints.friction[i, 1] * (1.0 + joints.thermal[i, 0] * (warmth - 1.0))
    return slope * thinning * math.asinh(speed / thinning)
