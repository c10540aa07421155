"""Paths looked at by others: Pinocchio places the arm's capsules, coal says what collides.

Nothing here calls the package's kinematics or distances; it reads the arm's table and outline and
the obstacles as the world file names them.
"""

import coal
import numpy as np
import pinocchio as pin

from dynamics import Arm
from hopfield_nav.build import solids_of
from hopfield_nav.world import Box, Cylinder, Floor, Solid, World

STEP = 1e-3  # [m] of tool motion between two poses that are looked at, at most
_POSES = 2000  # random ones, to see what overlaps always


class IndependentCheck:
    """Arm and known obstacles of a world, in Pinocchio and coal.

    Bodies of the arm are checked where their links are two apart or more, and against every
    obstacle, the base excepted; pairs that overlap in every one of 2000 random poses are not
    checked (the shoulder in the base's housing, and link 1 on the floor that the arm stands on).
    """

    def __init__(self, arm: Arm, world: World) -> None:
        self.arm = arm
        self.model = _model(arm)
        self.data = self.model.createData()
        self.shapes = pin.GeometryModel()
        bodies = [self._add_body(i, row) for i, row in enumerate(arm.capsules)]
        solids = [self._add_solid(j, solid) for j, solid in enumerate(solids_of(world.known))]
        links = [int(row[0]) for row in arm.capsules]
        for a, first in zip(bodies, links, strict=True):
            for b, second in zip(bodies, links, strict=True):
                if second - first >= 2:
                    self.shapes.addCollisionPair(pin.CollisionPair(a, b))
            for solid in solids if first > 0 else ():
                self.shapes.addCollisionPair(pin.CollisionPair(a, solid))
        self._leave_out_what_always_overlaps()
        self.at = self.shapes.createData()

    def touches(self, q: np.ndarray) -> bool:
        """Whether anything collides at one pose (n,)."""
        return bool(pin.computeCollisions(self.model, self.data, self.shapes, self.at, q, True))

    def tool(self, q: np.ndarray) -> np.ndarray:
        """Tool pose (4, 4) by Pinocchio."""
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.model.getFrameId("tool")].homogeneous

    def looks(self, rows: np.ndarray) -> np.ndarray:
        """Poses (k, n) along straight joint motions between rows, with at most ``STEP`` of tool motion."""
        offsets = np.hypot(self.arm.dh[:, 1], self.arm.dh[:, 2])
        offsets[-1] += np.linalg.norm(self.arm.tool[:3, 3])
        reach = np.cumsum(offsets[::-1])[::-1]  # the tool is no further from the joint's axis
        steps = np.ceil(np.abs(np.diff(rows, axis=0)) @ reach / STEP).astype(int)
        legs = [
            a + (b - a) * np.linspace(0.0, 1.0, max(n, 1), endpoint=False)[:, None]
            for a, b, n in zip(rows[:-1], rows[1:], steps, strict=True)
        ]
        return np.concatenate([*legs, rows[-1:]])

    def collisions(self, rows: np.ndarray) -> tuple[int, int]:
        """Poses along a path that collide, and poses that were looked at."""
        looks = self.looks(rows)
        return sum(self.touches(q) for q in looks), len(looks)

    def _add_body(self, i: int, row: np.ndarray) -> int:
        link, start, end, radius = int(row[0]), row[1:4], row[4:7], float(row[7])
        along = end - start
        length = float(np.linalg.norm(along))
        turn = pin.Quaternion.FromTwoVectors(
            np.array([0.0, 0.0, 1.0]), along / length if length else along
        )
        shape = coal.Capsule(radius, length) if length else coal.Sphere(radius)
        place = pin.SE3(turn.matrix() if length else np.eye(3), 0.5 * (start + end))
        before = self.after[link - 1] if link else pin.SE3.Identity()
        return self.shapes.addGeometryObject(
            pin.GeometryObject(f"body{i}", link, before * place, shape)
        )

    def _add_solid(self, j: int, solid: Solid) -> int:
        shape, place = _coal_shape(solid)
        return self.shapes.addGeometryObject(pin.GeometryObject(f"known{j}", 0, place, shape))

    @property
    def after(self) -> list[pin.SE3]:
        """From each joint's frame to the Denavit-Hartenberg frame of its link."""
        return [_after_joint(*row[1:]) for row in self.arm.dh]

    def _leave_out_what_always_overlaps(self) -> None:
        data, n = self.shapes.createData(), self.model.nq
        pairs = [(pair.first, pair.second) for pair in self.shapes.collisionPairs]
        always = np.ones(len(pairs), dtype=bool)
        for q in np.random.default_rng(0).uniform(-np.pi, np.pi, (_POSES, n)):
            pin.computeCollisions(self.model, self.data, self.shapes, data, q, False)
            always &= [result.isCollision() for result in data.collisionResults]
        self.shapes.removeAllCollisionPairs()
        for pair in (pair for pair, out in zip(pairs, always, strict=True) if not out):
            self.shapes.addCollisionPair(pin.CollisionPair(*pair))


def _model(arm: Arm) -> pin.Model:
    model, parent, after = pin.Model(), 0, pin.SE3.Identity()
    for i, (theta, *rest) in enumerate(arm.dh):
        turned = pin.SE3(pin.utils.rotate("z", theta), np.zeros(3))
        parent = model.addJoint(parent, pin.JointModelRZ(), after * turned, f"joint{i + 1}")
        after = _after_joint(*rest)
    model.addFrame(pin.Frame("tool", parent, 0, after * pin.SE3(arm.tool), pin.FrameType.OP_FRAME))
    return model


def _after_joint(d: float, a: float, alpha: float) -> pin.SE3:
    return pin.SE3(pin.utils.rotate("x", alpha), np.array([a, 0.0, d]))


def _coal_shape(solid: Solid) -> tuple[coal.CollisionGeometry, pin.SE3]:
    if isinstance(solid, Floor):
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), solid.height), pin.SE3.Identity()
    if isinstance(solid, Box):
        return coal.Box(*solid.size), pin.SE3(np.array(solid.rotation), np.array(solid.center))
    if isinstance(solid, Cylinder) and solid.height is not None:
        low, high = solid.height
        middle = np.array([*solid.center, 0.5 * (low + high)])
        return coal.Cylinder(solid.radius, high - low), pin.SE3(np.eye(3), middle)
    raise TypeError(f"no shape for {type(solid).__name__}")
