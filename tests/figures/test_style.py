"""Pictures are set by the project alone; the user's settings of Matplotlib neither change them nor are changed."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from hopfield_nav import load_run, load_world, plan_world
from hopfield_nav.extensions.known_world.figures import draw_plan_figures
from hopfield_nav.figures import film_style
from hopfield_nav.figures.run import draw_run_figures, film

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "tests/record/saved_before"
HOSTILE = {
    "text.usetex": True, "font.family": "fantasy", "font.size": 31.0, "lines.marker": "o", "axes.grid": True,
    "axes.facecolor": "black", "savefig.bbox": "tight", "savefig.transparent": True, "axes.spines.left": False,
    "image.cmap": "hot", "figure.dpi": 33.0, "path.sketch": (4.0, 30.0, 10.0), "xtick.direction": "in",
}  # fmt: skip
RC = (
    "text.usetex: True\nfont.size: 31\naxes.facecolor: black\nsavefig.bbox: tight\nbackend: TkAgg\n"
)
DRAW = """\
import sys
from pathlib import Path
import numpy as np
from hopfield_nav.extensions.recordings.figures import draw_replay
time = np.linspace(0.0, 1.0, 50)
draw_replay(time, time, np.ones((50, 6)), time > 0.9, Path(sys.argv[1]), "a note")
import matplotlib
assert str(matplotlib.rcParams._get_backend_or_none()).lower() == sys.argv[2]  # none: still to be chosen
"""


@pytest.fixture(scope="module")
def run():
    return load_run(RUN)


def _same_picture(draw, tmp_path):
    """Files that ``draw`` writes into a folder are the same with hostile settings, which hold afterwards."""
    plain = [path.read_bytes() for path in draw(tmp_path / "plain")]
    with matplotlib.rc_context(HOSTILE):
        before = dict(matplotlib.rcParams.items())
        other = [path.read_bytes() for path in draw(tmp_path / "hostile")]
        assert dict(matplotlib.rcParams.items()) == before
    assert plain
    assert plain == other


def test_figures_of_a_run_are_the_same(run, tmp_path):
    """An image, lines and a scene; all pages are drawn in the same surrounding."""

    def draw(folder):
        return [
            path
            for name in ("maps", "joints", "snapshots")
            for path in draw_run_figures(run, folder, only=name)
        ]

    _same_picture(draw, tmp_path)


def test_figures_of_a_plan_are_the_same(tmp_path):
    made = plan_world(load_world("cell"))
    _same_picture(
        lambda folder: draw_plan_figures(made.arm, made.scene, made.world, made.plan, folder),
        tmp_path,
    )


def test_frames_of_a_film_are_the_same(run):
    def frame():
        with film_style():
            return film.Film(run).draw(0.1)

    plain = frame()
    with matplotlib.rc_context(HOSTILE):
        np.testing.assert_array_equal(frame(), plain)


def test_a_figure_that_was_given_back_is_drawn_as_ours_later(run, tmp_path):
    """Its ticks are not made anew with the user's settings, such as LaTeX that is not there."""
    with matplotlib.rc_context({"text.usetex": True, "font.size": 31.0}):
        figure = run.plot("joints")
        assert isinstance(figure, Figure)
        figure.savefig(tmp_path / "joints.png")
        assert {label.get_usetex() for ax in figure.axes for label in ax.get_xticklabels()} == {
            False
        }


def _drawn_by_a_process(path, environment, backend="none"):
    """The picture that a process draws, which has asked for that backend in the end."""
    command = [sys.executable, "-c", DRAW, str(path), backend]
    done = subprocess.run(
        command, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # by Matplotlib
    assert done.stderr == "" or done.stderr.startswith("Cannot decode configuration file")
    return path.read_bytes()


@pytest.fixture(scope="module")
def usual():
    return {k: v for k, v in os.environ.items() if not k.startswith("MPL") and k != "MATPLOTLIBRC"}


@pytest.fixture(scope="module")
def plain(usual, tmp_path_factory):
    return _drawn_by_a_process(tmp_path_factory.mktemp("plain") / "plain.png", usual)


@pytest.mark.parametrize(
    "hostile",
    [
        {"MPLBACKEND": "nonsense"},
        {"MPLBACKEND": "TkAgg", "MATPLOTLIBRC": "rc"},
        {"MATPLOTLIBRC": "unreadable"},
    ],
    ids=["no such backend", "settings", "no text"],
)
def test_environment_and_file_change_no_picture(hostile, usual, plain, tmp_path):
    (tmp_path / "rc").write_text(RC)
    (tmp_path / "unreadable").write_bytes(b"axes.grid: \xff")
    here = {k: str(tmp_path / v) if k == "MATPLOTLIBRC" else v for k, v in hostile.items()}
    backend = "tkagg" if hostile.get("MPLBACKEND") == "TkAgg" else "none"
    assert _drawn_by_a_process(tmp_path / "hostile.png", {**usual, **here}, backend) == plain


def test_backend_and_settings_of_the_user_hold_after_the_import(tmp_path):
    """They are those that Matplotlib has when it is imported by itself."""
    (tmp_path / "rc").write_text("axes.grid: True\nbackend: TkAgg\n")
    ask = (
        "import matplotlib as m; r = m.rcParams; "
        "print(r._get_backend_or_none(), r['axes.grid'], m.rcParamsOrig['axes.grid'], m.rcParamsOrig['backend'])"
    )
    environment = {**os.environ, "MATPLOTLIBRC": str(tmp_path / "rc"), "PYTHONPATH": str(ROOT)}
    environment.pop("MPLBACKEND", None)
    for changes in ({}, {"MPLBACKEND": "svg"}):
        told = [
            subprocess.run(
                [sys.executable, "-c", first + ask],
                env={**environment, **changes},
                capture_output=True,
                text=True,
            ).stdout
            for first in ("", "import hopfield_nav.figures; ")
        ]
        assert told[0] == told[1]
        assert "True True" in told[0]
