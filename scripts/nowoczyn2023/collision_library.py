"""The document's collision library: all collisions on a grid of joint angles, looked up by rounding.

A cell is one bit. Only joints that change a distance have an axis (``relevant_joints``): for a UR5
alone joints 2 to 5, 36⁴ cells of 10° or 210 kB. A library by rounding is wrong now and then in both
ways. A ``safe`` one calls a cell free only where nothing can touch anywhere in it, so it is wrong
in one way only. A file holds the bits and a digest of the numbers that they were computed from.
Source: nowoczyn2023 3.1.

Turning a body about its own axis changes no distance. The base housing of a UR5 is round about axis
1 and the flange about axis 6, so self-collisions depend on joints 2 to 5 alone. That is read off
the bodies: a tool beside axis 6 makes joint 6 count, a base housing beside axis 1, or a solid,
makes joint 1 count.
"""

import hashlib
import math
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dynamics import Arm, BadInput
from dynamics.files import require_regular
from dynamics.kernels.decorators import kernel
from dynamics.work import Work, make_work
from hopfield_nav.extensions.clearance import (
    AXES_WIDTH,
    Scene,
    build_scene,
    finite_rows,
    pose_touches,
)
from hopfield_nav.geometry import AXES, BOX, CENTRE, END, HALF_SPACE, KIND, LINK, START

STEP = math.radians(10.0)  # the document's
_SLICE = 1 << 17  # cells between two calls of ``progress``; whole bytes
_MOST_CELLS = 1 << 31  # 256 MB of bits
_ROUNDING = 1e-9  # [m] that a safe cell needs beyond its bound
_FORMAT = 1
_KEYS = ("format", "digest", "joints", "per_turn", "bits", "clearance", "safe")
_NO_LIBRARY = (
    OSError,
    ValueError,
    LookupError,
    EOFError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)
_LARGEST = _MOST_CELLS // 8 + 65536  # bytes of an array with its head
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class CollisionLibrary:
    """Whether cells of a periodic grid of joint angles collide."""

    arm: Arm  # the arm it was built for
    scene: Scene  # and the scene
    joints: np.ndarray  # (r,) int64 the joints that have an axis, counted from 0
    per_turn: int  # cells of an axis; cell i is the angle 2π i / per_turn
    # (⌈per_turn^r / 8⌉,) uint8, the last joint counting fastest, lowest bit first; 1 collides
    bits: np.ndarray
    clearance: float  # what counts as a collision besides touching [m]
    safe: bool  # whether a cell that is 0 is free everywhere in it

    @property
    def step(self) -> float:
        """Width of a cell [rad]."""
        return 2.0 * math.pi / self.per_turn

    def collides(self, q: np.ndarray) -> np.ndarray:
        """What the library says (...) of poses (..., n) at joint angles of any number of turns [rad].

        Raises ``BadInput``: wrong shape, or an angle that is not finite.
        """
        (rows,), lead = finite_rows(self.arm, q=q)
        return look_up(self.bits, self.joints, self.per_turn, rows).reshape(lead)

    def save(self, path: str | Path) -> Path:
        """Write the library as ``.npz`` (the ending is added where it lacks) and return the path."""
        path, digest = Path(path), scene_digest(self.arm, self.scene)
        path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
        values: tuple[Any, ...] = (
            _FORMAT,
            digest,
            self.joints,
            self.per_turn,
            self.bits,
            self.clearance,
            self.safe,
        )
        np.savez_compressed(path, **dict(zip(_KEYS, values, strict=True)))
        return path


