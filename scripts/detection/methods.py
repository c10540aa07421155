"""The methods that are compared, and how each one's thresholds are set on calibration motions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hopfield_nav.logs import Replay, replay
from hopfield_nav.plugin import find_method

if TYPE_CHECKING:
    from detection.trials import Recorded

OMEGA = (22.5, 22.5, 37.5, 60.0, 67.5, 75.0)
FLOORS = {  # least thresholds, whatever an ideal simulation would allow
    "joint_torque": [0.2, 0.2, 0.2, 0.05, 0.05, 0.05],  # [N·m]
    "force_norm": 2.0, "wrench_norm": 2.0,  # [N], and N·m
    "energy": 0.02,  # [W]
}  # fmt: skip
POSITION_FLOOR, SPEED_FLOOR = 2e-5, 2e-3  # [rad], [rad/s]
MARGIN = 1.25  # thresholds are this much above what free motion reached on the calibration seeds
REARM = 0.5


@dataclass(frozen=True)
class Candidate:
    """An estimator with a detector and their parameters.

    With ``per_joint`` the threshold is brought to the shape of what each joint shows in free motion, before
    it is scaled as a whole.
    """

    name: str
    estimator: str
    detector: str
    parameters: dict[str, Any] = field(default_factory=dict)
    per_joint: bool = False
    calibrated: bool = True

    def run(self, trial: Recorded) -> Replay:
        """Over what was sensed in a trial."""
        methods = find_method("estimator", self.estimator), find_method("detector", self.detector)
        names = {p.name for m in methods for p in m.parameters if p.inherit or p.of_sensors}
        known = {"omega": OMEGA, "velocity_noise": trial.noise, "torque_noise": 0.0}
        values = {**self.parameters, **{name: known[name] for name in names}}
        return replay(trial.model, trial.signals, *methods, values, REARM)

    def world_keys(self) -> dict[str, Any]:
        """The same as keys of a world's section ``detection``."""
        return {"estimator": self.estimator, "measure": self.detector, "rearm": REARM, **self.parameters}


def candidates(pole: float = 100.0, own: str | None = None) -> list[Candidate]:
    """Every method of the package, with ``pole`` [1/s] for all observers; ``own`` is FILE.py:NAME.

    A detector of one's own listens to the momentum observer, and its ``threshold`` is scaled as a whole.
    """
    observer, jt = {"pole": pole}, {"per_joint": True}
    momentum, torques = "momentum_observer", "joint_torque"
    yours = [Candidate(own, momentum, own, dict(observer))] if own else []
    return [
        Candidate("joint error, wrench norm > 12 (5.9)", "joint_error", "wrench_norm", calibrated=False),
        Candidate("joint error, wrench norm", "joint_error", "wrench_norm"),
        Candidate("joint error, force norm", "joint_error", "force_norm"),
        Candidate("joint error, joint torques", "joint_error", torques, **jt),
        Candidate("joint error without M, force norm", "joint_error_plain", "force_norm"),
        Candidate("tracking error and its rate", "none", "tracking"),
        Candidate("disturbance observer, joint torques", "disturbance_observer", torques, observer, **jt),
        Candidate("energy observer", "none", "energy", {"energy_pole": pole}),
        Candidate("momentum observer, force norm", momentum, "force_norm", observer),
        Candidate("momentum observer, joint torques", momentum, torques, observer, **jt),
        Candidate("…, for 5 ms", momentum, "persistent_joint_torque",
                  {**observer, "persistence": 0.005}, **jt),
        Candidate("…, high-passed", momentum, "high_pass_joint_torque",
                  {**observer, "corner": 5.0}, **jt),
        Candidate("…, adaptive", momentum, "adaptive_joint_torque", dict(observer), **jt),
        Candidate("…, adaptive, default thresholds", momentum, "adaptive_joint_torque", calibrated=False),
        Candidate("…, adaptive and high-passed", momentum, "adaptive_high_pass",
                  {**observer, "corner": 5.0}, **jt),
        *yours,
    ]  # fmt: skip


def calibrate(candidate: Candidate, motions: list[Recorded]) -> Candidate:
    """Thresholds ``MARGIN`` above everything seen in free motions.

    Args:
        candidate: with first guesses.
        motions: model and signals of each.
    """
    if not candidate.calibrated:
        return candidate
    if candidate.detector == "tracking":
        return replace(candidate, parameters=_tracking_thresholds(motions))
    if candidate.per_joint:
        candidate = _shaped(candidate, motions)
    if "adaptive" in candidate.detector:
        return _floored(_bisected(candidate, motions))
    return _floored(_scaled(candidate, MARGIN * _largest(candidate, motions)))


def _floored(candidate: Candidate) -> Candidate:
    floor = FLOORS.get("joint_torque" if candidate.per_joint else candidate.detector, 0.0)
    value = np.maximum(_value(candidate, "threshold"), floor).tolist()
    return replace(candidate, parameters={**candidate.parameters, "threshold": value})


def _tracking_thresholds(motions: list[Recorded]) -> dict[str, Any]:
    """``MARGIN`` above the joint error and its rate of each joint."""
    signals = [trial.signals for trial in motions]
    position = np.max([np.abs(s.q - s.q_ref).max(axis=0) for s in signals], axis=0)
    speed = np.max([np.abs(s.qd - s.qd_ref).max(axis=0) for s in signals], axis=0)
    return {
        "position_threshold": np.maximum(MARGIN * position, POSITION_FLOOR).tolist(),
        "speed_threshold": np.maximum(MARGIN * speed, SPEED_FLOOR).tolist(),
    }


def _shaped(candidate: Candidate, motions: list[Recorded]) -> Candidate:
    """Each joint's threshold at the largest torque that its estimator showed on that joint."""
    plain = replace(candidate, detector="joint_torque", parameters=_of_estimator(candidate))
    runs = (plain.run(trial) for trial in motions)
    shape = np.max([np.abs(answer.tau_external).max(axis=0) for answer in runs], axis=0)
    values = {**candidate.parameters, "threshold": np.maximum(shape, 1e-6).tolist()}
    return replace(candidate, parameters=values)


def _of_estimator(candidate: Candidate) -> dict[str, Any]:
    names = {p.name for p in find_method("estimator", candidate.estimator).parameters}
    return {key: value for key, value in candidate.parameters.items() if key in names}


def _bisected(candidate: Candidate, motions: list[Recorded]) -> Candidate:
    """The smallest scale of the fixed part that keeps the level ``MARGIN`` below 1, to 10 %."""
    low, high = -2.0, 0.1
    while high - low > np.log10(1.1):
        middle = 0.5 * (low + high)
        quiet = _largest(_scaled(candidate, 10.0**middle), motions) * MARGIN <= 1.0
        low, high = (low, middle) if quiet else (middle, high)
    return _scaled(candidate, 10.0**high)


def _scaled(candidate: Candidate, factor: float) -> Candidate:
    values = dict(candidate.parameters)
    values["threshold"] = (np.asarray(_value(candidate, "threshold")) * factor).tolist()
    return replace(candidate, parameters=values)


def _value(candidate: Candidate, name: str) -> Any:
    if name in candidate.parameters:
        return candidate.parameters[name]
    known = {p.name: p for p in find_method("detector", candidate.detector).parameters}
    return known[name].default


def _largest(candidate: Candidate, motions: list[Recorded]) -> float:
    return max(float(candidate.run(trial).level.max()) for trial in motions)
