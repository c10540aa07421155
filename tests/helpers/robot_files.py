"""Small robots as URDF text: three turning joints, and what users hang on them."""

from __future__ import annotations

import numpy as np

INERTIA = 'ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0" iyz="0"'
BODY = f'<inertial><origin xyz="0 0 0.1"/><mass value="1.0"/><inertia {INERTIA}/></inertial>'
LIMIT = '<limit lower="-3" upper="3" effort="50" velocity="2"/>'


def joint(
    name: str,
    parent: str,
    child: str,
    kind="revolute",
    axis="0 0 1",
    limit=LIMIT,
    more="",
    xyz="0 0 0.2",
) -> str:
    place = f'<origin xyz="{xyz}" rpy="{np.pi / 2 if parent != "l0" else 0.0} 0 0"/><axis xyz="{axis}"/>'
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{place}{limit}{more}</joint>'


def robot(more: str = "", body: str = BODY, last_body: str = BODY, **odd: str) -> str:
    """Three turning joints j1, j2, j3 that move links l1, l2, l3."""
    links = '<link name="l0"/>' + "".join(f'<link name="l{i}">{body}</link>' for i in (1, 2))
    links += f'<link name="l3">{last_body}</link>'
    joints = "".join(joint(f"j{i}", f"l{i - 1}", f"l{i}", **odd) for i in (1, 2, 3))
    return f'<robot name="odd">{links}{joints}{more}</robot>'


def finger(
    name: str, axis: str = "0 1 0", low: str = "0.04", mimic: str = "", link: str = "l3"
) -> str:
    limit = f'<limit lower="{low}" upper="0.1" effort="1" velocity="1"/>'
    return f'<link name="{name}_link"/>' + joint(
        name, link, f"{name}_link", "prismatic", axis, limit, mimic, "0 0 0.05"
    )


def motor(name: str, link: str = "l3", kind: str = "revolute") -> str:
    return f'<link name="{name}_link">{BODY}</link>' + joint(name, link, f"{name}_link", kind)
