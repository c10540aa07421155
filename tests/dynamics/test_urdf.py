"""URDF in and out, against Pinocchio and MuJoCo reading the same files."""

from __future__ import annotations

import builtins

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from oracles import largest_relative_error, over_states, random_states, random_tool
from refusals import refused

from dynamics import (
    forward_kinematics,
    gravity_torque,
    has_closed_form,
    inverse_dynamics,
    load_arm,
    with_tool,
)
from dynamics.files import read_urdf, write_urdf

STATES = random_states(6, 50, seed=21)

# (lengths d1, shoulder, elbow, a2, a3, d4 - shoulder - elbow, d5, d6) and (mass, centre) of each
# link, as Universal Robots publishes them; laid out as in their description: a base link with
# frames fixed to it, six links along the arm, and flange and tool0 at its end
UR = {
    "ur5": (
        (0.089159, 0.13585, -0.1197, 0.425, 0.39225, 0.093, 0.09465, 0.0823),
        (3.7, 8.393, 2.275, 1.219, 1.219, 0.1879),
    ),
    "ur5e": (
        (0.1625, 0.138, -0.131, 0.425, 0.3922, 0.127, 0.0997, 0.0996),
        (3.761, 8.058, 2.846, 1.37, 1.3, 0.365),
    ),
}
HALF = "1.570796327"  # printed to nine digits, as such files do


def _ur_text(name: str) -> str:
    (d1, shoulder, elbow, a2, a3, wrist, d5, d6), masses = UR[name]
    origins = [
        (f"0 0 {d1}", "0 0 0"),
        ("0 0 0", f"{HALF} 0 0"),
        (f"{-a2} 0 0", "0 0 0"),
        (f"{-a3} 0 {shoulder + elbow + wrist}", "0 0 0"),
        (f"0 {-d5} 0", f"{HALF} 0 0"),
        (f"0 {d6} 0", f"{HALF} 3.141592653589793 3.141592653589793"),
    ]
    parts = [
        '<link name="world"/><link name="base_link"/><link name="base"/><link name="base_link_inertia"/>'
    ]
    parts += [_fixed("world", "base_link", "0 0 0", "0 0 0")]
    parts += [_fixed("base_link", "base", "0 0 0", "0 0 3.141592653589793")]
    parts += [_fixed("base_link", "base_link_inertia", "0 0 0", "0 0 3.141592653589793")]
    parent = "base_link_inertia"
    for i, ((xyz, rpy), mass) in enumerate(zip(origins, masses, strict=True)):
        kind = "continuous" if i == 5 else "revolute"
        parts.append(_link(f"link{i}", mass, f"{0.02 * i} 0.01 {-0.03 + 0.01 * i}"))
        parts.append(_joint(f"j{i}", kind, parent, f"link{i}", xyz, rpy))
        parent = f"link{i}"
    parts += ['<link name="ft_frame"/><link name="tool0"/>', _link("gripper", 0.5, "0 0 0.05")]
    parts += [_fixed(parent, "ft_frame", "0 0 0", "3.141592653589793 0 0")]
    parts += [
        _fixed(parent, "gripper", "0 0 0.02", "0 0.3 0"),
        _fixed(parent, "tool0", "0 0 0", "0 0 0"),
    ]
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def _link(name: str, mass: float, center: str) -> str:
    inertia = '<inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.02" iyz="0.0015" izz="0.025"/>'
    origin = f'<origin xyz="{center}" rpy="0.1 -0.2 0.3"/>'
    return (
        f'<link name="{name}"><inertial>{origin}<mass value="{mass}"/>{inertia}</inertial></link>'
    )


def _joint(
    name: str, kind: str, parent: str, child: str, xyz: str, rpy: str, axis: str = "0 0 1"
) -> str:
    limits = {
        "revolute": '<limit lower="-3" upper="2" effort="150" velocity="3.1"/>',
        "continuous": '<limit effort="0" velocity="0"/>',  # what files say that know none
    }
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limits.get(kind, "")}</joint>'
    )


def _fixed(parent: str, child: str, xyz: str, rpy: str) -> str:
    return _joint(f"{parent}-{child}", "fixed", parent, child, xyz, rpy)


def _skewed_text(seed: int, n: int = 6) -> str:
    """A chain whose axes lie anywhere."""
    rng = np.random.default_rng(seed)
    text = lambda values: " ".join(repr(float(v)) for v in values)  # noqa: E731
    parts, parent = ['<link name="root"/>'], "root"
    for i in range(n):
        parts.append(_link(f"l{i}", 1.0 + i, text(rng.uniform(-0.1, 0.1, 3))))
        place = (
            text(rng.uniform(-0.4, 0.4, 3)),
            text(rng.uniform(-3, 3, 3)),
            text(rng.normal(size=3)),
        )
        parts.append(_joint(f"j{i}", "revolute", parent, f"l{i}", *place))
        parent = f"l{i}"
    return f'<robot name="skewed">{"".join(parts)}</robot>'


