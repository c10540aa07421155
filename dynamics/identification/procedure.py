"""Identification of an arm from its logs, from end to end (madsen2020).

Here is also how good a model is on other motions. The formula of madsen2020 4.5 is lost. From its
words, each joint's mean squared error over its average torque magnitude, summed:

    NMSE = sum over joints of mean(e²) / mean|tau|   [N·m],

which also has the unit the document prints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.files import write_arm
from dynamics.identification.base_set import (
    BaseParameters,
    base_parameters,
    base_regressor,
    random_excitation,
)
from dynamics.identification.consistent import ConsistentFit, consistent_fit
from dynamics.identification.equations import Observations, Options, observations
from dynamics.identification.gears import Gears, find_gears
from dynamics.identification.least_squares import Estimate, autocorrelation, weighted
from dynamics.identification.logs import MotionLog, logs_of

_FEW_LARGEST = 8  # poorly known parameters that the summary names
LEAST_RANGE = 0.05  # [rad] of a joint that counts as moved
_LEAST_SHARE = 1e-3  # of the largest singular value, columns in units of a lively motion
_PART = 0.3  # of a direction, from which a parameter is named


class Comparison(NamedTuple):
    """Two models on one motion."""

    name: str  # of the log
    reference: float  # NMSE of the reference (CAD) model [N·m]
    identified: float  # NMSE of the identified model [N·m]

    @property
    def improvement(self) -> float:
        """Share of the reference's NMSE that is gone (0.285 in the first row of Table 5)."""
        return 1 - self.identified / self.reference


@dataclass(frozen=True)
class Identification:
    """An identified arm and what is known of how good it is."""

    given: Arm  # the arm that was handed in (CAD)
    base: BaseParameters  # its base parameters
    options: Options  # as handed in
    # (u,) of the unknowns: base parameters, then FC1 … and FV1 … with friction
    names: tuple[str, ...]
    estimate: Estimate  # weighted least squares: values, covariance, residual (see ``Estimate``)
    open: tuple[str, ...]  # names of unknowns that the logs do not show (``unexcited="keep"`` only)
    nmse_given: float  # NMSE of the given arm on the logs of the fit [N·m]
    nmse_fit: float  # NMSE of the estimate there [N·m]
    samples: int  # number after decimation
    motions: tuple[MotionLog, ...]  # the logs

    @cached_property
    def consistent(self) -> ConsistentFit:
        """A full set of parameters of real bodies; needs the extra ``identify``."""
        return consistent_fit(self.given, self.base, self.estimate.values, self.estimate.factor)

    @cached_property
    def gears(self) -> Gears | None:
        """Friction where joints turn round; None where friction was not estimated."""
        if not self.options.friction:
            return None
        return find_gears(self.given, self.base, self.estimate.values, self.motions, self.options)

    @cached_property
    def nmse_written(self) -> float:
        """NMSE on the logs of the fit [N·m] of the arm that ``write`` writes, of real bodies."""
        (Y, tau, _), _ = _all_observations(self.given, self.base, self.motions, self.options)
        values = np.concatenate([self.consistent.base, self.consistent.friction])
        return nmse(tau, Y @ values)

    @property
    def logs(self) -> tuple[str, ...]:
        """Names of the logs."""
        return tuple(log.name for log in self.motions)

    @property
    def arm(self) -> Arm:
        """The identified arm, physically consistent; needs the extra ``identify``."""
        return self.consistent.arm

    @property
    def friction(self) -> np.ndarray:
        """(n, 2) Coulomb [N·m] and viscous friction [N·m·s/rad].

        Zeros where it was not estimated.
        """
        n = len(self.given.dh)
        rest = self.estimate.values[len(self.base.kept) :]
        return rest.reshape(2, n).T if rest.size else np.zeros((n, 2))

    def validate(self, log: MotionLog | Mapping[str, Any], physical: bool = False) -> Comparison:
        """Identified against given arm on an unused motion.

        ``physical``: by the consistent parameters.

        Raises ``BadInput``: as ``identify`` does.
        """
        logs = logs_of(log, self.given, self.options.lowest_rate)
        # turning joints count here
        Y, tau, _ = _all_observations(self.given, self.base, logs, self.options)[0]
        values = self.estimate.values
        if physical:
            values = np.concatenate([self.consistent.base, self.consistent.friction])
        return Comparison(
            logs[0].name, _nmse_given(self.given, self.base, Y, tau), nmse(tau, Y @ values)
        )

    def table(self) -> str:
        """Name, value, relative standard deviation and interval of every unknown, as text."""
        rows = [
            f"{'':8}{'value':>12}{'deviation':>12}{'relative':>10}  {self.options.level:.0%} interval"
        ]
        known = (
            self.estimate.values,
            self.estimate.deviations,
            self.estimate.intervals(self.options.level),
        )
        for name, value, s, (low, high) in zip(self.names, *known, strict=True):
            relative = f"{s / abs(value):10.1%}" if value else f"{'':>10}"
            rows.append(f"{name:8}{value:12.5f}{s:12.5f}{relative}  [{low:.5f}, {high:.5f}]")
        return "\n".join(rows)

    def quality(self) -> dict[str, Any]:
        """What an arm file says about the fit, of plain values."""
        relative = self.estimate.deviations / np.maximum(np.abs(self.estimate.values), 1e-12)
        worst = np.argsort(-relative)[:_FEW_LARGEST]
        return {
            "method": "weighted least squares on base parameters, then the nearest physically consistent set",
            "logs": list(self.logs),
            "samples": self.samples,
            "rotor": self.options.rotor,
            "condition_number": self.estimate.condition_number,
            "nmse_fit_Nm": self.nmse_fit,
            "nmse_written_Nm": self.nmse_written,
            "nmse_given_Nm": self.nmse_given,
            "residual_deviation_Nm": self.estimate.noise.tolist(),
            "residual_autocorrelation_lag1": autocorrelation(self.estimate.residual, 1)[1].tolist(),
            "deviations_lost_to_consistency": self.consistent.distance,
            "open": list(self.open),
            "gears": {}
            if self.gears is None
            else {k: v.tolist() for k, v in self.gears._asdict().items()},
            "least_known": [self.names[k] for k in worst],
            "base_parameters": dict(zip(self.names, self.estimate.values.tolist(), strict=True)),
            "standard_deviations": dict(
                zip(self.names, self.estimate.deviations.tolist(), strict=True)
            ),
        }

    def write(
        self,
        path: str | Path,
        description: str = "identified arm",
        more: Mapping[str, Any] | None = None,
        joints: Sequence[str] = (),
    ) -> Path:
        """Write the physically consistent arm as an arm file that ``load_arm`` accepts.

        Friction goes into the joints' rows, as far as it is not negative, with the stiffness of a
        gear where the logs tell it; it stands in ``fit`` in any case, with what ``more`` says of
        plain values. ``joints`` are their names.

        Raises ``BadInput``: no place to write, or cvxpy is missing.
        """
        friction = self.given.friction.copy()
        friction[:, :2] = np.maximum(self.friction, 0.0)
        friction[:, 2] = friction[:, 0]
        told = (
            np.inf
            if self.gears is None
            else np.where(self.gears.told, self.gears.stiffness, np.inf)
        )
        arm = self.arm._replace(friction=friction, presliding=np.zeros(len(friction)) + told)
        source = f"identified from {', '.join(self.logs)}"
        return write_arm(
            arm, path, description, source, fit={**self.quality(), **(more or {})}, joints=joints
        )


