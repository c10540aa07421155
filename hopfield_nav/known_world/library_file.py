"""Collision libraries as files: the bits, and a digest of the numbers that they were computed from."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from hopfield_nav.known_world.scene import Scene

_FORMAT = 1
_KEYS = ("format", "digest", "joints", "per_turn", "bits", "clearance", "safe")
_NO_LIBRARY = (OSError, ValueError, LookupError, EOFError, zipfile.BadZipFile, zlib.error)


def write_library(path: str | Path, *numbers: Any) -> Path:
    """Write digest, joints, cells a turn, bits, clearance and whether it is safe, in this order."""
    path = Path(path)
    path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
    np.savez_compressed(path, **dict(zip(_KEYS, (_FORMAT, *numbers), strict=True)))
    return path


def read_library(path: str | Path) -> dict[str, Any]:
    """What ``write_library`` wrote, by name.

    Raises:
        BadInput: no such file, no library, or one of another format.
    """
    try:
        with Path(path).open("rb") as stream:
            file = np.load(stream, allow_pickle=False)
            data = {key: file[key] for key in _KEYS}
    except _NO_LIBRARY as error:
        raise BadInput(f"cannot read the collision library: {error}", where=str(path)) from error
    if data["format"] != _FORMAT:
        raise BadInput("unknown format of collision libraries", where=str(path), found=int(data["format"]))
    return data


def scene_digest(arm: Arm, scene: Scene) -> str:
    """A digest of every number that decides a collision, each rounded to 1e-9."""
    sha = hashlib.sha256()
    for array in (arm.dh, scene.bodies, scene.pairs, scene.solids, scene.checked, scene.kept, scene.apart):
        rounded = np.round(np.asarray(array, dtype=np.float64), 9) + 0.0  # which makes -0 a 0
        sha.update(f"{rounded.shape}".encode() + rounded.tobytes())
    return sha.hexdigest()
