"""The extension of the page, installed as a package beside the program: its command, its methods, its kept code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "own_extension.md"
WORLD = [
    "run",
    "ragazzon2012",
    "--no-plots",
    "--set",
    "detection.measure=any_torque",
    "--set",
    "time_limit=20",
]


def files_of_the_page() -> dict[str, str]:
    """The files of the page, each a block whose first line is a comment with its name."""
    blocks = re.findall(
        r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$",
        PAGE.read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    return dict(blocks)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment in which the package is installed, and a folder for its runs."""
    folder = tmp_path_factory.mktemp("extension")
    for name, text in files_of_the_page().items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    install = [
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        str(folder / "site"),
    ]
    subprocess.run([sys.executable, *install, str(folder / "source")], check=True, cwd=folder)
    paths = os.pathsep.join([str(ROOT), str(folder / "site")])
    return folder, os.environ | {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "code")}


def command(installed, *words: str) -> subprocess.CompletedProcess[str]:
    folder, environment = installed
    words = [sys.executable, "-m", "hopfield_nav", *words]
    return subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


def kept(folder: Path) -> dict[Path, int]:
    """Compiled code of the package, and when each file was written."""
    return {path: path.stat().st_mtime_ns for path in (folder / "code").rglob("forgetful/**/*.nbc")}


@pytest.mark.study
def test_the_extension_adds_a_command_a_navigator_and_a_kept_detector(installed):
    folder, _ = installed
    (folder / "code").mkdir(mode=0o700, exist_ok=True)
    assert "forgotten  Say how much a run has forgotten." in command(installed, "--help").stdout
    made = command(installed, *WORLD, "--set", "map.space=forgetful", "--out", "forgot")
    assert made.returncode in (0, 1), made.stderr
    said = command(installed, "forgotten", "forgot").stdout
    touches, left = map(int, re.findall(r"\d+", said))
    assert touches > 8 >= left
    usual = command(installed, *WORLD, "--out", "usual")
    assert usual.returncode in (0, 1), usual.stderr
    touches, left = map(int, re.findall(r"\d+", command(installed, "forgotten", "usual").stdout))
    assert touches == left > 8  # who does not forget has all of them
    before = kept(folder)
    assert before
    assert command(installed, *WORLD, "--out", "again").returncode == made.returncode
    assert kept(folder) == before  # read, and not compiled again


@pytest.mark.study
def test_a_change_in_the_package_compiles_it_anew(installed):
    folder, _ = installed
    command(installed, *WORLD, "--set", "time_limit=1", "--out", "first")
    before = kept(folder)
    changed = folder / "site" / "forgetful" / "detectors" / "any_torque.py"
    text = changed.read_text("utf-8")
    changed.write_text(text + "\n# another line\n", encoding="utf-8")
    command(installed, *WORLD, "--set", "time_limit=1", "--out", "second")
    assert kept(folder) == before  # which says nothing
    changed.write_text(text.replace("total = 0.0", "total = 0.5"), encoding="utf-8")
    command(installed, *WORLD, "--set", "time_limit=1", "--out", "third")
    assert kept(folder).keys() > before.keys()


def test_what_is_not_installed_is_refused_in_a_line(tmp_path):
    words = [
        sys.executable,
        "-m",
        "hopfield_nav",
        "run",
        "ragazzon2012",
        "--set",
        "map.space=forgetful",
    ]
    said = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert said.returncode == 2
    assert "unknown navigator" in said.stderr
    assert "forgetful" in said.stderr
    assert len(said.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "words"), [("forgetfull: {}", "forgetful"), ("forgetful: {kept: 3}", "no section")]
)
def test_a_section_of_an_extension_is_checked_by_its_own_model(given, words, installed):
    said = command(installed, "check", "ragazzon2012", "--set", f"extensions={{{given}}}")
    if "no such option" in said.stderr.lower():
        (installed[0] / "w.yaml").write_text(f"format: 1\nextensions: {{{given}}}\n")
        said = command(installed, "check", "w.yaml")
    assert said.returncode == 2
    assert words in said.stdout + said.stderr
