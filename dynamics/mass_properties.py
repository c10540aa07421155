"""Inertia tensors: reading them, checking that a rigid body can have them, adding bodies."""

from typing import Any

import numpy as np

from dynamics.errors import BadInput

_AXES = {"x": 0, "y": 1, "z": 2}
_WIDEST = 10.0  # [m] radius of gyration: of a rod of 35 m


def inertia_tensor(value: Any, mass: float, where: str = "inertia") -> np.ndarray:
    """Inertia tensor (3, 3) [kg·m²] as a file gives it.

    It is 0, a 3×3 list of rows, or ``{cylinder: {axis, radius, height}}``.

    Raises ``BadInput``: not of that form, not symmetric, or impossible for a rigid body; ``where``
    is its place.
    """
    if isinstance(value, dict):
        tensor = _cylinder(value, mass, where)
    else:
        try:
            tensor = (
                np.zeros((3, 3))
                if np.ndim(value) == 0 and value == 0
                else np.array(value, dtype=np.float64)
            )
        except (TypeError, ValueError, OverflowError):
            tensor = np.zeros(0)
        if tensor.shape != (3, 3):
            raise BadInput(
                "not an inertia",
                where=where,
                found=value,
                allowed="0, or three rows of three numbers",
            )
    check_tensor(tensor, where, mass)
    return tensor


def check_tensor(tensor: np.ndarray, where: str = "inertia", mass: float = 0.0) -> None:
    """Raise ``BadInput`` unless the tensor is that of a rigid body.

    It is 3×3, symmetric, positive and obeys the triangle inequality. One that a mass [kg] would
    have to be far from its centre for is asked about its unit.
    """
    if np.shape(tensor) != (3, 3) or not np.all(np.isfinite(tensor)):
        raise BadInput(
            "not an inertia", where=where, found=tensor, allowed="three rows of three numbers"
        )
    if not np.allclose(tensor, tensor.T, atol=1e-12):
        raise BadInput("the inertia tensor is not symmetric", where=where, found=tensor.tolist())
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < -1e-12:
        raise BadInput("the inertia tensor is not positive", where=where, found=moments.tolist())
    if moments[0] + moments[1] < moments[2] * (1 - 1e-9) - 1e-12:
        message = (
            "no rigid body has these moments of inertia (each is at most the sum of the others)"
        )
        raise BadInput(message, where=where, found=moments.tolist())
    if mass > 0 and moments[2] > mass * _WIDEST**2:
        radius = (moments[2] / mass) ** 0.5
        message = (
            f"no link of {mass:.4g} kg has this inertia: its radius of gyration were {radius:.3g} m"
        )
        allowed = f"up to {mass * _WIDEST**2:.4g} kg·m² (is this in kg·mm² or g·mm²?)"
        raise BadInput(message, where=where, found=float(moments[2]), allowed=allowed)


def add_payload(
    mass: float,
    center: np.ndarray,
    tensor: np.ndarray,
    payload_mass: float,
    payload_center: np.ndarray,
    payload_tensor: np.ndarray,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre (3,) and tensor (3, 3) of two bodies fixed to each other, in common axes."""
    total = mass + payload_mass
    if total == 0:
        return 0.0, center.copy(), tensor + payload_tensor
    together = (mass * center + payload_mass * payload_center) / total
    moved = tensor + payload_tensor
    for m, c in ((mass, center), (payload_mass, payload_center)):
        r = c - together
        moved = moved + m * (r @ r * np.eye(3) - np.outer(r, r))
    return total, together, moved


def _cylinder(value: dict, mass: float, where: str) -> np.ndarray:
    """Tensor of a homogeneous cylinder about its centre (ragazzon2012 3.2.2)."""
    try:
        row = value["cylinder"]
        radius, height = float(row["radius"]), float(row["height"])
        diagonal = np.full(3, mass * (3 * radius**2 + height**2) / 12)
        diagonal[_AXES[row["axis"]]] = mass * radius**2 / 2
        return np.diag(diagonal)
    except (KeyError, TypeError, ValueError):
        allowed = "{cylinder: {axis: x|y|z, radius: …, height: …}}"
        raise BadInput("not an inertia", where=where, found=value, allowed=allowed) from None
