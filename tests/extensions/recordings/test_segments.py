"""What each part of a motion needs of a threshold, and the rate of false alarms against the force felt."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benches import suite_module
from refusals import refused, refused_by_command

from dynamics import inverse_dynamics, jacobian, joint_friction_torque
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.recordings import (
    Signals,
    Watched,
    by_segment,
    draw_rates,
    felt,
    rate_curve,
)
from hopfield_nav.loop import parts_of_motion, quintic_trajectory, values_at
from hopfield_nav.plugin import find_method

study = suite_module("explain")
ARM = study.arm_of()
THRESHOLD = np.array(study.THRESHOLD)


def watched(measure="joint_torque"):
    methods = find_method("estimator", "momentum_observer"), find_method("detector", measure)
    return Watched(
        ARM, *methods, {"threshold": 12.0 if measure == "force_norm" else list(THRESHOLD)}
    )


def motion(noise, seed=0):
    """Two legs with a rest between them, the second with another noise."""
    generator = np.random.default_rng(seed)
    q = generator.uniform(study.LOW, study.HIGH, (3, 6))
    time = np.arange(0.0, 5.0, study.PERIOD)
    legs = [
        values_at(quintic_trajectory(q[k : k + 2], 2.0), np.clip(time - 3.0 * k, 0.0, 2.0))
        for k in (0, 1)
    ]
    at, speed, more = (np.where((time < 2.5)[:, None], a, b) for a, b in zip(*legs, strict=True))
    for k, leg in enumerate((time <= 2.0, time >= 3.0)):
        more[~leg & ((time < 2.5) == (k == 0))] = 0.0
    tau = inverse_dynamics(ARM, at, speed, more) + joint_friction_torque(ARM, speed)
    tau += generator.normal(0.0, 1.0, tau.shape) * np.where(time < 2.5, *noise)[:, None]
    return Signals(time, at, speed, at, speed, more, tau)


def test_a_part_lies_between_two_rests():
    signals = motion((0.1, 0.1))
    (first, second) = parts_of_motion(signals.time, signals.qd_ref)
    assert signals.time[first][[0, -1]] == pytest.approx([0.0, 2.0], abs=0.1)
    assert signals.time[second][[0, -1]] == pytest.approx([3.0, 5.0], abs=0.1)


def test_a_part_with_more_noise_needs_a_higher_threshold_and_feels_less():
    quiet, loud = by_segment(watched(), [motion((0.2, 0.8))], THRESHOLD)
    assert loud.share == pytest.approx(4.0 * quiet.share, rel=0.5)
    assert loud.force > 2.0 * quiet.force
    alike = by_segment(watched(), [motion((0.2, 0.8))], 2.0 * THRESHOLD)
    # the same newtons
    assert [2.0 * each.share for each in alike] == pytest.approx([quiet.share, loud.share])
    assert [each.force for each in alike] == pytest.approx([quiet.force, loud.force])


def test_the_rate_falls_with_the_force_and_its_bound_is_above_it():
    shares = np.geomspace(0.01, 1.0, 12)
    curve = rate_curve(
        watched(), [motion((0.3, 0.3), seed) for seed in range(3)], THRESHOLD, shares
    )
    assert np.all(np.diff(curve.force) > 0.0)
    assert curve.rate[0] > curve.rate[-1] == 0.0
    assert np.all(curve.most > curve.rate)
    assert curve.most[-1] == pytest.approx(-np.log(0.025) / 15.0 * 3600.0, rel=0.02)  # 0 in 15 s


def test_the_force_that_is_felt_reaches_the_threshold():
    """A force f along u makes torques J' f u: at the median force about half of the directions alarm."""
    signals = motion((0.0, 0.0))
    force = felt(watched(), signals, slice(100, 101), THRESHOLD)
    directions = np.random.default_rng(1).normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    torque = np.abs(force * directions @ jacobian(ARM, signals.q[100])[:3])
    assert np.mean((torque >= THRESHOLD).any(axis=1)) == pytest.approx(0.5, abs=0.1)
    assert felt(watched("force_norm"), signals, slice(0, 10), np.array(12.0)) == 12.0


