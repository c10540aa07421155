"""The core knows no extension, and does without them; an extension uses only those that it declares."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import comes_with
import pytest
from tree import files_of, import_graph

from hopfield_nav import load_run
from hopfield_nav.cli.app import CORE
from hopfield_nav.plugin import KINDS, PLAIN, extensions
from hopfield_nav.plugin.extension import COMES_WITH_FILE, modules_in

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "hopfield_nav.extensions"
OURS = [extension for extension in extensions() if extension.is_ours]
WITHOUT = {  # what asks for an extension, and which
    "run ragazzon2012 --set explore=follow": "surfaces",
    "run ragazzon2012 --set explore=slide": "surfaces",
    "run whole_arm": "whole_arm",
    "run ragazzon2012 --set plant.engine=flexible": "engines",
    "run ragazzon2012 --set plant.engine=mujoco": "engines",
    "run ragazzon2012_real --set controller.learn=true": "self_model",
    "run ragazzon2012 --view --set time_limit=0.1": "viewer",
}


def core_files() -> list[Path]:
    """Sources and faces of the core; the root's face alone may name an extension, whose names are public."""
    every = [*(ROOT / "hopfield_nav").rglob("*.py"), *(ROOT / "hopfield_nav").rglob("*.pyi")]
    root = ROOT / "hopfield_nav" / "__init__.pyi"
    return [
        path
        for path in every
        if ROOT / "hopfield_nav" / "extensions" not in path.parents and path != root
    ]


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_of_the_core_imports_an_extension(path):
    """Neither by a statement nor by a text that is handed to an import; docstrings and the mechanism may say it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith((PREFIX, "extensions"))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            assert PREFIX not in node.value or (
                path.name == "extension.py" and node.value == PREFIX
            )


@pytest.fixture(scope="module")
def graph():
    return import_graph(files_of(ROOT))


@pytest.mark.parametrize("extension", OURS, ids=lambda extension: extension.name)
def test_an_extension_imports_those_that_it_declares(extension, graph):
    used = {
        other.split(".")[2]
        for name, others in graph.items()
        for other in others
        if name.startswith(f"{extension.package}.") and other.startswith(f"{PREFIX}.")
    }
    assert used - {extension.name} == set(extension.needs)


@pytest.mark.parametrize("extension", OURS, ids=lambda extension: extension.name)
def test_everything_that_is_declared_is_there(extension):
    for kind in extension.methods:
        names = extension.method_names(kind)
        assert names
        for name in names:
            method = importlib.import_module(extension.method_module(kind, name)).METHOD
            assert (method.kind, method.name) == (kind, name)
            assert kind in (*KINDS, *PLAIN)
    for name, line in extension.commands.items():
        assert (inspect.getdoc(extension.command(name)) or "").splitlines()[0] == line
    for place in extension.provides.values():
        assert extension.load(place) is not None


def test_the_line_that_says_what_is_missing_names_who_has_it():
    """``python scripts/comes_with.py`` writes the file anew."""
    written = json.loads(COMES_WITH_FILE.read_text(encoding="utf-8"))
    assert written == comes_with.declared()


def test_the_help_of_the_core_s_commands_is_that_of_their_functions():
    for name, (module, line) in CORE.items():
        file = importlib.import_module(f"hopfield_nav.cli.{module}")
        function = file.list_ if name == "list" else getattr(file, name)
        assert (inspect.getdoc(function) or "").splitlines()[0] == line


def test_worlds_are_yaml_alone():
    assert {path.suffix for path in (ROOT / "worlds").rglob("*") if path.is_file()} == {".yaml"}


def test_every_folder_of_extensions_is_one():
    assert modules_in(PREFIX) == tuple(extension.name for extension in OURS)


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A copy of the program without its extensions, and the environment in which it is what Python finds."""
    folder = tmp_path_factory.mktemp("core")
    for package in ("dynamics", "hopfield_nav", "worlds"):
        ignored = shutil.ignore_patterns("__pycache__", "extensions")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    return folder, os.environ | {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "code")}


def run(where, *words: str) -> subprocess.CompletedProcess[str]:
    folder, environment = where
    (folder / "code").mkdir(mode=0o700, exist_ok=True)
    words = [sys.executable, "-m", "hopfield_nav", *words]
    return subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


@pytest.mark.study
def test_the_core_alone_runs_the_main_experiment_to_the_same_bytes(core, tmp_path):
    folder, _ = core
    whole = (tmp_path, os.environ | {"PYTHONPATH": str(ROOT)})
    for where in (core, whole):
        made = run(where, "run", "ragazzon2012", "--no-plots", "--out", "made")
        assert made.returncode == 0, made.stderr
        assert ("hopfield-nav view" in made.stdout) == (where is whole)
    assert (folder / "made" / "world.yaml").read_bytes() == (
        tmp_path / "made" / "world.yaml"
    ).read_bytes()
    alone, beside = (load_run(place / "made").data.load() for place in (folder, tmp_path))
    # the record's attributes tell the sources that made it
    for name, values in beside.variables.items():
        assert values.values.tobytes() == alone[name].values.tobytes()
    assert alone.variables.keys() == beside.variables.keys()
    for words in ("plot made", "export made --csv", "check ragazzon2012", "list worlds", "--help"):
        assert run(core, *words.split()).returncode == 0


@pytest.mark.parametrize("words", WITHOUT, ids=WITHOUT.get)
def test_what_an_extension_would_do_is_refused_in_one_line_that_names_it(words, core):
    said = run(core, *words.split(), "--no-plots")
    assert said.returncode == 2
    line = said.stderr.splitlines()[-1]
    assert "Traceback" not in said.stderr
    assert f"needs the extension '{WITHOUT[words]}', which is not installed" in line


def test_a_command_of_an_extension_is_unknown_without_it(core):
    said = run(core, "plan", "cell")
    assert said.returncode == 2
    assert "No such command" in said.stderr
