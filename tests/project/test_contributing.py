"""What CONTRIBUTING.md, the hooks of a commit and the workflow type is what README and .ci/run type."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import versions
import yaml
from conftest import HERE, QUICK, pytest_ignore_collect
from documentation.snippets import blocks, commands
from project.test_tools import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
TYPED = [line for block in blocks("CONTRIBUTING.md") for line in commands(block.text)]
JOBS = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))["jobs"]
WORKFLOW = JOBS["tests"]


def whole():
    """The command of the README that installs and tests."""
    lines = [line for block in blocks("README.md") for line in commands(block.text)]
    (line,) = [line for line in lines if line.endswith("pytest")]
    return line


def test_ci_types_what_the_readme_says_then_the_studies_and_the_core_alone():
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    suite = lines.index(whole())
    assert lines[suite + 1] == f"{whole().rsplit(' && ', 1)[1]} -m study"
    assert lines[-1].endswith("-m pytest -m core")


# a script's tests, studies alone, some of the repository and of the core, none of the core
OF_ALL_KINDS = {
    "scripts/test_fall.py", "project/test_bounds.py", "project/test_site.py", "sweeps/test_run_sweep.py",
    "sweeps/test_choice.py",
}  # fmt: skip


@pytest.mark.parametrize(
    ("mark", "left_out"),
    [
        ("", {"scripts/test_fall.py", "project/test_bounds.py"}),
        ("study", {"sweeps/test_choice.py"}),
        ("core", {"scripts/test_fall.py", "project/test_bounds.py", "project/test_site.py"}),
        ("quick", OF_ALL_KINDS),
        ("kernel", set()),
    ],
)
def test_only_files_with_what_a_mark_asks_for_are_read(mark, left_out):
    config = SimpleNamespace(
        option=SimpleNamespace(markexpr=mark), args_source=pytest.Config.ArgsSource.TESTPATHS
    )
    assert {name for name in OF_ALL_KINDS if pytest_ignore_collect(HERE / name, config)} == left_out


def test_contributors_type_what_the_readme_says():
    set_up, tests = whole().rsplit(" && ", 1)
    assert TYPED[0] == set_up
    assert tests in TYPED


def test_the_workflow_types_what_the_readme_says_on_every_system():
    (typed,) = [step["run"] for step in WORKFLOW["steps"] if "run" in step]
    matrix = WORKFLOW["strategy"]["matrix"]
    on_linux = matrix["include"][0]["bin"]
    assert typed.replace("$BIN", on_linux).replace("python -m venv", "python3 -m venv") == whole()
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "windows", "macos"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (
        project["requires-python"]
        == f">={min(matrix['python'], key=lambda v: int(v.split('.')[1]))}"
    )
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"Python {matrix['python'][0]} to {matrix['python'][-1]}" in page


def test_the_tools_are_those_that_the_tests_run():
    wanted = [[word for word in command if word != "--check"] for command in COMMANDS.values()]
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    # nothing is fetched
    assert all(repository["repo"] == "local" for repository in config["repos"])
    assert all(hook["language"] == "system" for hook in hooks)
    assert [shlex.split(hook["entry"].removeprefix(".venv/bin/")) for hook in hooks] == wanted
    typed = [shlex.split(line.removeprefix(".venv/bin/")) for line in TYPED]
    assert all(command in typed for command in wanted)


def test_every_quick_file_is_there_and_the_lowest_and_newest_versions_are_tried():
    assert [name for name in QUICK if not (ROOT / "tests" / name).is_file()] == []
    tried = [step["run"] for step in JOBS["versions"]["steps"] if "run" in step]
    assert tried == ["pip install -q uv && python scripts/versions.py"]
    assert ".venv/bin/python scripts/versions.py" in TYPED
    assert [name for name in versions.TESTS if not (ROOT / "tests" / name).is_file()] == []


def test_every_file_and_test_that_is_typed_is_there():
    named = [
        word for line in TYPED for word in shlex.split(line) if re.match(r"(tests|scripts)/", word)
    ]
    assert named
    for word in named:
        path, _, test = word.partition("::")
        assert (ROOT / path).exists(), word
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), word
