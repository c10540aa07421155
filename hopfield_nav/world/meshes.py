"""Convex meshes of STL and OBJ files, read by the package ``trimesh`` (extra ``mesh``)."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dynamics import BadInput
from dynamics.errors import needs_library
from dynamics.files import require_regular

SUFFIXES = (".stl", ".obj")
_LARGEST = 50_000_000  # bytes of a file
_CAVED = 1e-4  # of the size of a mesh, that a corner may lie below its hull; and of its volume
_DECOMPOSE = (
    "a convex decomposition, such as by CoACD (pip install coacd), "
    "each part as an obstacle of its own"
)


def read_mesh(path: Path) -> np.ndarray:
    """Corners (k, 3, 3) of the triangles of a closed, convex mesh, as in its file.

    They are those of its convex hull, counter-clockwise from outside.

    Raises ``BadInput``: the file cannot be read, or its mesh is not closed, or not convex.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput("no mesh", where="file", found=path.name, allowed=" or ".join(SUFFIXES))
    try:
        require_regular(path)
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise BadInput(
            f"cannot read the mesh: {error.strerror}", where="file", found=path.name
        ) from error


@lru_cache(maxsize=32)
def _read(path: Path, changed: int) -> np.ndarray:
    """As ``read_mesh``, kept for each time at which the file was ``changed``."""
    mesh = _loaded(path)
    if not np.isfinite(mesh.vertices).all():
        raise _refused(path, "numbers that are not finite", "finite corners")
    if not mesh.is_watertight:
        raise _refused(path, "holes", "a closed mesh; trimesh.repair.fill_holes closes small ones")
    hull = mesh.convex_hull
    normals = hull.face_normals
    offsets = -np.einsum("ij,ij->i", normals, hull.triangles[:, 0])
    # Of each corner, how far it is outside of each face of the hull; none is by more than rounding.
    outside = mesh.vertices @ normals.T + offsets
    deepest = -outside.max(axis=1).min()
    volume = abs(mesh.volume)
    if volume < (1.0 - _CAVED) * hull.volume or deepest > _CAVED * mesh.scale:
        raise _refused(path, f"{volume / hull.volume:.4g} of its hull's volume", _DECOMPOSE)
    return np.array(hull.triangles)


def _loaded(path: Path) -> Any:
    """The file's mesh, with its equal corners merged."""
    with needs_library("a mesh needs trimesh", "mesh"):
        import trimesh
    if path.stat().st_size > _LARGEST:
        raise _refused(path, f"{path.stat().st_size} bytes", f"at most {_LARGEST}")
    try:
        mesh: Any = trimesh.load(path, force="mesh", process=True)
        if len(mesh.faces) == 0:
            raise ValueError("no triangles")
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
    except Exception as error:  # of trimesh, and of all that it reads with
        reason = " ".join(str(error).split()) or type(error).__name__
        raise _refused(path, reason, "an STL or OBJ file") from error
    return mesh


def _refused(path: Path, found: str, allowed: str) -> BadInput:
    """The refusal of a file's mesh."""
    return BadInput(
        f"no closed, convex mesh: {path.name}", where="file", found=found, allowed=allowed
    )
