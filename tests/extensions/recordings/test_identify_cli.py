"""``hopfield-nav identify``: from logs to an arm file, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from identification_coverage import Experiment
from madsen2020.bench import splines
from madsen2020.excitation import from_free, random_free
from refusals import refused_by_command

from dynamics import load_arm
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import follow
from hopfield_nav.world import load_world, parse_world

RATE = 200.0  # [Hz]
CONSTANTS = np.array([12.0, 12.0, 12.0, 9.0, 9.0, 9.0])
FRICTION = np.column_stack([[5, 6, 4, 1.5, 1.2, 1.0], [8, 9, 6, 2, 1.5, 1.2]])
MOTION = from_free(random_free(6, 5, np.random.default_rng(3)), 6, 5, 10.0).scaled(np.full(6, 0.5))
MOTORS = ["--motor-constants", ",".join(map(str, CONSTANTS))]


@pytest.fixture(scope="module")
def table():
    """Time, angles and currents of a UR5e whose fourth link is heavier than its file says."""
    arm = load_arm("ur5e")
    arm = arm._replace(mass=arm.mass * [1, 1, 1, 1.5, 1, 1])
    experiment = Experiment(arm, MOTION, FRICTION, np.zeros(6), 0.0, rate=RATE, duration=20.0)
    time, q, tau = experiment.exact()
    noise = np.random.default_rng(0).normal(size=q.shape) * [0.5, 0.5, 0.5, 0.1, 0.1, 0.1]
    return np.column_stack([time, q, (tau + noise) / CONSTANTS])


def _write(path: Path, table: np.ndarray) -> str:
    names = ["timestamp"] + [f"actual_{kind}_{j}" for kind in ("q", "current") for j in range(6)]
    np.savetxt(path, table, fmt="%.9g", header=" ".join(names), comments="")
    return str(path)


def _identify(*words: str) -> int:
    return main(["identify", *words])


def _refused(capsys, said: str, *words: str) -> str:
    return refused_by_command(capsys, ["identify", *words], said)


@pytest.fixture(scope="module")
def identified(table, tmp_path_factory):
    """A log, and the arm file of it."""
    folder = tmp_path_factory.mktemp("logs")
    log = _write(folder / "log.txt", table)
    out = folder / "my_arm.yaml"
    assert _identify(log, "--arm", "ur5e", "--out", str(out), "--check", log, *MOTORS) == 0
    return log, out


def test_arm_file_holds_the_arm_and_how_good_it_is(identified):
    _, out = identified
    arm, given = load_arm(out), load_arm("ur5e")
    np.testing.assert_allclose(arm.friction[:, :2], FRICTION, rtol=0.1, atol=0.1)
    fit = yaml.safe_load(out.read_text(encoding="utf-8"))["fit"]
    assert fit["nmse_fit_Nm"] < 0.2 * fit["nmse_given_Nm"]
    assert fit["checks"][0]["nmse_identified_Nm"] < 0.2 * fit["checks"][0]["nmse_given_Nm"]
    assert fit["motor_constants_Nm_per_A"] == CONSTANTS.tolist()
    assert fit["motor_constants_from"] == "given"
    heavy, was = (a.mass[3] for a in (arm, given))
    assert heavy > 1.1 * was  # masses alone are no base parameter: the fit stays near the given arm


@pytest.mark.parametrize(
    "words",
    [
        ["check", "WORLD"],
        ["run", "WORLD", "--no-plots", "--out", "RUN"],
        [
            "run",
            "ragazzon2012",
            "--set",
            "arm=ARM",
            "--set",
            "time_limit=0.05",
            "--no-plots",
            "--out",
            "RUN",
        ],
    ],
)
def test_other_commands_accept_it(identified, tmp_path, words, capsys):
    _, out = identified
    world = tmp_path / "world.yaml"
    world.write_text(f"format: 1\narm: {out}\ntime_limit: 0.02\n", encoding="utf-8")
    places = {"WORLD": str(world), "RUN": str(tmp_path / "run"), "arm=ARM": f"arm={out}"}
    assert main([places.get(word, word) for word in words]) in (0, 1)
    if words[0] == "run":
        saved = (tmp_path / "run" / "world.yaml").read_text(encoding="utf-8")
        assert out.name in saved


def test_motor_constants_can_be_fitted(table, tmp_path, capsys):
    """With the references of a log, or with those that follow from its angles: the same constants."""
    time = table[:, 0]
    names = [f"target_{kind}_{j}" for kind in ("q", "qd", "qdd") for j in range(6)]
    plain = _write(tmp_path / "plain.txt", table)
    header, numbers = (tmp_path / "plain.txt").read_text().split("\n", 1)
    rows = np.column_stack([np.loadtxt(numbers.splitlines()), *MOTION(time)])
    log = str(tmp_path / "log.txt")
    np.savetxt(log, rows, fmt="%.9g", header=" ".join([header, *names]), comments="")
    found = []
    for name in (plain, log):
        out = tmp_path / f"{Path(name).stem}.yaml"
        assert _identify(name, "--arm", "ur5e", "--out", str(out), "--same-motor", "4,5,6") == 0
        fit = yaml.safe_load(out.read_text(encoding="utf-8"))["fit"]
        found.append(fit["motor_constants_Nm_per_A"])
    np.testing.assert_allclose(*found, rtol=0.02)
    printed = " ".join(capsys.readouterr().out.split())
    for words in (
        "NMSE on these logs",
        "least known",
        "Coulomb friction",
        "fitted with the given arm",
    ):
        assert words in printed


HELD = (
    "", "controller: {period: 0.008}\n", "controller: {period: 0.008}\nrecord: {every: 4}\n",
    "controller: {period: 0.004}\nrecord: {every: 8}\n", "controller: {hold: false}\n",
    "controller: {period: 0.008}\nsensors: {torque_noise: 1.0e-9}\n", "plant: {integrator: semi_implicit_euler}\n",
    "controller: {period: 0.008}\nplant: {integrator: semi_implicit_euler}\n",
)  # fmt: skip


@pytest.mark.parametrize("held", HELD)
def test_a_run_of_ours(tmp_path, capsys, held):
    """Rigid and without friction: the arm comes back, however long torques are held; a run with contact is refused."""
    text = f"format: 1\narm: ur5e\ndetection: {{estimator: none}}\ntime_limit: 100\n{held}"
    run = follow(parse_world(text), splines(MOTION, 10.0))
    run.save(tmp_path / "run")
    words = [str(tmp_path / "run"), "--arm", "ur5e", "--out", str(tmp_path / "b.yaml")]
    assert _identify(*words) == 0
    fit = yaml.safe_load((tmp_path / "b.yaml").read_text(encoding="utf-8"))["fit"]
    assert "motor_constants_Nm_per_A" not in fit
    truth = {"MX2R": -4.2117, "MX3R": -1.8796}
    for name, value in truth.items():
        assert fit["base_parameters"][name] == pytest.approx(value, abs=2e-4)
    touched = follow(load_world("ragazzon2012", ["time_limit=0.1"]), splines(MOTION, 0.1))
    touched.data["tau_external"][50] = 1.0
    touched.save(tmp_path / "touched")
    said = "something touched the arm; found 'contact at 0.05 s'"
    _refused(capsys, said, str(tmp_path / "touched"), *words[1:])


def test_logs_that_do_not_excite(table, tmp_path, capsys):
    """Named: the joint and the parameters; with --keep the given arm's values are taken."""
    still = table.copy()
    still[:, 6] = 0.3
    log = _write(tmp_path / "still.txt", still)
    words = [log, "--arm", "ur5e", "--out", str(tmp_path / "c.yaml"), *MOTORS]
    message = _refused(capsys, "do not excite the arm: joint 6 moves 0 rad", *words)
    assert "nothing is known of FC6, FV6" in message
    assert _identify(*words, "--keep") == 0
    assert "FC6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t[(t[:, 0] % 1.0) < 0.8], "too short"),
        (lambda t: t * [1, *[180 / np.pi] * 6, *[1] * 6], "degrees"),
        (lambda t: t * [1000, *[1] * 12], "milliseconds"),
        (lambda t: t[::4], "sampling rate is too low"),
        (lambda t: t[:, :7], "no motor currents"),
    ],
)
def test_unfit_logs(table, tmp_path, capsys, change, message):
    changed = change(table)
    log = _write(tmp_path / "log.txt", changed)
    if changed.shape[1] == 7:
        text = (tmp_path / "log.txt").read_text().split("\n", 1)
        (tmp_path / "log.txt").write_text(" ".join(text[0].split()[:7]) + "\n" + text[1])
    _refused(capsys, message, log, "--arm", "ur5e", "--out", str(tmp_path / "d.yaml"), *MOTORS)
    assert not (tmp_path / "d.yaml").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "a.txt"], "ends in .yaml"),
        (["--out", "a.yaml", "--motor-constants", "1,2"], "no motor constants"),
        (["--out", "a.yaml", "--motor-constants", "a"], "not understood"),
        (["--out", "a.yaml", "--same-motor", "4.5,6"], "--same-motor: no joints; found '4.5,6'"),
        (["--out", "a.yaml", "--rotor", "knwn"], "Did you mean 'known'"),
        (["--out", "a.yaml", "--arm", "ur6"], "ur5"),
    ],
)
def test_wrong_words(identified, capsys, words, message):
    log, _ = identified
    _refused(capsys, message, log, "--arm", "ur5e", *words)