def test_one_rule_counts_alarms():
    """Noise about the threshold is one alarm while the level stays above that which arms the detector again."""
    free = [motion((0.3, 0.3), seed) for seed in range(3)]
    rule = replace(watched(), rearm=0.2)
    curve = rate_curve(rule, free, 0.12 * THRESHOLD, np.array([0.5, 1.0]))
    seconds = sum(signals.time[-1] - signals.time[0] + study.PERIOD for signals in free)
    levels = [rule.watch(signals, 0.12 * THRESHOLD).level >= 1.0 for signals in free]
    counted = sum(rule.alarms(signals, 0.12 * THRESHOLD) for signals in free)
    assert (
        0
        < counted
        < 0.9 * sum(np.count_nonzero(np.diff(above.astype(int)) > 0) for above in levels)
    )
    assert curve.rate[-1] == pytest.approx(3600.0 * counted / seconds, rel=0.01)
    for part in by_segment(rule, free, THRESHOLD):
        rows = free[part.motion].time
        second = (rows > (part.begin + part.end) / 2) & (rows <= part.end)
        assert (
            part.alarms
            == rule.watch(free[part.motion], part.share * THRESHOLD).detected[second].sum()
        )


def test_a_lower_threshold_has_no_lower_rate():
    """A level that no longer falls far enough to arm again is one long alarm; the curve does not fall for that."""
    quiet, shares = motion((0.0, 0.0)), np.geomspace(0.05, 1.0, 30)
    swings = np.zeros(quiet.tau.shape)
    swings[:, 0] = 1.5 + 0.9 * np.sin(2.0 * np.pi * 2.0 * quiet.time)
    free, rule = [quiet._replace(tau=quiet.tau + swings)], replace(watched(), rearm=0.3)
    counts = np.array([rule.alarms(free[0], share * THRESHOLD) for share in shares])
    assert np.any(np.diff(counts) > 0), counts
    curve = rate_curve(rule, free, THRESHOLD, shares)
    assert np.all(np.diff(curve.rate) <= 0.0)
    assert curve.rate[0] == pytest.approx(3600.0 * counts.max() / 5.0, rel=0.01)


def test_other_detectors_and_rest_are_refused(capsys, tmp_path, monkeypatch):
    with refused("found 'adaptive_joint_torque'|adaptive_joint_torque"):
        by_segment(watched("adaptive_joint_torque"), [motion((0.1, 0.1))], THRESHOLD)
    still = motion((0.1, 0.1))
    with refused("nothing moves"):
        by_segment(watched(), [still._replace(qd_ref=np.zeros_like(still.qd_ref))], THRESHOLD)
    monkeypatch.chdir(tmp_path)
    tune = ["tune", "u_trap", "--false-alarms-per-hour", "1000", "--seeds", "2"]
    for asked in (["--by-segment"], ["--plot", "a.png"]):
        refused_by_command(
            capsys, [*tune, *asked], "detection.measure: --by-segment and --plot need a level"
        )
    refused_by_command(capsys, [*tune, "--plot", "a.pdf"], "allowed: .png")
    assert not list(tmp_path.iterdir())


def test_the_command_tells_of_every_part_and_draws(capsys, tmp_path, monkeypatch):
    """The curve goes through the rate of the table, and the foot names the threshold."""
    drawn = []
    monkeypatch.setattr(
        "hopfield_nav.extensions.recordings.figures.draw_rates",
        lambda *given: drawn.append(given) or draw_rates(*given),
    )
    monkeypatch.chdir(tmp_path)
    assert main(["tune", "u_trap", "--false-alarms-per-hour", "1000", "--seeds", "4", "--by-segment",
                 "--plot", "rates.png", "--set", "detection.measure=joint_torque",
                 "--set", "sensors.velocity_noise=0.002"]) in (0, 1)  # fmt: skip
    out = capsys.readouterr().out
    assert "of the threshold" in out
    assert "motion 1" in out
    assert len([line for line in out.splitlines() if " in " in line and "–" in line]) >= 4
    assert Path("rates.png").read_bytes().startswith(b"\x89PNG")
    ((force, rate, _, chosen, _, note),) = drawn
    assert f": {rate[force == chosen][0]:.3g} an hour" in out
    threshold = re.search(r"threshold +(\[.*\])", out)
    assert f"u_trap, chosen threshold {threshold[1]} N·m" in note.replace("\u00a0", " ")
