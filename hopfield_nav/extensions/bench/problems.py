"""The UR5 problems of MotionBenchMaker, read from the archive in which VAMP's source package has them.

A scene and a request a problem, as MoveIt writes them. What the program needs of them is kept in
the folder of its cache; nothing is unpacked to disk, and nothing of the archive comes with the
program.

Source: Chamzas et al. 2022 (MotionBenchMaker); ``vamp-planner`` 0.6.4, ``resources/ur5``
(Apache-2.0).
"""

import io
import json
import lzma
import math
import re
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from dynamics import BadInput
from dynamics.files import write_whole
from dynamics.kernels.cache import cache_folder
from hopfield_nav.world import Box, Cylinder, Solid, Sphere, together

INNER = "resources/ur5/problems.tar.bz2"  # of the source package
JOINTS = (
    "shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint",
)  # fmt: skip
# [m, rad] of frame 0; base_link is turned by half a turn
BASE_HEIGHT, BASE_TURN = (0.9144, 1.57 + math.pi)
_KEPT = "motion_bench_maker.json"
_NAME = re.compile(r"(?:.*/)?([a-z_]+)_ur5/(scene|request)(\d{4})\.yaml")
# of an archive: files, bytes, bytes of what is read
_FILES, _BYTES, _READ = (10_000, 10**9, 50_000_000)
_SOLIDS = 200  # of a scene
_DAMAGED = (tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError)
_MALFORMED = (
    yaml.YAMLError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
)
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Problem:
    """A problem in frame 0 of the arm."""

    # start, goal: (6,) joint angles [rad]
    start: list[float]
    goal: list[float]
    obstacles: list[dict[str, Any]]  # entries of a world's ``obstacles``


def keep_problems(archive: Path) -> int:
    """Read the problems of an archive into the cache, and say how many there are.

    It is VAMP's source package, or the archive of problems in it.

    Raises ``BadInput``: no such archive; or one fault for every file in it that cannot be used.
    """
    faults: list[BadInput] = []
    read: dict[str, dict[tuple[str, int], Any]] = {"scene": {}, "request": {}}
    for name, text in _texts(archive):
        found = _NAME.fullmatch(name)
        try:
            if found is None:
                raise BadInput("no scene and no request of the UR5")
            family, kind, number = found.groups()
            read[kind][family, int(number)] = _READERS[kind](yaml.load(text, Loader=_Loader))
        except _MALFORMED as error:
            what = error.what if isinstance(error, BadInput) else "not as MoveIt writes it"
            faults.append(BadInput(what, where=f"{archive}: {name}"))
    if not faults:  # what cannot be read would be told twice
        alone = sorted(read["scene"].keys() ^ read["request"].keys())
        faults = [
            BadInput("scene or request is missing", where=f"{archive}: {f} {k}") for f, k in alone
        ]
    if faults:
        raise together(faults)
    kept = {f"{family} {number}": vars(Problem(start, goal, read["scene"][family, number]))
            for (family, number), (start, goal) in sorted(read["request"].items())}  # fmt: skip
    write_whole(_kept_file(), json.dumps(kept, separators=(",", ":")))
    _kept.cache_clear()
    return len(kept)


def find_problem(family: str, number: int) -> Problem:
    """A problem of those that were kept.

    Raises ``BadInput``: nothing was kept, or there is no such problem.
    """
    given = _kept().get(f"{family} {number}")
    if given is None:
        raise BadInput(
            "no such problem", found=f"{family} {number}", allowed="those of the archive"
        )
    return Problem(**given)


def _texts(archive: Path) -> list[tuple[str, bytes]]:
    """Name and text of every YAML file of the archive of problems; nothing is unpacked to disk."""
    if not archive.is_file():
        raise BadInput("no such file", where="--problems", found=str(archive))
    allowed = f"vamp-planner's source package, or its {INNER}"
    try:
        with tarfile.open(archive) as outer:
            found = list(_files(outer, archive))
        for name, data in found:
            if name.endswith(INNER):
                with tarfile.open(fileobj=io.BytesIO(data)) as inner:
                    found = list(_files(inner, archive))
                break
    except _DAMAGED:
        raise BadInput("not an archive, or damaged", where=str(archive), allowed=allowed) from None
    texts = [(name, data) for name, data in found if name.endswith(".yaml")]
    if not texts:
        raise BadInput("no problems in it", where=str(archive), allowed=allowed)
    return texts


