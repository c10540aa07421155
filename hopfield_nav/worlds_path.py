"""Finding a world file by its path or, where it comes with the program, by its name."""

from __future__ import annotations

from pathlib import Path

from dynamics.errors import BadInput, nearest_name

_PACKAGE = Path(__file__).resolve().parent
_SUFFIXES = (".yaml", ".yml")


def world_folders() -> list[Path]:
    """The folders that hold named worlds: the installed package's, and that of the sources."""
    return [folder for folder in (_PACKAGE / "worlds", _PACKAGE.parent / "worlds") if folder.is_dir()]


def list_worlds() -> list[str]:
    """Names of the worlds that come with the program."""
    return sorted({path.stem for folder in world_folders() for path in folder.glob("*.yaml")})


def find_world(name: str | Path) -> Path:
    """The file of a world.

    Args:
        name: a path, or the name of a world that comes with the program (no suffix, no folder).

    Raises:
        BadInput: there is no such world; the message suggests the nearest name.
    """
    path = Path(name)
    if not _is_name(path):
        return path if _exists(path) else _refuse_path(path)
    for folder in world_folders():
        file = folder / f"{path.name}.yaml"
        if _exists(file):
            return file
    return path if _exists(path) else _refuse_name(path.name)


def world_name(path: Path) -> str:
    """What a world is called: its file's name; in a run's folder (``world.yaml``), the folder's."""
    return path.resolve().parent.name if path.stem == "world" else path.stem


def _is_name(path: Path) -> bool:
    return path.suffix not in _SUFFIXES and path.name == str(path) and bool(path.name)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _refuse_name(name: str) -> Path:
    known = list_worlds()
    raise BadInput(
        "unknown world",
        found=name,
        allowed=", ".join([*known, "or the path of a file"]),
        nearest=nearest_name(name, known),
    )


def _refuse_path(path: Path) -> Path:
    near = [p.name for p in path.parent.glob("*.yaml")] if _exists(path.parent) else []
    raise BadInput("no such file", where=str(path), nearest=nearest_name(path.name, near))
