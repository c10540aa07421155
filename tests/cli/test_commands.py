"""The command line: exit status, folders, and what is printed; the simulation itself is a stand-in."""

import contextlib
import json
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from refusals import refused_by_command

from dynamics import BadInput
from dynamics.files import whole_folder
from dynamics.kernels import cache
from hopfield_nav.cli import app as cli
from hopfield_nav.cli.app import main
from hopfield_nav.cli.report import print_columns, print_table
from hopfield_nav.experiment import Interrupted
from hopfield_nav.plugin import extensions
from hopfield_nav.record import load_run, version_of

SUMMARY = {
    "outcome": "reached",
    "reason": "tool within 1 mm of the goal",
    "simulated_time_s": 41.2,
    "wall_time_s": 1.7,
    "real_time_factor": 24.235,
    "collision_count": 9,
    "false_alarm_count": 0,
    "peak_contact_force_N": 88.31,
    "detection_delay_median_s": 0.151,
    "detection_delay_max_s": None,
    "final_tool_error_m": 0.00042,
    "saturated_share": 0.0125,
}


class FakeRun:
    def __init__(self, outcome, passed=False):
        self.outcome = outcome
        self.summary = {**SUMMARY, "outcome": outcome, "passed_through": passed}

    def save(self, folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name in ("world.yaml", "summary.json", "log.nc"):
            (Path(folder) / name).write_text("")


@pytest.fixture
def calls(monkeypatch, tmp_path):
    """Stand-ins for simulation, pictures and film; what they were called with."""
    seen = SimpleNamespace(
        outcome="reached", passed=False, error=None, worlds=[], drawn=[], animated=[], seeds=[]
    )

    class FakeSimulation:
        """Of a world that is over at once."""

        def __init__(self, world, seed=None, felt=None):
            seen.worlds.append(world)
            seen.seeds.append(seed)

        def run(self, progress=None):
            if progress:
                progress(1.0, 2)
            if seen.error:
                raise seen.error
            return FakeRun(seen.outcome, seen.passed)

    def draw(run, folder, pdf=False, two_processes=False, only=None):
        seen.drawn.append((folder, pdf))
        return [Path(folder) / "map.png"]

    def animate(run, path, progress=None, cut=None, two_processes=False):
        seen.animated.append(path)
        return Path(f"{path}.mp4")

    _stand_in(
        monkeypatch,
        "experiment",
        Simulation=FakeSimulation,
        Interrupted=Interrupted,
        storm_of=lambda simulation: None,
    )
    _stand_in(monkeypatch, "record", load_run=lambda folder: FakeRun("reached"))
    _stand_in(monkeypatch, "figures.run", draw_run_figures=draw, animate_run=animate)
    monkeypatch.setattr(cache, "cache_is_warm", lambda: True)
    monkeypatch.chdir(tmp_path)
    return seen


def _stand_in(monkeypatch, room, **members):
    for name, member in members.items():
        monkeypatch.setitem(vars(import_module(f"hopfield_nav.{room}")), name, member)


def test_run_saves_draws_and_prints(calls, capsys):
    assert main(["run", "empty"]) == 0
    output = capsys.readouterr()
    assert Path("runs/empty/summary.json").is_file()
    assert calls.drawn == [(Path("runs/empty/figures"), False)]
    assert calls.animated == []
    for text in (
        "reached",
        "41.2 s",
        "151 ms",
        "0.42 mm",
        "88.31 N",
        "1.25 %",
        "24.23",
        "–",
        "runs/empty",
    ):
        assert text in output.out
    assert output.err == ""


@pytest.mark.parametrize("outcome", ["no_path", "unreachable", "time_limit", "diverged"])
def test_a_run_that_does_not_arrive_is_status_1(calls, outcome):
    calls.outcome = outcome
    assert main(["run", "empty", "--no-plots"]) == 1
    assert calls.drawn == []


def test_a_goal_that_was_reached_through_an_obstacle_is_status_1(calls):
    calls.passed = True
    assert main(["run", "empty", "--no-plots"]) == 1


def test_nothing_is_overwritten(calls, capsys):
    for _ in range(3):
        assert main(["run", "empty", "--no-plots"]) == 0
    assert sorted(p.name for p in Path("runs").iterdir()) == ["empty", "empty-2", "empty-3"]
    refused_by_command(capsys, ["run", "empty", "--out", "runs/empty"], "holds something already")
    assert len(calls.worlds) == 3


@pytest.mark.parametrize(("out", "taken", "free"), [
    ([], ["runs/empty"], "runs/empty-2"),
    ([], ["runs/empty", "runs/empty-2"], "runs/empty-3"),
    (["--out", "mine"], ["mine"], "mine-2"),
    (["--out", "mine-2"], ["mine-2", "mine-2-2"], "mine-2-3"),
])  # fmt: skip
def test_what_was_computed_goes_to_the_next_free_name(calls, monkeypatch, capsys, out, taken, free):
    """Another program took the name while this one computed."""

    def save(self, folder):
        with whole_folder(folder) as partial:
            (partial / "mine").touch()

    def run(simulation, progress=None):
        for folder in taken:
            Path(folder).mkdir(parents=True)
            (Path(folder) / "theirs").touch()
        return FakeRun("reached")

    monkeypatch.setattr(FakeRun, "save", save)
    monkeypatch.setattr(import_module("hopfield_nav.experiment").Simulation, "run", run)
    assert main(["run", "empty", *out]) == 0
    output = capsys.readouterr()
    assert output.err == f"{taken[0]} was taken meanwhile; the results are in {free}\n"
    assert free in output.out
    assert calls.drawn == [(Path(free) / "figures", False)]
    assert [p.name for p in Path(free).iterdir()] == ["mine"]
    assert all([p.name for p in Path(folder).iterdir()] == ["theirs"] for folder in taken)


@pytest.mark.parametrize("name", ["..yaml", "...yaml", "....yml"])
def test_a_world_has_a_name_of_its_own(calls, capsys, name):
    """Its results would go to ``runs`` itself, or beside it."""
    Path(name).write_text("format: 1\n")
    refused_by_command(capsys, ["run", name], "no name")
    assert not Path("runs").exists()


def test_figures_are_not_drawn_through_a_link(calls, capsys):
    assert main(["run", "empty", "--no-plots"]) == 0
    Path("outside").mkdir()
    Path("runs/empty/figures").symlink_to(Path("outside").absolute())
    refused_by_command(capsys, ["plot", "runs/empty"], "leads out of")
    assert calls.drawn == []


def test_out_may_be_new_or_empty(calls):
    Path("here").mkdir()
    assert main(["run", "empty", "--no-plots", "--out", "here"]) == 0
    assert main(["run", "empty", "--no-plots", "--out", "a/b/c"]) == 0
    assert Path("a/b/c/log.nc").is_file()


def test_options_reach_the_simulation(calls):
    changes = ["--set", "detection.threshold=8", "--set", "record.every=3"]
    assert main(["run", "empty", "--seed", "5", *changes, "--animate"]) == 0
    assert calls.seeds == [5]
    assert calls.worlds[0].detection.parameters["threshold"] == 8.0
    assert calls.worlds[0].record.every == 3
    assert calls.animated == [Path("runs/empty/animation")]


@pytest.mark.parametrize("out", [[], ["--out", "runs/below"]], ids=["default", "given"])
def test_a_folder_that_cannot_be_written_is_said_before_the_run(calls, capsys, out):
    Path("runs").write_text("in the way")
    refused_by_command(capsys, ["run", "empty", *out], "cannot write results here")
    assert calls.worlds == []


def test_a_failed_save_is_one_line(calls, capsys, monkeypatch):
    def full(self, folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FakeRun, "save", full)
    refused_by_command(capsys, ["run", "empty"], "No space left")


def test_a_first_run_says_that_it_compiles_and_how_long_it_took(calls, capsys, monkeypatch):
    _stand_in(monkeypatch, "experiment", compile_in_parallel=lambda world: time.sleep(0.6))
    monkeypatch.setattr(cache, "cache_is_warm", lambda: False)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert main(["run", "empty", "--no-plots"]) == 0
    first = capsys.readouterr().err.splitlines()
    assert first[:2] == ["compiling once; later runs start at once", "compiled in 1 s"]


def test_bad_input_inside_the_run_is_status_2(calls, capsys):
    calls.error = BadInput("start outside the map", where="start.joints")
    assert main(["run", "empty"]) == 2
    assert capsys.readouterr().err == "hopfield-nav: start.joints: start outside the map\n"


def test_an_internal_error_leaves_a_report(calls, capsys):
    calls.error = ZeroDivisionError("not meant to happen")
    assert main(["run", "empty"]) == 3
    message = capsys.readouterr().err
    report = next(Path().glob("hopfield-nav-error-*.txt"))
    assert len(message.splitlines()) == 1
    assert report.name in message
    text = report.read_text(encoding="utf-8")
    assert "not meant to happen" in text
    assert "Traceback" in text
    assert "hopfield-nav run empty" in text
    assert f"numba {version_of('numba')}" in text


@pytest.mark.parametrize("out", [[], ["--out", "kept"]])
def test_an_internal_error_in_a_run_keeps_its_record_and_the_report_beside_it(
    out, sketched, monkeypatch, tmp_path, capsys
):
    def fail(*_):
        raise ValueError("not meant to happen")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hopfield_nav.experiment.after_event.after_alarm", fail)
    assert main(["run", "u_trap", "--no-plots", *out]) == 3
    folder = Path(out[1] if out else "runs/u_trap")
    (report,) = folder.glob("hopfield-nav-error-*.txt")
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == (
        f"hopfield-nav: internal error (ValueError); the record up to there: {folder}; details are in {report}"
    )
    assert "not meant to happen" in report.read_text(encoding="utf-8")
    kept = load_run(folder)
    assert kept.outcome == "internal_error"
    assert kept.data.sizes["time"] > 1000
    assert not out or main(["plot", str(folder)]) == 0  # one of the two is enough


def test_an_interrupt_is_status_130(calls, capsys):
    calls.error = KeyboardInterrupt()
    assert main(["run", "empty"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("runn", "Did you mean 'run'"),
        ("run", "Missing argument 'WORLD'"),
        ("run empty --seed x", "a valid integer"),
        ("run empty --seed -1", "greater than or equal to 0"),
        ("run nowhere", "unknown world"),
        ("run empty --bogus", "No such option: --bogus"),
        ("check", "Missing argument 'FILE...'"),
        ("check nowhere.yaml", "no such file"),
        ("plot nowhere", "no such folder"),
        ("animate nowhere", "no such folder"),
        ("plot .", "not the folder of a run"),
        ("animate .", "not the folder of a run"),
        ("run empty --set seed", "allowed: KEY=VALUE"),
        ("run empty --set sed=1", "Did you mean 'seed'"),
        ("plot", "Missing argument 'RUN_OR_SWEEP'"),
    ],
)
def test_wrong_usage_and_bad_input_are_one_line_and_status_2(calls, capsys, arguments, words):
    refused_by_command(capsys, arguments.split(), words)
    assert calls.worlds == []


def test_plot_and_animate_a_saved_run(calls, capsys):
    FakeRun("reached").save("runs/a")
    assert main(["plot", "runs/a", "--pdf"]) == 0
    assert main(["animate", "runs/a"]) == 0
    assert calls.drawn == [(Path("runs/a/figures"), True)]
    assert capsys.readouterr().out.split() == ["runs/a/figures/map.png", "runs/a/animation.mp4"]


def test_check_goes_on_after_a_bad_file(calls, capsys):
    Path("bad.yaml").write_text("format: 1\nsed: 3")
    assert main(["check", "empty", "bad.yaml", "u_trap"]) == 2
    output = capsys.readouterr()
    assert output.out == "empty: ok\nu_trap: ok\n"
    assert output.err == (
        "hopfield-nav: bad.yaml, line 2: sed: unknown key; found 'sed'; allowed: "
        + output.err.split("allowed: ")[1]
    )
    assert "Did you mean 'seed'?" in output.err


def test_schema_is_json(capsys):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "hopfield-nav world"


def test_help_and_version(capsys):
    assert main(["--help"]) == 0
    assert main(["--version"]) == 0
    text = capsys.readouterr().out
    for command in (
        *cli.CORE,
        *(name for extension in extensions() for name in extension.commands),
    ):
        assert f"  {command} " in text
    assert main([]) == 2
    assert "Usage" in capsys.readouterr().out


def test_tables_print_their_cells_as_they_are(capsys):
    print_table([("[a]", "[b]")], title="[c]")
    print_columns(["[d]", "[e]"], [["[f]", "[g]"]])
    text = capsys.readouterr().out
    assert all(f"[{letter}]" in text for letter in "abcdefg")


def test_version_of_what_is_not_installed():
    assert version_of("no-such-package") == "not installed"


def test_help_imports_nothing_heavy_and_answers_at_once():
    code = (
        "import sys; from hopfield_nav.cli.app import main; main(['--help']); "
        "heavy = ('numba', 'numpy', 'scipy', 'matplotlib', 'pydantic', 'xarray'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    begin = time.perf_counter()
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert result.stdout.splitlines()[-1] == "[]"
    assert time.perf_counter() - begin < 5.0  # about 0.15 s; generous for a busy machine


def test_an_interrupt_that_something_swallowed_is_no_internal_error(monkeypatch, capsys, tmp_path):
    """As when Ctrl-C meets the compiler: it drops the interrupt and fails with an error of its own."""
    monkeypatch.chdir(tmp_path)

    def compile_badly(*_):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr(cli, "_call", compile_badly)
    assert main(["demo"]) == 130
    assert capsys.readouterr().err == "hopfield-nav: interrupted\n"
    assert not list(tmp_path.iterdir())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def fail(*_):
        raise RuntimeError("no interrupt")

    monkeypatch.setattr(cli, "_call", fail)
    assert main(["demo"]) == 3


def test_check_takes_the_name_of_a_world_and_an_arm_for_the_world(capsys):
    assert main(["check", "panda"]) == 0
    assert capsys.readouterr().out == "panda: ok\n"


def test_check_knows_the_arms_that_come_along(capsys):
    assert main(["check", "ur5e"]) == 0
    assert "ok, an arm with 6 joints" in capsys.readouterr().out
    told = refused_by_command(capsys, ["check", "ur99"], "unknown world, sweep, suite or arm")
    assert "ur5_full" in told
