"""Loading an arm by its name or from a file.

``dynamics/arms`` holds the sets of the five documents; a path to a user's own file works in the
same way.
"""

import functools
from copy import copy
from importlib import resources
from pathlib import Path

from dynamics.arm import Arm
from dynamics.errors import BadInput, nearest_name
from dynamics.files import NamedArm, is_urdf, read_arm_file, split_tip

_SUFFIXES = (".yaml", ".yml", ".urdf", ".xacro")


def list_arms() -> list[str]:
    """Names of the arms that come with the package."""
    return list(_arms())


@functools.cache
def _arms() -> tuple[str, ...]:
    folder = resources.files("dynamics") / "arms"
    return tuple(
        sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml"))
    )


def arm_file(name: str) -> Path:
    """The file of a built-in arm; ``name`` is one of ``list_arms()``."""
    return Path(str(resources.files("dynamics") / "arms" / f"{name}.yaml"))


def load_arm(name: str | Path, folder: Path | None = None) -> Arm:
    """Read an arm by the name of a built-in set or by the path of a file.

    Args:
        name: one of ``list_arms()``, or the path of an arm file (it ends in ``.yaml``) or of a URDF
            (``.urdf``), with the link where the arm ends behind a colon if it is another than by
            default: ``FILE.urdf:TIP``.
        folder: where a relative path is looked for; default the current folder.

    Raises ``BadInput``: unknown name, unreadable file, or a wrong entry, with the place.
    """
    return load_named_arm(name, folder).arm


def load_named_arm(name: str | Path, folder: Path | None = None) -> NamedArm:
    """The same with the names of its joints, where its file gives them.

    Arguments and errors as ``load_arm``.
    """
    name = str(name)
    if name in list_arms():
        return _built_in(name)._replace(arm=copy(_built_in(name).arm))
    file, tip = split_tip(name)
    path = _arm_path(file, folder)
    if is_urdf(file):
        from dynamics.files import read_urdf

        return read_urdf(path, tip=tip)
    return read_arm_file(path, name)


@functools.cache
def _built_in(name: str) -> NamedArm:
    return read_arm_file(arm_file(name), name)


def _arm_path(name: str, folder: Path | None) -> Path:
    path = (folder or Path()) / name
    if path.suffix.lower() in _SUFFIXES and path.is_file():
        return path
    if path.suffix.lower() in _SUFFIXES:
        allowed = "a path from there, a whole path, or one of " + ", ".join(list_arms())
        if Path(name).is_file():
            allowed = (
                f"a path from there, or {Path(name).absolute()}, the one in the current folder"
            )
        raise BadInput(
            f"no such arm file: looked for {path.resolve()}", found=name, allowed=allowed
        )
    allowed = ", ".join(list_arms()) + ", or the path of an arm file (.yaml, .urdf, .urdf:TIP)"
    raise BadInput(
        "unknown arm", found=name, allowed=allowed, nearest=nearest_name(name, list_arms())
    )
