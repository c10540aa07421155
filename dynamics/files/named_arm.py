"""An arm with the names that its file has, and the name ``FILE.urdf:TIP``.

One line says what of the file is used.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.link_bodies import massless

_MANY = 8  # names in a line
_URDF = re.compile(r"(.+?\.urdf)(?::(.+))?", re.IGNORECASE | re.DOTALL)
_OF_A_GRIPPER = re.compile("grip|jaw|finger|claw|knuckle", re.IGNORECASE)


class NamedArm(NamedTuple):
    """An arm with the names that its file has."""

    arm: Arm
    # names of the moving joints, in order; none where the file gives none
    joints: tuple[str, ...] = ()
    # of a URDF: the link behind each joint, and those at both ends; ``arm.tool`` is the frame of
    # the tip
    links: tuple[str, ...] = ()
    base: str = ""
    tip: str = ""
    # joints of the file that do not move here, each with the value where it stands
    held: tuple[str, ...] = ()
    # (4, 4) from frame 0, whose z axis is the first joint's, to a URDF's base link; the identity
    # where that link's own z axis is the first joint's. ``arm.gravity`` is in the axes of frame 0
    T_base_0: np.ndarray = np.eye(4)
    # what the file says and is not read, in words
    unread: tuple[str, ...] = ()

    def use(self) -> str:
        """One line on what of the file is used; or empty.

        Joints by name, both ends, what is held and where, what has no limits or masses, and what is
        not read.
        """
        endless = [
            name
            for name, row in zip(self.joints, self.arm.position_limits, strict=False)
            if np.isinf(row).all()
        ]
        bare = [self.links[i] if self.links else f"link {i + 1}" for i in massless(self.arm)]
        jaw = len(self.links) > 1 and _OF_A_GRIPPER.search(self.joints[-1])
        parts = {
            "joints": self.joints,
            "the last looks like a gripper's; without it: tip": (self.links[-2] if jaw else "",),
            "base": (self.base,),
            "tip": (self.tip,),
            "held": self.held,
            "without limits": endless,
            "for kinematics alone, since without masses": bare,
            "not read:": self.unread,
        }
        return "; ".join(
            f"{what} {_few(names)}" for what, names in parts.items() if names and names[0]
        )


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return ", ".join(names[:_MANY]) + more


def split_tip(name: str) -> tuple[str, str | None]:
    """File and tip of ``FILE.urdf:TIP``.

    Without a tip, or of any other name, the name itself and None.
    """
    found = _URDF.fullmatch(name)
    return (found[1], found[2]) if found else (name, None)


def is_urdf(name: str) -> bool:
    """Whether a name is that of a URDF file, with a tip or without one."""
    return _URDF.fullmatch(name) is not None