def build_library(
    arm: Arm,
    scene: Scene | None = None,
    step: float = STEP,
    clearance: float = 0.0,
    progress: Progress | None = None,
    safe: bool = False,
) -> CollisionLibrary:
    """Check every pose of a grid, for an arm with its tool frame, in a scene from ``build_scene``.

    By default the scene is the arm alone. A solid that is not round about axis 1 costs an axis for
    joint 1, and axes for every joint that moves a body near it. ``step`` is the width of a cell, a
    whole part of a turn [rad]; ``clearance`` counts as a collision besides touching [m], on top of
    the scene's margin. After every slice ``progress`` is called with (cells done, cells in all).
    ``safe``: mark a cell as free only where the arm, however it moves within the cell, touches
    nothing.

    Raises ``BadInput``: a step that is no whole part of a turn, a clearance below 0, more than 2³¹
    cells.

    Source: nowoczyn2023 3.1 (10°, rounding); the safe form is ours.
    """
    scene = build_scene(arm) if scene is None else scene
    joints, per_turn = relevant_joints(scene), _cells_per_turn(step)
    total = per_turn ** len(joints)
    if not 0.0 <= clearance < math.inf:
        raise BadInput("wrong clearance", found=clearance, allowed="0 or more [m]")
    if total > _MOST_CELLS:
        raise BadInput(
            "too many cells", found=f"{per_turn}^{len(joints)}", allowed=f"at most {_MOST_CELLS}"
        )
    half = math.pi / per_turn if safe else 0.0
    apart, kept = _needed(scene, joints, half, clearance)
    strict = scene._replace(apart=apart, kept=kept)
    work = make_work(len(arm.dh))
    bits = np.empty((total + 7) // 8, dtype=np.uint8)
    for first in range(0, total, _SLICE):
        count = min(_SLICE, total - first)
        touched = fill_cells(arm, strict, joints, per_turn, first, count, work)
        bits[first // 8 : (first + count + 7) // 8] = np.packbits(touched, bitorder="little")
        if progress is not None:
            progress(first + count, total)
    return CollisionLibrary(arm, scene, joints, per_turn, bits, float(clearance), bool(safe))


def _cells_per_turn(step: float) -> int:
    count = round(2.0 * math.pi / step) if 0.0 < step < math.inf else 0
    if count < 1 or abs(count * step - 2.0 * math.pi) > 1e-9:
        raise BadInput("wrong step", found=step, allowed="2π divided by a whole number [rad]")
    return count


def _needed(
    scene: Scene, joints: np.ndarray, half: float, clearance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Distances (p,) and (k, m) that pairs and solids need in the middle of a cell for it to be free [m].

    Within ``half`` [rad] of the middle, a distance changes by at most Σ half ρ over its joints.
    """
    outer = scene.pairs[:, 1]
    between = (joints_of_pairs(scene) * scene.reach[outer])[:, joints].sum(axis=1)
    solids = (joints_of_solids(scene) * scene.reach[:, None, :])[..., joints].sum(axis=-1)
    spare = clearance + (_ROUNDING if half > 0.0 else 0.0)
    return half * between + spare + scene.apart, half * solids + spare + scene.kept


def load_library(path: str | Path, arm: Arm, scene: Scene | None = None) -> CollisionLibrary:
    """Read a library that was built for this arm and scene, by default the arm alone."""
    scene = build_scene(arm) if scene is None else scene
    data = read_library(path)
    if data["digest"] != scene_digest(arm, scene):
        raise BadInput(
            "this collision library belongs to another arm, tool or scene", where=str(path)
        )
    joints, per_turn = relevant_joints(scene), int(data["per_turn"])
    size = (per_turn ** len(joints) + 7) // 8
    bits = data["bits"]
    if (
        not np.array_equal(data["joints"], joints)
        or bits.shape != (size,)
        or bits.dtype != np.uint8
    ):
        raise BadInput("the collision library is damaged", where=str(path))
    clearance, safe = float(data["clearance"]), bool(data["safe"])
    return CollisionLibrary(arm, scene, joints, per_turn, bits, clearance, safe)


def scene_digest(arm: Arm, scene: Scene) -> str:
    """A digest of every number that decides a collision, each rounded to 1e-9."""
    sha = hashlib.sha256()
    for array in (
        arm.dh,
        scene.bodies,
        scene.pairs,
        scene.solids,
        scene.checked,
        scene.kept,
        scene.apart,
    ):
        rounded = np.round(np.asarray(array, dtype=np.float64), 9) + 0.0  # which makes -0 a 0
        sha.update(f"{rounded.shape}".encode() + rounded.tobytes())
    return sha.hexdigest()


def read_library(path: str | Path) -> dict[str, Any]:
    """What ``CollisionLibrary.save`` wrote, by name."""
    require_regular(Path(path))
    try:
        with Path(path).open("rb") as stream:
            _require_moderate(stream)
            file = np.load(stream, allow_pickle=False)
            data = {key: file[key] for key in _KEYS}
    except _NO_LIBRARY as error:
        raise BadInput(f"cannot read the collision library: {error}", where=str(path)) from error
    if data["format"] != _FORMAT:
        raise BadInput(
            "unknown format of collision libraries", where=str(path), found=int(data["format"])
        )
    return data


def _require_moderate(stream: BinaryIO) -> None:
    """Before anything is unpacked: a few kB may stand for any number of bytes."""
    with zipfile.ZipFile(stream) as packed:
        largest = max(part.file_size for part in packed.infolist())
    if largest > _LARGEST:
        raise ValueError(
            f"{largest} bytes are larger than a collision library, which has at most {_LARGEST}"
        )
    stream.seek(0)


@kernel
def fill_cells(
    arm: Arm, scene: Scene, joints: np.ndarray, per_turn: int, first: int, count: int, work: Work
) -> np.ndarray:
    """Whether ``count`` cells from number ``first`` on collide; joints that have no axis are at 0."""
    out, axes = np.empty(count, dtype=np.bool_), np.empty((scene.bodies.shape[0], AXES_WIDTH))
    q = np.zeros(arm.dh.shape[0])
    for cell in range(count):
        rest = first + cell
        for k in range(joints.size - 1, -1, -1):
            q[joints[k]] = (rest % per_turn) * (2.0 * np.pi / per_turn)
            rest //= per_turn
        out[cell] = pose_touches(arm, scene, q, work, axes)
    return out


@kernel
def look_up(bits: np.ndarray, joints: np.ndarray, per_turn: int, q: np.ndarray) -> np.ndarray:
    """The bits of the cells whose middles are nearest to poses (k, n)."""
    out = np.empty(q.shape[0], dtype=np.bool_)
    per_radian = per_turn / (2.0 * np.pi)
    for row in range(q.shape[0]):
        index = 0
        for joint in joints:
            turns = q[row, joint] * per_radian
            turns -= per_turn * np.floor(turns / per_turn)
            index = index * per_turn + int(np.rint(turns)) % per_turn
        out[row] = (bits[index >> 3] >> (index & 7)) & 1
    return out


_ON_AXIS = 1e-12  # [m]


def joints_of_pairs(scene: Scene) -> np.ndarray:
    """Which joints change the distance of which of ``scene.pairs``, (p, n) bool."""
    inner, outer = scene.pairs[:, 0], scene.pairs[:, 1]
    link = scene.bodies[:, LINK].astype(np.int64)
    joint = np.arange(scene.reach.shape[1])
    between = (joint >= link[inner, None]) & (joint < link[outer, None])
    round_inner = (joint == link[inner, None]) & _about_next_axis(scene.bodies)[inner, None]
    return between & ~round_inner & (scene.reach[outer] > 0.0)


def joints_of_solids(scene: Scene) -> np.ndarray:
    """Which joints change the distance of which body to which solid it is checked against, (k, m, n) bool.

    A body beyond a joint moves with it.
    """
    out = scene.checked[:, :, None] & (scene.reach > 0.0)[:, None, :]
    out[:, _about_base_axis(scene.solids), 0] = False
    return out


def relevant_joints(scene: Scene) -> np.ndarray:
    """Joints (r,), from 0 and rising, on which it depends whether anything in the scene touches."""
    return np.nonzero(
        joints_of_pairs(scene).any(axis=0) | joints_of_solids(scene).any(axis=(0, 1))
    )[0]


def _about_next_axis(bodies: np.ndarray) -> np.ndarray:
    """Bodies (k,) that are round about the axis of the joint that follows their link."""
    beside = bodies[:, [START, START + 1, END, END + 1]]
    return np.abs(beside).max(axis=1, initial=0.0) <= _ON_AXIS


def _about_base_axis(solids: np.ndarray) -> np.ndarray:
    """Solids (m,) that are round about the axis of joint 1."""
    level = np.abs(solids[:, AXES : AXES + 2]).max(axis=1, initial=0.0) <= _ON_AXIS
    centred = np.abs(solids[:, CENTRE : CENTRE + 2]).max(axis=1, initial=0.0) <= _ON_AXIS
    kind = solids[:, KIND]
    return (kind != BOX) & level & (centred | (kind == HALF_SPACE))
