"""Paths inside a world when the world moves to another folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

_PLACES = (
    ("arm",),
    ("plant", "dynamics"),
    ("controller", "model"),
    ("controller", "law"),
    ("detection", "estimator"),
    ("detection", "measure"),
)


def relative_to(data: dict[str, Any], old: Path, new: Path) -> None:
    """Rewrite every path in the plain data of a world, from relative to ``old`` to relative to ``new``."""
    for *sections, key in _PLACES:
        section: Any = data
        for name in sections:
            section = section.get(name) if isinstance(section, dict) else None
        if isinstance(section, dict) and isinstance(section.get(key), str) and is_path(section[key]):
            section[key] = _move(section[key], old, new)


def is_path(name: str) -> bool:
    """Whether an arm or a method is a file rather than the name of a built-in one."""
    return ".py:" in name or name.endswith((".yaml", ".yml"))


def _move(name: str, old: Path, new: Path) -> str:
    if Path(name).is_absolute():
        return name
    return Path(os.path.relpath((old / name).resolve(), new.resolve())).as_posix()