def identify(
    logs: MotionLog | Mapping[str, Any] | Sequence[MotionLog | Mapping[str, Any]],
    arm: Arm,
    options: Options | None = None,
) -> Identification:
    """Identify an arm's inertial parameters and joint friction from logs of its motion.

    Args:
        logs: one or several; each a ``MotionLog`` or anything with ``time`` (k,) [s], ``q`` (k, n)
            [rad], ``tau`` (k, n) [N·m] and perhaps ``qd``, ``rotor_q``: a dict or an xarray
            Dataset.
        arm: kinematics, gravity, known rotor inertias; its masses are the model to compare with and
            to stay near where the logs are silent.
        options: filters, rotors, friction; default ``Options()``.

    Raises ``BadInput``: a log with wrong units, too low a rate or a wrong shape, or logs that do
    not excite the arm (which parameters, which joint).

    Source: madsen2020 sections 3 to 5.
    """
    options = options or Options()
    checked = _checked(logs, arm, options.lowest_rate)
    base = base_parameters(arm, options.rotor == "estimated")
    n = len(arm.dh)
    names = [*base.names]
    if options.friction:
        names += [f"FC{j + 1}" for j in range(n)]
        names += [f"FV{j + 1}" for j in range(n)]
    (Y, tau, clear), lengths = _all_observations(arm, base, checked, options)
    missing = unexcited(arm, base, Y, names)
    nothing_moves = len(still_joints(checked)) == n
    if options.unexcited == "refuse" or nothing_moves:
        refuse(missing, checked)
    # how many unknowns a joint's own equation adds to those of the links behind it
    owned = np.bincount(base.links(), minlength=n + 1)[1:]
    if options.friction:
        owned = owned + 2
    estimate = weighted(Y, tau, owned, lengths, clear)
    return Identification(
        given=arm,
        base=base,
        options=options,
        names=tuple(names),
        estimate=estimate,
        open=tuple(missing),
        nmse_given=_nmse_given(arm, base, Y, tau),
        nmse_fit=nmse(tau, Y @ estimate.values),
        samples=len(tau),
        motions=tuple(checked),
    )


