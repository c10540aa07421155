"""Files of a world: a world or a sweep by name or path, and paths that move with a world."""

import os
from collections.abc import Iterator, Mapping
from os.path import exists
from pathlib import Path
from typing import Any

from dynamics import BadInput, nearest_name
from dynamics.files import is_urdf, split_tip
from hopfield_nav.world.document import Key

# Where a world has paths.
_PLACES = (
    "arm",
    "plant.dynamics",
    "controller.model",
    "controller.law",
    "detection.estimator",
    "detection.measure",
    "planner.kind",
    "planner.strategy",
    "explore",
    "explore.method",
)
PACKAGE = Path(__file__).resolve().parent.parent
_SUFFIXES = (".yaml", ".yml")
# By the name of a copy among results, what lies beside it.
_RESULTS = {
    "world": ("summary.json", "plan.json"),
    "sweep": ("sweep.csv",),
}


def world_folders() -> list[Path]:
    """The folders that hold named worlds: the installed package's, and that of the sources."""
    return [folder for folder in (PACKAGE / "worlds", PACKAGE.parent / "worlds") if folder.is_dir()]


def list_worlds() -> list[str]:
    """Names of the worlds that come with the program."""
    return [*_bundled("world")]


def list_sweeps() -> list[str]:
    """Names of the sweeps that come with the program."""
    return [*_bundled("sweep")]


def _bundled(kind: str) -> dict[str, Path]:
    """The files of the worlds, or sweeps, that come with the program, by their names in order."""
    below = {"world": "*.yaml", "sweep": "sweeps/*.yaml"}[kind]
    files = {path.stem: path for folder in reversed(world_folders()) for path in folder.glob(below)}
    return {name: files[name] for name in sorted(files)}


def find_world(name: str | Path) -> Path:
    """The file of a world: a path, or one that comes with the program (no suffix, no folder).

    Raises ``BadInput``: there is no such world; the message suggests the nearest name.
    """
    return find_named(name, "world", _bundled("world"))


def find_sweep(name: str | Path) -> Path:
    """The file of a sweep: a path, the folder of its results, or one that comes with the program.

    Raises ``BadInput``: there is no such sweep; the message suggests the nearest name.
    """
    return find_named(name, "sweep", _bundled("sweep"))


def find_file(name: str | Path) -> Path:
    """The file of a world, or else of a sweep.

    Raises ``BadInput``: there is neither.
    """
    if _is_name(Path(name)) and Path(name).name not in _bundled("world"):
        return find_named(name, "world or sweep", _bundled("world") | _bundled("sweep"))
    return find_world(name)


def find_named(given: object, kind: str, known: Mapping[str, Path]) -> Path:
    """The file of a path, or of a name among those that are ``known``.

    Messages call what is looked for a ``kind``.

    Raises ``BadInput``: there is none; the message suggests the nearest name.
    """
    if not isinstance(given, (str, os.PathLike)):
        raise BadInput(f"no {kind}", found=given, allowed="a name, or the path of a file")
    path = Path(given)
    if "sweep" in kind and exists(path) and exists(path / "sweep.yaml"):
        return path / "sweep.yaml"
    if _is_name(path) and path.name in known:
        return known[path.name]
    if exists(path):
        return path
    if _is_name(path):
        in_this_folder = [f"{path.name}{suffix}" for suffix in _SUFFIXES]
        here = [file for file in in_this_folder if exists(Path(file))]
        raise BadInput(
            f"unknown {kind}",
            found=path.name,
            allowed=", ".join([*known, "or the path of a file"]),
            nearest=here[0] if here else nearest_name(path.name, known),
        )
    there = exists(path.parent)
    near = [p.name for p in path.parent.glob("*.yaml")] if there else []
    what = f"no such file in {path.parent.resolve()}" if there else "no such file, nor its folder"
    raise BadInput(what, where=str(path), nearest=nearest_name(path.name, near))


