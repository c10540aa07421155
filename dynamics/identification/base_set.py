"""Base parameters: the smallest set of combinations of inertial parameters that decides the torque.

Found numerically, from the regressor at random states. Columns that are zero are dropped first. Of
the others a rank-revealing factorisation (singular values) gives the number of base parameters, and
an orthogonal factorisation that takes the columns in the order of Gautier and Khalil says which
parameter of each link is kept: XX, XY, XZ, YZ, ZZ, MX, MY before rotors, YY, MZ and M, and outer
links before inner ones. So the names are those of madsen2020. The dropped columns are combinations
of the kept ones, Y_dropped = Y_kept B, and the base parameters are beta = pi_kept + B pi_dropped.

Source: madsen2020 section 3, (9); Gautier and Khalil 1990; Gautier 1991 for the numerical way.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from dynamics.arm import Arm
from dynamics.errors import HopfieldNavError
from dynamics.identification.parameters import PER_LINK, parameter_names, parameters_of, to_standard
from dynamics.identification.regression import regressor

_STATES = 80
# of a column of unit length; rounding leaves 1e-14, the smallest real one is 1e-4
_RANK_TOLERANCE = 1e-9
_ZERO_TOLERANCE = 1e-12  # of the size that its unit could have
_CHUNK = 4000  # states at once, so that the wide regressor stays small
_PREFERRED = ("XX", "XY", "XZ", "YZ", "ZZ", "MX", "MY")
_LAST = ("YY", "MZ", "M")
_SEED = 20200917


class BaseParameters(NamedTuple):
    """Which combinations of an arm's inertial parameters its torque depends on."""

    # p names; ``R`` at the end where others are regrouped into it, as in madsen2020
    names: tuple[str, ...]
    parameters: tuple[str, ...]  # names of all parameters, in the order of ``parameters_of``
    kept: np.ndarray  # (p,) places of the kept parameters among them
    grouping: np.ndarray  # (p, all) matrix K with beta = K pi
    columns: np.ndarray  # (all, p) Y_standard times this is the base regressor
    rotor: bool  # whether rotor inertias are among them

    def of(self, arm: Arm) -> np.ndarray:
        """(p,) base parameters of an arm with the same kinematics."""
        return self.grouping @ parameters_of(arm, self.rotor, "modified")

    def links(self) -> np.ndarray:
        """(p,) link, counted from 1, that each base parameter is named after."""
        return np.array([_number(self.parameters[k]) for k in self.kept])


class RankUnclear(HopfieldNavError):
    """The two factorisations disagree about the number of base parameters."""


def base_parameters(arm: Arm, rotor: bool = False) -> BaseParameters:
    """Base parameters of an arm, whatever its masses.

    Of its kinematics and the direction of its gravity. Rotor inertias are among them on request;
    the frames are the modified ones, as madsen2020 names them.

    Raises ``BadInput``: an arm that is not rigid; ``RankUnclear``: singular values without a gap.
    """
    n = len(arm.dh)
    names = parameter_names(n, rotor)
    Y = regressor(arm, *random_excitation(arm), rotor, "modified")
    Y = Y.reshape(-1, Y.shape[-1])
    zero = _zero_columns(arm, Y)
    kept, dropped, B = _factorise(Y, [k for k in _preference(names) if k not in set(zero)])
    grouping = np.zeros((len(kept), len(names)))
    grouping[np.arange(len(kept)), kept] = 1.0
    grouping[:, dropped] = B
    shown = tuple(
        names[k] + ("R" if np.count_nonzero(grouping[r]) > 1 else "") for r, k in enumerate(kept)
    )
    change = block_diag(to_standard(arm, "modified"), np.eye(n if rotor else 0))
    return BaseParameters(shown, tuple(names), np.array(kept), grouping, change[:, kept], rotor)


def base_regressor(
    arm: Arm, base: BaseParameters, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> np.ndarray:
    """(k, n, p) matrix whose product with the base parameters of an arm is the torque.

    ``q``, ``qd``, ``qdd`` are (k, n) [rad, rad/s, rad/s²].
    """
    out = np.empty((len(q), len(arm.dh), len(base.kept)))
    for start in range(0, len(q), _CHUNK):
        part = slice(start, start + _CHUNK)
        out[part] = regressor(arm, q[part], qd[part], qdd[part], base.rotor) @ base.columns
    return out


def random_excitation(arm: Arm) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd (k, n) that excite every parameter: the yardstick of what a log could show."""
    rng, shape = np.random.default_rng(_SEED), (_STATES, len(arm.dh))
    return rng.uniform(-np.pi, np.pi, shape), rng.uniform(-1, 1, shape), rng.uniform(-3, 3, shape)


def _zero_columns(arm: Arm, Y: np.ndarray) -> list[int]:
    """Places of the columns that are zero, judged by what their unit could be at these states."""
    n = len(arm.dh)
    reach = np.abs(arm.dh[:, 1:3]).sum() + 1e-3
    acceleration = np.linalg.norm(arm.gravity) + reach
    link = [acceleration * reach] + [acceleration] * 3 + [1.0] * 6
    size = np.concatenate([np.tile(link, n), np.ones(Y.shape[1] - PER_LINK * n)])
    return [
        int(k)
        for k in np.flatnonzero(np.linalg.norm(Y, axis=0) <= _ZERO_TOLERANCE * size * len(Y) ** 0.5)
    ]


def _preference(names: list[str]) -> list[int]:
    """Places of the parameters in the order in which they are kept."""
    order = [_PREFERRED, ("IA",), _LAST]
    rank = {
        kind: (group, place)
        for group, kinds in enumerate(order)
        for place, kind in enumerate(kinds)
    }

    def key(k: int) -> tuple[int, int, int]:
        group, place = rank[names[k].rstrip("0123456789")]
        return group, -_number(names[k]), place

    return sorted(range(len(names)), key=key)


def _factorise(Y: np.ndarray, order: list[int]) -> tuple[list[int], list[int], np.ndarray]:
    """Kept and dropped columns, and the matrix B.

    By it the dropped ones are combinations of the kept ones.
    """
    scale = np.linalg.norm(Y, axis=0)
    unit = Y[:, order] / scale[order]
    rank = int(
        np.sum(np.linalg.svd(unit, compute_uv=False) > _RANK_TOLERANCE * np.sqrt(len(order)))
    )
    kept: list[int] = []
    basis = np.empty((len(Y), 0))
    for place, k in enumerate(order):
        rest = unit[:, place]
        for _ in range(2):  # twice is enough for orthogonality to rounding
            rest = rest - basis @ (basis.T @ rest)
        if np.linalg.norm(rest) > 1e-7:
            kept.append(k)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    if len(kept) != rank:
        raise RankUnclear(
            f"{rank} base parameters by singular values, {len(kept)} by orthogonalisation"
        )
    kept.sort()
    dropped = sorted(set(order) - set(kept))
    B = (
        np.linalg.lstsq(Y[:, kept] / scale[kept], Y[:, dropped], rcond=None)[0]
        / scale[kept][:, None]
    )
    return (
        kept,
        dropped,
        np.where(np.abs(B) < 1e-9 * max(1.0, float(np.abs(B).max(initial=0))), 0.0, B),
    )


def _number(name: str) -> int:
    return int(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