def _read(text, tmp_path, **options):
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    return read_urdf(path, **options), path


def _pinocchio(path):
    """Model whose continuous joints are plain angles, as the program's are."""
    model = pin.buildModelFromXML(path.read_text().replace('"continuous"', '"revolute"'))
    return model, model.createData()


def _agrees_with_pinocchio(found, path, base, tolerance):
    model, data = _pinocchio(path)
    q, qd, qdd = STATES.q, STATES.qd, STATES.qdd
    expected = over_states(lambda *s: pin.rnea(model, data, *s), q, qd, qdd)
    assert largest_relative_error(inverse_dynamics(found.arm, q, qd, qdd), expected) < tolerance

    def pose(angles):
        pin.framesForwardKinematics(model, data, angles)
        T_base = data.oMf[model.getFrameId(base)]
        return (T_base.inverse() * data.oMf[model.getFrameId(found.tip)]).homogeneous

    T = found.T_base_0 @ forward_kinematics(found.arm, q)
    np.testing.assert_allclose(T, over_states(pose, q), rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", list(UR))
def test_official_structure(name, tmp_path):
    found, path = _read(_ur_text(name), tmp_path, base="base")
    _agrees_with_pinocchio(found, path, "base", 1e-8)  # the file rounds π/2 to 1e-9
    assert found.tip == "tool0"
    assert found.joints == tuple(f"j{i}" for i in range(6))
    assert has_closed_form(found.arm)
    np.testing.assert_array_equal(found.T_base_0, np.eye(4))
    (d1, shoulder, elbow, a2, a3, wrist, d5, d6), masses = UR[name]
    half = np.pi / 2
    table = [[0, d1, 0, half], [0, 0, -a2, 0], [0, 0, -a3, 0], [0, shoulder + elbow + wrist, 0, half],
             [0, d5, 0, -half], [0, d6, 0, 0]]  # fmt: skip
    np.testing.assert_allclose(found.arm.dh, table, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.arm.mass, [*masses[:5], masses[5] + 0.5])  # with the gripper


def test_limits(tmp_path):
    arm = _read(_ur_text("ur5"), tmp_path)[0].arm
    np.testing.assert_array_equal(arm.position_limits, [[-3, 2]] * 5 + [[-np.inf, np.inf]])
    np.testing.assert_array_equal(arm.speed_limits, [3.1] * 5 + [np.inf])
    np.testing.assert_array_equal(arm.torque_limits, [150] * 5 + [np.inf])


@pytest.mark.parametrize("seed", range(8))
def test_axes_anywhere(seed, tmp_path):
    found, path = _read(_skewed_text(seed), tmp_path)
    assert not np.allclose(found.T_base_0[:3, :3], np.eye(3), atol=0.1)  # so gravity is turned
    assert found.arm.gravity[2] != -9.81
    _agrees_with_pinocchio(found, path, "root", 1e-10)


def test_gravity_belongs_to_the_base_link(tmp_path):
    found = _read(_skewed_text(3), tmp_path, gravity=(1.0, 2.0, 3.0))[0]
    np.testing.assert_allclose(found.T_base_0[:3, :3] @ found.arm.gravity, [1, 2, 3], atol=1e-12)


@pytest.mark.parametrize("tool", [np.eye(4), random_tool()], ids=["flange", "tool"])
def test_round_trip(rigid_arm, tool, tmp_path):
    arm = with_tool(rigid_arm, tool)
    back = read_urdf(write_urdf(arm, tmp_path / "arm.urdf")).arm
    q, qd, qdd = STATES.q, STATES.qd, STATES.qdd
    expected = inverse_dynamics(arm, q, qd, qdd)
    assert largest_relative_error(inverse_dynamics(back, q, qd, qdd), expected) < 1e-12
    assert largest_relative_error(gravity_torque(back, q), gravity_torque(arm, q)) < 1e-12
    np.testing.assert_allclose(
        forward_kinematics(back, q), forward_kinematics(arm, q), rtol=0, atol=1e-12
    )
    for name in ("position_limits", "speed_limits", "torque_limits", "rotor_inertia"):
        np.testing.assert_array_equal(getattr(back, name), getattr(arm, name))


def test_pinocchio_loads_what_we_write(rigid_arm, tmp_path):
    arm = with_tool(rigid_arm, random_tool())
    model, data = _pinocchio(write_urdf(arm, tmp_path / "arm.urdf"))
    model.armature = arm.rotor_inertia  # Pinocchio reads none from a URDF
    expected = over_states(lambda *s: pin.rnea(model, data, *s), STATES.q, STATES.qd, STATES.qdd)
    found = inverse_dynamics(arm, STATES.q, STATES.qd, STATES.qdd)
    assert largest_relative_error(found, expected) < 1e-10

    def pose(q):
        pin.framesForwardKinematics(model, data, q)
        return data.oMf[model.getFrameId("tool0")].homogeneous

    np.testing.assert_allclose(
        forward_kinematics(arm, STATES.q), over_states(pose, STATES.q), rtol=0, atol=1e-12
    )


def test_mujoco_loads_what_we_write(rigid_arm, tmp_path):
    path = write_urdf(rigid_arm, tmp_path / "arm.urdf", least_inertia=1e-9)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # joint limits
    model.dof_armature[:] = rigid_arm.rotor_inertia  # MuJoCo reads none from a URDF
    data = mujoco.MjData(model)

    def inverse(q, qd, qdd):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    found = inverse_dynamics(rigid_arm, STATES.q, STATES.qd, STATES.qdd)
    assert (
        largest_relative_error(found, over_states(inverse, STATES.q, STATES.qd, STATES.qdd)) < 1e-8
    )


def test_load_arm_reads_urdf(tmp_path):
    write_urdf(load_arm("ur5e"), tmp_path / "mine.urdf")
    np.testing.assert_allclose(load_arm("mine.urdf", tmp_path).dh, load_arm("ur5e").dh, atol=1e-15)


def _two_fingers(text):
    fingers = "".join(_link(f, 0.1, "0 0 0") + _joint(f"j{f}", "revolute", "link5", f, "0 0 0", "0 0 0")
                      for f in ("left", "right"))  # fmt: skip
    return text.replace("</robot>", fingers + "</robot>")


def _replaced(old, new):
    return lambda text: text.replace(old, new)


def _of_kind(kind):
    return _replaced('name="j3" type="revolute"', f'name="j3" type="{kind}"')


DAMAGE = {
    "two fingers": (_two_fingers, "branches.*jleft, jright"),
    "axis of zeros": (_replaced('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>'), "no direction"),
    "unknown link": (
        _replaced('<child link="link4"/>', '<child link="nowhere"/>'),
        "unknown link.*nowhere",
    ),
    "circle": (
        _replaced('<child link="link4"/>', '<child link="link1"/>'),
        "no tree with one root",
    ),
    "limit in words": (
        _replaced('lower="-3"', 'lower="low"'),
        "limit: lower: no number; found 'low'",
    ),
    "not closed": (_replaced("</robot>", ""), "cannot read the URDF"),
    "nothing moves": (
        lambda t: t.replace('type="revolute"', 'type="fixed"').replace('"continuous"', '"fixed"'),
        "no moving",
    ),
    "negative inertia": (_replaced('ixx="0.03"', 'ixx="-1"'), "inertia tensor"),
    "negative mass": (
        _replaced('<mass value="1.219"/>', '<mass value="-2"/>'),
        "mass: out of range; found -2",
    ),
    "mimic": (
        _replaced('<child link="link3"/>', '<child link="link3"/><mimic joint="j0"/>'),
        "'j3' mimics",
    ),
    **{
        kind: (_of_kind(kind), f"joint 'j3' .*found '{kind}'; allowed: revolute, continuous, fixed")
        for kind in ("prismatic", "floating", "planar")
    },
}


@pytest.mark.parametrize(("damage", "words"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_refused_in_one_line(damage, words, tmp_path):
    with refused(words):
        _read(damage(_ur_text("ur5")), tmp_path)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ({"tip": "tool"}, r"no such link for the tip.*Did you mean 'tool0'"),
        ({"base": "link2"}, "no such link at the base"),
    ],
)
def test_unknown_ends_are_refused(ends, words, tmp_path):
    with refused(words):
        _read(_ur_text("ur5"), tmp_path, **ends)


def test_missing_parser_is_told_in_one_line(tmp_path, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "yourdfpy":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with refused(r"needs yourdfpy; allowed: pip install 'hopfield-nav\[urdf\]'$"):
        _read(_ur_text("ur5"), tmp_path)


def test_an_arm_that_is_not_rigid_is_refused(tmp_path):
    with refused("no rigid arm"):
        write_urdf(load_arm("ur5_ragazzon2012_as_printed"), tmp_path / "arm.urdf")