def name_of(path: Path) -> str:
    """What a world or a sweep is called.

    It has the name of its file; a copy among results has the name of their folder.

    Raises ``BadInput``: it has no name but dots.
    """
    is_copy = any(exists(path.parent / name) for name in _RESULTS.get(path.stem, ()))
    name = path.resolve().parent.name if is_copy else path.stem
    if not name.strip("."):  # its results would lie in `runs` itself, or beside it
        raise BadInput("no name for its results", where=str(path), allowed="a name before .yaml")
    # It is printed, and written as text.
    return "".join(c if c.isprintable() else "_" for c in name)


def relative_to(data: dict[str, Any], old: Path, new: Path) -> None:
    """Rewrite every path in the plain data of a world that moves from folder ``old`` to ``new``."""
    for section, key in _paths(data):
        section[key] = _move(section[key], old, new)
    for mesh in _meshes(data):
        mesh["file"] = _move(mesh["file"], old, new)


def _meshes(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The meshes of obstacles, which are a list, or some of them by their numbers."""
    for name in ("obstacles", "known"):
        given = data.get(name) or ()
        entries = given.values() if isinstance(given, dict) else given
        for entry in entries:
            mesh = entry.get("mesh") if isinstance(entry, dict) else None
            if isinstance(mesh, dict) and isinstance(mesh.get("file"), str):
                yield mesh


def paths_from_here(data: dict[str, Any]) -> list[str]:
    """The paths in the plain data of a world.

    Those that lead to a file from the current folder become whole paths.
    """
    paths = []
    for section, key in _paths(data):
        file, _ = _parts(section[key])
        if Path(file).is_file():
            section[key] = str(Path.cwd() / section[key])
        paths.append(section[key])
    return paths


def _paths(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Where the plain data of a world has the path of an arm or of a method: section and key."""
    for place in _PLACES:
        *sections, key = place.split(".")
        section = value_at(data, tuple(sections))
        if not isinstance(section, dict):
            continue
        given = section.get(key)
        if isinstance(given, str) and is_path(given):
            yield section, key


def nested(key: Key, value: Any) -> dict[str, Any]:
    """The plain data of a world that has a value at a key, and nothing else."""
    for part in reversed(key):
        value = {part: value}
    return value


def value_at(data: Any, key: Key, none: Any = None) -> Any:
    """What plain data has at a key; ``none`` where there is no such key."""
    for part in key:
        keys: Any = ()
        if isinstance(data, dict):
            keys = data
        elif isinstance(data, (list, tuple)):
            keys = range(len(data))
        if part not in keys:
            return none
        data = data[part]
    return data


def moved_value(key: Key, value: Any, old: Path, new: Path) -> Any:
    """The value of a key of a world that moves from folder ``old`` to ``new``.

    A path is then relative to ``new``; any other value stays.
    """
    data = nested(key, value)
    relative_to(data, old, new)
    return value_at(data, key)


def is_path(name: str) -> bool:
    """Whether an arm or a method is a file rather than the name of a built-in one."""
    return ".py:" in name or name.endswith((".yaml", ".yml")) or is_urdf(name)


def _parts(name: str) -> tuple[str, str]:
    """The file of an arm or of a method, and what stands behind it.

    That is ``:TIP`` or ``:NAME``, or nothing.
    """
    file, tip = name.rsplit(":", 1) if ".py:" in name else split_tip(name)
    if tip is None:
        return file, ""
    return file, f":{tip}"


def _move(name: str, old: Path, new: Path) -> str:
    """A path that was relative to the folder ``old``, relative to ``new``."""
    file, behind = _parts(name)
    if Path(file).is_absolute():
        return name
    moved = os.path.relpath((old / file).resolve(), new.resolve())
    return Path(moved).as_posix() + behind


def _is_name(path: Path) -> bool:
    """Whether what was given is a name, without a folder and a suffix of YAML."""
    return path.suffix not in _SUFFIXES and path.name == str(path) and bool(path.name)
