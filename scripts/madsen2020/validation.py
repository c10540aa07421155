"""Sections 4 and 5: the fit on the test bench, judged on three motions that it has not seen.

NMSE here is of the measured torque of the motors, so that models with and without rotor
compensation can be compared: e is what a model leaves of it, whatever the model takes off
beforehand. The baseline has the links of a CAD model that is off by 10 %, and the known law of the
rotors; the identified model has Coulomb and viscous terms besides. ``links_only`` gives these to
the baseline too: what is left is the links' part.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from reproduction import listed
from verdicts import same_direction

from dynamics.identification import Identification, Options, identify, nmse, observations
from madsen2020 import bench
from madsen2020.cad_error import cad_error

SHARE = 0.10  # CAD error
SHARES = (0.0, 0.025, 0.05, 0.075, 0.10, 0.15, 0.20)
DRAWS = 20
WEAK, SHARE_4_6 = (0.19, 0.20), 0.8135  # 4.6
TABLE_4 = {"MX2R": -4.1774, "MX3R": -1.8774, "MY4R": -0.1866}  # [kg·m]
TABLE_5 = ((325.9, 233.0, 28.5), (1245.7, 1040.4, 16.5), (334.0, 250.9, 24.9))


class Equations(NamedTuple):
    """Filtered equations of one motion."""

    Y: np.ndarray  # (k, n, u) observations
    tau: np.ndarray  # (k, n) torque after compensation [N·m]
    measured: np.ndarray  # (k, n) torque of the motors [N·m]

    def model(self, unknowns: np.ndarray) -> np.ndarray:
        """Torque of the motors (k, n) as a model has it [N·m]."""
        return self.measured - (self.tau - self.Y @ unknowns)

    def nmse(self, unknowns: np.ndarray) -> float:
        """Of a model, relative to the measured torque [N·m]."""
        return nmse(self.measured, self.model(unknowns))


@cache
def fitted(compensation: bool) -> Identification:
    """The identification, from 31 s of the exciting motion and a CAD model."""
    cad = cad_error(bench.true_arm(), SHARE, np.random.default_rng(1))
    return identify(bench.identification_log(), cad, bench.options(compensation))


@cache
def judge(trajectory: int, compensation: bool) -> Equations:
    """The equations of a validation motion (0, 1, 2), or of the exciting one (-1)."""
    log = bench.identification_log() if trajectory < 0 else bench.validation_logs()[trajectory]
    found = fitted(compensation)
    Y, tau, _ = observations(found.given, found.base, log, bench.options(compensation))
    bare = Options(rotor="ignored", friction=False)
    return Equations(Y, tau, observations(found.given, found.base, log, bare).tau)


def cad_unknowns(share: float, draw: int, links_only: bool = False) -> np.ndarray:
    """Base parameters of a CAD model, then no friction besides the known law, or the fitted one."""
    found = fitted(True)
    base = found.base.of(cad_error(bench.true_arm(), share, np.random.default_rng(draw)))
    friction = found.estimate.values[len(base) :]
    return np.concatenate([base, friction if links_only else np.zeros_like(friction)])


class Line(NamedTuple):
    """A row of Table 5: NMSE [N·m] of CAD and calibrated model, and the share that is gone."""

    cad: float
    calibrated: float

    @property
    def improvement(self) -> float:
        return 1 - self.calibrated / self.cad


@cache
def table_5(
    share: float = SHARE, draw: int = 1, compensation: bool = True, links_only: bool = False
):
    """Ours, one ``Line`` a trajectory; the CAD model always has the known law of its rotors."""
    cad = cad_unknowns(share, draw, links_only)
    return tuple(
        Line(
            judge(k, True).nmse(cad),
            judge(k, compensation).nmse(fitted(compensation).estimate.values),
        )
        for k in range(len(bench.VALIDATION))
    )


def curve(compensation: bool, links_only: bool = False) -> np.ndarray:
    """Improvement (shares, draws, 3) against CAD error."""
    return np.array(
        [
            [
                [line.improvement for line in table_5(s, d, compensation, links_only)]
                for d in range(DRAWS)
            ]
            for s in SHARES
        ]
    )


def table_4() -> dict[str, tuple[float, float, float]]:
    """Name: identified value, its standard deviation, truth of the bench [kg·m]."""
    return {name: estimate(name) for name in TABLE_4}


def estimate(name: str) -> tuple[float, float, float]:
    """The same of any base parameter."""
    found = fitted(True)
    k = found.names.index(name)
    told = found.estimate.values, found.estimate.deviations, found.base.of(bench.true_arm())
    return tuple(float(values[k]) for values in told)


def least_known(count: int = 2) -> list[tuple[str, float, float]]:
    """The base parameters with the largest relative deviations: name, value, deviation over value."""
    found = fitted(True)
    p = len(found.base.kept)
    relative = found.estimate.deviations[:p] / np.abs(found.estimate.values[:p])
    order = np.argsort(-relative)[:count]
    return [(found.names[k], float(found.estimate.values[k]), float(relative[k])) for k in order]


def _near(ours: float | list[float], published: float | tuple[float, ...]) -> bool:
    """To 1 %."""
    return bool(np.all(np.abs(np.divide(ours, published) - 1) < 0.01))


def rows() -> Rows:
    for name, value in TABLE_4.items():
        found, deviation, truth = table_4()[name]
        ours = f"{found:.4f} ± {deviation:.4f} kg·m identified, {truth:.4f} from the maker's masses and centres"
        yield judged(
            "madsen2020.first_moments", ours, abs(truth / value - 1) < 0.01, name=name, value=value
        )
    weak = least_known()
    ours = ", ".join(f"{name} = {value:.5f}: {100 * r:.0f} %" for name, value, r in weak)
    agrees = same_direction(
        all(abs(value) < 0.02 for _, value, _ in weak), _near([r for _, _, r in weak], WEAK)
    )
    yield judged("madsen2020.least_known_parameters", ours, agrees)
    on_fit, excitation = judge(-1, True), bench.excitation()
    before = on_fit.nmse(cad_unknowns(SHARE, 1))
    after = on_fit.nmse(fitted(True).estimate.values)
    ours = f"{excitation.condition_number:.0f}; the best of 10 random ones {excitation.random_condition_numbers[0]:.0f}"
    yield judged("madsen2020.condition_number", ours, None)
    ours = f"{before:.2f} to {after:.3f} N·m: {100 * (1 - after / before):.1f} %"
    agrees = same_direction(after < before, _near(1 - after / before, SHARE_4_6))
    yield judged("madsen2020.fit_to_its_own_motion", ours, agrees)
    for number, (line, published) in enumerate(zip(table_5(), TABLE_5, strict=True), 1):
        ours = f"{line.cad:.3f} to {line.calibrated:.3f} N·m: {100 * line.improvement:.1f} %"
        agrees = same_direction(line.improvement > 0, _near(line.improvement, published[2] / 100))
        yield judged("madsen2020.motion_not_used", ours, agrees, number=number, published=published)
    table, without = table_5(), table_5(compensation=False)
    errors, gains = [line.cad for line in table], [line.improvement for line in table]
    ratio = [off.calibrated / on.calibrated for on, off in zip(table, without, strict=True)]
    ours = f"errors {listed(errors, '.2f')} N·m, improvements {listed([100 * g for g in gains], '.0f')} %"
    same = "so it is here" if int(np.argmin(gains)) == int(np.argmax(errors)) else "here it is not"
    yield judged("madsen2020.smallest_improvement", ours, None, same=same)
    ours = f"without it NMSE is {listed(ratio, '.1f')} times as large"
    yield judged("madsen2020.rotor_compensation", ours, min(ratio) > 1)