def _checked(
    logs: MotionLog | Mapping[str, Any] | Sequence[MotionLog | Mapping[str, Any]],
    arm: Arm,
    lowest_rate: float,
) -> list[MotionLog]:
    """One log or several as a list of those that fit the arm."""
    sources: list[Any] = [logs] if isinstance(logs, (MotionLog, Mapping)) else list(logs)
    if not sources:
        raise BadInput("no logs", allowed="one or more")
    checked: list[MotionLog] = []
    for source in sources:
        checked += logs_of(source, arm, lowest_rate)
    return checked


def _all_observations(
    arm: Arm, base: BaseParameters, logs: Sequence[MotionLog], options: Options
) -> tuple[Observations, tuple[int, ...]]:
    """The equations of logs one behind the other, and how many samples each has."""
    parts = [observations(arm, base, log, options) for log in logs]
    joined = Observations(*map(np.concatenate, zip(*parts, strict=True)))
    return joined, tuple(len(part.tau) for part in parts)


def _nmse_given(arm: Arm, base: BaseParameters, Y: np.ndarray, tau: np.ndarray) -> float:
    """NMSE of an arm's own parameters, without friction, on equations of ``observations`` [N·m]."""
    without_friction = np.zeros(Y.shape[-1] - len(base.kept))
    return nmse(tau, Y @ np.concatenate([base.of(arm), without_friction]))


def unexcited(arm: Arm, base: BaseParameters, Y: np.ndarray, names: list[str]) -> list[str]:
    """Names (u,) of the unknowns that the observations Y (k, n, u) leave open.

    Every column is divided by its root mean square over random states of ±pi rad, ±1 rad/s, ±3
    rad/s² (friction by 1), so that the singular values compare the log with a lively motion.
    """
    lively = base_regressor(arm, base, *random_excitation(arm))
    scale = np.ones(Y.shape[-1])
    scale[: len(base.kept)] = np.sqrt((lively**2).sum(axis=1).mean(axis=0))
    scaled = Y.reshape(-1, Y.shape[-1]) / scale / np.sqrt(len(Y))
    _, values, directions = np.linalg.svd(scaled, full_matrices=False)
    open_ones = directions[values < _LEAST_SHARE * values[0]]
    parts = np.abs(open_ones).max(axis=0, initial=0)
    return [name for name, part in zip(names, parts, strict=True) if part > _PART]


def still_joints(logs: list[MotionLog]) -> dict[int, float]:
    """Joints, counted from 1, that move less than 0.05 rad in every log, and how far [rad]."""
    ranges = np.max([np.ptp(log.q, axis=0) for log in logs], axis=0)
    return {int(j) + 1: ranges[j] for j in np.flatnonzero(ranges < LEAST_RANGE)}


def refuse(names: list[str], logs: list[MotionLog]) -> None:
    """Raise ``BadInput`` that names the open parameters and the joints, if there are any."""
    still = still_joints(logs)
    if not names and not still:
        return
    reasons = [f"joint {j} moves {most:.2g} rad" for j, most in still.items()]
    message = f"the logs do not excite the arm: {', '.join(reasons) or 'the motion is too plain'}"
    found = f"nothing is known of {', '.join(names) or 'small motions but friction and noise'}"
    allowed = (
        "a motion of every joint, each at frequencies of its own, or unexcited='keep' (--keep)"
    )
    raise BadInput(message, where=", ".join(log.name for log in logs), found=found, allowed=allowed)


def nmse(tau: np.ndarray, predicted: np.ndarray) -> float:
    """Normalised mean squared error [N·m] of torques that a model predicts.

    Measured and predicted ones are (k, n) [N·m].

    Raises ``BadInput``: shapes that do not fit, or a joint without any torque.

    Source: madsen2020 4.5 (formula lost: see the module).
    """
    tau, predicted = np.asarray(tau, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if tau.ndim != 2 or tau.shape != predicted.shape or not len(tau):
        raise BadInput(
            "torques do not fit", found=(tau.shape, predicted.shape), allowed="(k, n) twice"
        )
    size = np.abs(tau).mean(axis=0)
    if np.any(size == 0):
        raise BadInput("a joint without torque has no normalised error", found=size.tolist())
    return float((((tau - predicted) ** 2).mean(axis=0) / size).sum())