def _files(tar: tarfile.TarFile, archive: Path) -> Iterator[tuple[str, bytes]]:
    """The regular files of an archive that may be needed; it is refused before too much of it is read."""
    unpacked = read = 0
    for count, member in enumerate(tar):
        wanted = member.isfile() and member.name.endswith((".yaml", INNER))
        unpacked, read = unpacked + member.size, read + wanted * member.size
        if count >= _FILES or unpacked > _BYTES or read > _READ:
            allowed = f"{_FILES} files, {_BYTES} bytes unpacked, {_READ} of them problems"
            raise BadInput("too large for the problems", where=str(archive), allowed=allowed)
        file = tar.extractfile(member) if wanted else None
        if file is not None:
            yield member.name, file.read()


def _ends(request: Any) -> tuple[list[float], list[float]]:
    """Start and goal of a request, joint by joint."""
    state, goal = (
        request["start_state"]["joint_state"],
        request["goal_constraints"][0]["joint_constraints"],
    )
    start = dict(zip(state["name"], state["position"], strict=True))
    end = {joint["joint_name"]: joint["position"] for joint in goal}
    angles = [[float(given[name]) for name in JOINTS] for given in (start, end)]
    if not (np.abs(angles) <= 2.0 * math.pi).all():
        raise BadInput("joint angles beyond a turn")
    return angles[0], angles[1]


def _obstacles(scene: Any) -> list[dict[str, Any]]:
    """The solids of a scene as entries of a world's ``obstacles``, in frame 0 of the arm."""
    base = _pose((0.0, 0.0, BASE_HEIGHT), Rotation.from_euler("z", BASE_TURN).as_quat())
    found: list[dict[str, Any]] = []
    for thing in scene["world"]["collision_objects"]:
        own = _pose(**thing["pose"]) if "pose" in thing else np.eye(4)
        for primitive, pose in zip(thing["primitives"], thing["primitive_poses"], strict=True):
            if len(found) == _SOLIDS:
                raise BadInput(f"more than {_SOLIDS} solids")
            solid = _solid(
                primitive["type"],
                primitive["dimensions"],
                np.linalg.inv(base) @ own @ _pose(**pose),
            )
            found.append(
                {type(solid).__name__.lower(): solid.model_dump(), "name": str(thing["id"])[:60]}
            )
    return found


def _pose(position: Any, orientation: Any) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.from_quat(orientation).as_matrix(), position
    return pose


def _solid(kind: str, size: Any, pose: np.ndarray) -> Solid:
    x, y, z = (round(float(v), 9) for v in pose[:3, 3])
    if kind == "box":
        return Box(
            center=(x, y, z), size=tuple(size), rotation=tuple(map(tuple, pose[:3, :3].tolist()))
        )
    if kind == "sphere":
        return Sphere(center=(x, y, z), radius=size[0])
    if kind != "cylinder" or abs(pose[2, 2]) < 1.0 - 1e-6:
        raise BadInput("neither box, sphere nor upright cylinder")
    return Cylinder(center=(x, y), radius=size[1], height=(z - 0.5 * size[0], z + 0.5 * size[0]))


_READERS: dict[str, Any] = {"scene": _obstacles, "request": _ends}


def _kept_file() -> Path:
    return cache_folder().parent / _KEPT


@cache
def _kept() -> dict[str, Any]:
    """What was kept, which a process reads once."""
    try:
        return dict(json.loads(_kept_file().read_text(encoding="utf-8")))
    except (OSError, ValueError):
        allowed = "--problems FILE once, FILE from `pip download --no-binary :all: --no-deps vamp-planner`"
        raise BadInput(
            "the problems are not here yet", where="motion_bench_maker", allowed=allowed
        ) from None
