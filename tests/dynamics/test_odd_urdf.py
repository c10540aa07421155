"""URDF files as users have them: grippers, limits, units and masses that are odd, missing or wrong."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from robot_files import BODY, LIMIT, finger, joint, motor, robot
from scipy.spatial.transform import Rotation

from dynamics import (
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_kinematics,
    gravity_torque,
    load_arm,
    load_named_arm,
    require_masses,
    with_payload,
)
from dynamics.files import is_urdf, split_tip
from hopfield_nav.world.document import read_document


@pytest.fixture
def read(tmp_path):
    def read(text: str, tip: str = ""):
        (tmp_path / "odd.urdf").write_text(text)
        return load_named_arm(f"odd.urdf{tip}", tmp_path)

    return read


def test_names_ends_and_what_is_held_are_in_one_line(read):
    found = read(robot(finger("f")))
    assert found.joints == ("j1", "j2", "j3")
    assert found.use() == "joints j1, j2, j3; base l0; tip f_link; held f at 0.04 m"


@pytest.mark.parametrize("axis", ["0 1 0", "0 2 0", "0 0.1 0"])
def test_a_held_joint_stands_at_its_value_whatever_the_length_of_its_axis(axis, read):
    found = read(robot(finger("f", axis)))
    at = (
        forward_kinematics(found.arm, np.zeros(3))[:3, 3]
        - forward_kinematics(read(robot()).arm, np.zeros(3))[:3, 3]
    )
    assert np.linalg.norm(at) == pytest.approx(0.05 + 0.04, abs=1e-9)


def test_a_turning_joint_is_held_on_an_axis_of_any_length(read):
    lifted = '<limit lower="0.5" upper="1" effort="1" velocity="1"/>'
    jaws = [
        f'<link name="t"/>{joint("t", "l3", "t", axis=axis, limit=lifted)}'
        for axis in ("0 1 0", "0 7 0")
    ]
    poses = [
        forward_kinematics(
            read(robot(jaw + '<link name="end"/>' + _fixed_end()), ":l3").arm, np.ones(3)
        )
        for jaw in jaws
    ]
    np.testing.assert_allclose(*poses, atol=1e-12)


def _fixed_end() -> str:
    return joint("e", "t", "end", "fixed", limit="")


def test_a_finger_that_mimics_a_held_one_stands_where_that_puts_it(read):
    other = finger("g", low="-1", mimic='<mimic joint="f" multiplier="-2" offset="0.01"/>')
    assert read(robot(finger("f") + other)).held == ("f at 0.04 m", "g at -0.07 m")


@pytest.mark.parametrize(
    "more",
    [
        motor("m") + finger("f"),
        motor("m") + motor("copy").replace("</joint>", '<mimic joint="m"/></joint>'),
    ],
    ids=["beside fingers", "mimicked"],
)
def test_the_motor_of_a_gripper_is_no_joint_of_the_arm(more, read):
    found = read(robot(more))
    assert found.joints == ("j1", "j2", "j3")
    assert found.held[0] == "m at 0 rad"
    assert read(robot(more), ":m_link").joints == ("j1", "j2", "j3", "m")


def test_a_gripper_by_itself_is_an_arm(read):
    pair = motor("m", "l0") + motor("copy", "l0").replace("</joint>", '<mimic joint="m"/></joint>')
    assert read(f'<robot name="gripper"><link name="l0"/>{pair}</robot>').joints == ("m",)


def test_a_jaw_that_counts_as_a_joint_is_named_with_the_tip_before_it(read):
    use = read(robot(motor("Moving_Jaw"))).use()
    assert (
        "joints j1, j2, j3, Moving_Jaw; the last looks like a gripper's; without it: tip l3" in use
    )


def test_a_slide_at_the_end_is_held_aloud(read):
    text = robot().replace('name="j3" type="revolute"', 'name="j3" type="prismatic"')
    assert read(text).use() == "joints j1, j2; base l0; tip l3; held j3 at 0 m"


def test_branches_are_refused_with_tips_to_choose_from(read):
    text = robot(motor("left") + motor("right") + motor("right_end", "right_link"))
    tips = "odd.urdf:l3 (3 joints), {0}:left_link (4 joints), {0}:right_end_link (5 joints)"
    with refused(
        "the chain branches at link 'l3'.*found 'left, right'; allowed: one tip, such as"
    ) as caught:
        read(text)
    assert re.sub(r"[^ ]*odd\.urdf", "odd.urdf", str(caught.value)).endswith(
        tips.replace("{0}", "odd.urdf")
    )
    assert len(read(text, ":l3").joints) == 3
    assert read(text, ":right_end_link").joints == ("j1", "j2", "j3", "right", "right_end")
    with refused("no such link for the tip; found 'left'; allowed: l0, .*Did you mean 'left_link'"):
        read(text, ":left")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("arm.urdf", ("arm.urdf", None)),
        ("arm.urdf:tool0", ("arm.urdf", "tool0")),
        (r"C:\arms\My Arm.URDF:robot/tool0", (r"C:\arms\My Arm.URDF", "robot/tool0")),
        (r"C:\arms\arm.urdf", (r"C:\arms\arm.urdf", None)),
        ("arm.yaml", ("arm.yaml", None)),
        ("law.py:Law", ("law.py:Law", None)),
        ("ur5e", ("ur5e", None)),
    ],
)
def test_a_tip_stands_behind_the_file(name, parts):
    assert split_tip(name) == parts
    assert is_urdf(name) == (".urdf" in name.lower())


ODD_LIMITS = {
    "swapped": (
        '<limit lower="3" upper="-3" effort="50" velocity="2"/>',
        r"j1.*lower is not below upper; found \[3",
    ),
    "degrees": (
        '<limit lower="-180" upper="180" effort="50" velocity="2"/>',
        "j1.*limit: out of range.*in degrees",
    ),
    "negative": (
        '<limit lower="-3" upper="3" effort="-50" velocity="2"/>',
        "effort: out of range; found -50",
    ),
    "one value": (
        '<limit lower="1" upper="1" effort="50" velocity="2"/>',
        "lower is not below upper",
    ),
}


@pytest.mark.parametrize(("limit", "words"), ODD_LIMITS.values(), ids=ODD_LIMITS)
def test_limits_that_no_joint_has_are_refused(limit, words, read):
    with refused(words):
        read(robot(limit=limit))


@pytest.mark.parametrize(
    "limit",
    [
        "",
        '<limit effort="50" velocity="2"/>',
        '<limit lower="0" upper="0"/>',
        '<limit lower="-9999" upper="9999"/>',
    ],
)
def test_a_limit_without_a_range_is_none(limit, read):
    found = read(robot(limit=limit))
    np.testing.assert_array_equal(found.arm.position_limits, [[-np.inf, np.inf]] * 3)
    assert found.use().endswith("without limits j1, j2, j3")


@pytest.mark.parametrize("speed", ["1000", "120", "100", "-1", "0"])
def test_a_speed_that_no_joint_reaches_is_no_limit(read, speed):
    found = read(robot(limit=LIMIT.replace('velocity="2"', f'velocity="{speed}"')))
    np.testing.assert_array_equal(found.arm.speed_limits, np.inf)
    asked = (
        "not read: speeds that no joint has, j1 {0}, j2 {0}, j3 {0} rad/s (in degrees a second?)"
    )
    assert found.use().endswith(asked.format(speed)) == (speed in ("120", "100"))


def test_a_torque_of_minus_one_is_none(read):
    found = read(robot(limit=LIMIT.replace('effort="50"', 'effort="-1"')))
    np.testing.assert_array_equal(found.arm.torque_limits, np.inf)


def test_friction_and_soft_limits_are_said_not_to_be_read(read):
    more = (
        '<dynamics damping="1.5" friction="3"/>'
        '<safety_controller soft_lower_limit="-1" soft_upper_limit="1" k_velocity="10"/>'
    )
    found = read(robot(more=""))
    assert found.unread == ()
    found = read(robot(limit=LIMIT + more))
    assert found.unread == (
        "friction, as plant.friction: {coulomb: [3.0, 3.0, 3.0], viscous: [1.5, 1.5, 1.5]}",
        "soft limits, j1 -1 … 1 rad, j2 -1 … 1 rad, j3 -1 … 1 rad",
    )
    np.testing.assert_array_equal(found.arm.friction[:, :3], 0.0)
    np.testing.assert_array_equal(found.arm.position_limits, [[-3.0, 3.0]] * 3)


def _placeholder(mass, inertia):
    body = f'<inertial><mass value="{mass}"/><inertia {inertia}/></inertial>'
    ends = '<parent link="l3"/><child link="cam"/>'
    return f'<link name="cam">{body}</link><joint name="c" type="fixed">{ends}</joint>'


FULL = " ".join(f'i{ab}="1e-8"' for ab in ("xx", "yy", "zz", "xy", "xz", "yz"))
ONE = 'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"'


@pytest.mark.parametrize(
    ("mass", "inertia", "said"), [("1e-5", ONE, "1e-05 kg with"), ("1e-8", FULL, "1e-08 kg with")]
)
def test_the_body_of_a_placeholder_is_left_out_aloud(read, mass, inertia, said):
    found = read(robot(_placeholder(mass, inertia)), ":l3")
    assert found.unread[0].startswith(f"the body of cam, {said} an impossible")
    assert found.use().endswith(found.unread[0])
    bare = read(robot()).arm
    for of, expected in zip(found.arm, bare, strict=True):
        np.testing.assert_array_equal(of, expected)
    with refused("link 'cam': no "):  # that of a body that weighs something is none
        read(robot(_placeholder("0.1", 'ixx="1e4" iyy="1e4" izz="1e4" ixy="0" ixz="0" iyz="0"')))


# Orientations


@pytest.mark.parametrize(
    "angles",
    [(0.3, -0.4, 0.5), (0.0, 1.2, 0.0), (np.pi, 0.0, -3.0), (0.4, np.pi / 2, 0.2), (0.4, -np.pi / 2, 0.2)],
)  # fmt: skip
def test_a_quaternion_turns_as_its_angles_do(tmp_path, angles):
    quaternion = Rotation.from_euler("xyz", angles).as_quat()
    poses = []
    for key, values in (("rpy", angles), ("quat_xyzw", 2.0 * quaternion)):
        written = " ".join(map(repr, map(float, values)))
        text = robot().replace('rpy="0.0 0 0"', f'{key}="{written}"', 1)
        assert key in text
        (tmp_path / "turned.urdf").write_text(text)
        arm = load_arm(tmp_path / "turned.urdf")
        poses.append(forward_kinematics(arm, [0.3, -0.7, 1.1]))
    np.testing.assert_allclose(poses[1], poses[0], atol=1e-12)


def test_a_quaternion_is_read_as_pinocchio_reads_it(tmp_path):
    pinocchio = pytest.importorskip("pinocchio")
    quaternion = "0.1 0.564642473395035 -0.2 0.825335614909678"
    text = robot(body=BODY).replace('rpy="0.0 0 0"', f'quat_xyzw="{quaternion}"', 1)
    path = tmp_path / "turned.urdf"
    path.write_text(text.replace('<robot name="odd">', '<robot name="odd" version="1.1">'))
    model = pinocchio.buildModelFromUrdf(str(path))
    data, q = model.createData(), np.array([0.3, -0.7, 1.1])
    arm = load_arm(path)
    np.testing.assert_allclose(
        gravity_torque(arm, q), pinocchio.rnea(model, data, q, 0 * q, 0 * q), atol=1e-12
    )
    pinocchio.framesForwardKinematics(model, data, q)
    expected = data.oMf[model.getFrameId("l3")].homogeneous
    found = load_named_arm(path)
    pose = found.T_base_0 @ forward_kinematics(arm, q)
    np.testing.assert_allclose(pose, expected, atol=1e-12)


WRONG_ORIENTATIONS = {
    "degrees": ('rpy="0 90 0"', r"line 1: origin: rpy out of range; found 90.0.*in degrees"),
    "two": ('rpy="0 0 0" quat_xyzw="0 0 0 1"', "line 1: origin: two orientations"),
    "none": ('quat_xyzw="0 0 0 0"', "quat_xyzw: no rotation"),
    "three": ('quat_xyzw="0 0 1"', "quat_xyzw: wrong numbers"),
    "another": ('quat_wxyz="1 0 0 0"', "unknown attribute; found 'quat_wxyz'.*quat_xyzw"),
}


@pytest.mark.parametrize(
    ("orientation", "words"), WRONG_ORIENTATIONS.values(), ids=WRONG_ORIENTATIONS
)
def test_an_orientation_that_is_none_is_refused(read, orientation, words):
    with refused(words):
        read(robot().replace('rpy="0.0 0 0"', orientation, 1))


def test_what_a_urdf_is_made_of_is_told_how(tmp_path):
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    xacro = f'<robot {space} name="r"><xacro:property name="h" value="1"/><link name="l"/></robot>'
    calibration = "kinematics:\n  shoulder: {x: 0}\n  hash: calib_0\n"
    made = robot().replace("<robot", f"<robot {space}").replace("><", "><!-- <xacro:a/> --><", 1)
    (tmp_path / "made.urdf").write_text(made)  # by xacro, whose namespace it still names
    assert load_named_arm(tmp_path / "made.urdf").joints == ("j1", "j2", "j3")
    part = made.replace("<link", '<xacro:property name="h" value="1"/><link', 1)
    (tmp_path / "part.urdf").write_text(part)
    (said,) = load_named_arm(tmp_path / "part.urdf").unread
    assert said == "1 elements of xacro, which `xacro` expands"
    files = {"arm.urdf.xacro": xacro, "arm.urdf": xacro, "calibration.yaml": calibration}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        way = (
            "xacro … kinematics_params:=" if name.endswith("yaml") else f"`xacro {name} > arm.urdf`"
        )
        with refused(f"{name}: a .*allowed: .*{way}"):
            load_arm(tmp_path / name)
        with refused(f"{name}: a .*allowed: .*{way}"):
            read_document(tmp_path / name)


def transmission(inside: str) -> str:
    return f'<transmission name="t"><joint name="j1"/><actuator name="m">{inside}</actuator></transmission>'


@pytest.mark.parametrize(
    "inside", ["<mechanicalReduction/>", "<mechanicalReduction>fifty</mechanicalReduction>"]
)
def test_a_gear_ratio_decides_nothing_without_a_rotor(inside, read):
    assert read(robot(transmission(inside))).arm.rotor_inertia[0] == 0.0
    with refused("line 1: mechanicalReduction: a number is needed"):
        read(robot(transmission("<rotor_inertia>1e-4</rotor_inertia>" + inside)))


def test_a_rotor_behind_its_gear(read):
    inside = "<rotor_inertia>1e-4</rotor_inertia><mechanicalReduction>100</mechanicalReduction>"
    np.testing.assert_allclose(read(robot(transmission(inside))).arm.rotor_inertia, [1.0, 0, 0])


WRONG_UNITS = {
    "inertia": (
        robot(body=BODY.replace("0.01", "10000").replace("0.005", "5000")),
        r"link 'l1': no link of 1 kg .*radius of gyration were 100 m; found 10000.*kg·mm²",
    ),
    "length": (robot(xyz="0 0 200"), r"joint 'j1': origin: out of range; found 200.*millimetres"),
    "centre": (
        robot(body=BODY.replace("0 0 0.1", "0 0 100")),
        "link 'l1': origin: out of range; .*millimetres",
    ),
    "decimal comma": (
        robot(body=BODY.replace("1.0", "1,0")),
        "line 1: mass: value: no number; found '1,0'.*decimal",
    ),
    "xacro": (
        robot(xyz="0 0 ${h}"),
        r"line 1: origin: xyz: no number; found '0 0 \${h}'.*as xacro writes",
    ),
    "no link": ('<robot name="part"/>', "no link.*as xacro writes"),
}


@pytest.mark.parametrize(("text", "words"), WRONG_UNITS.values(), ids=WRONG_UNITS)
def test_wrong_units_and_numbers_are_asked_about_with_their_place(text, words, read):
    with refused(words):
        read(text)


def test_a_robot_without_a_name_is_read(read):
    assert read(robot().replace(' name="odd"', "", 1)).joints == ("j1", "j2", "j3")


MASSLESS = {
    "whole arm": (robot(body="", last_body=""), "l1, l2, l3"),
    "wrist": (robot(last_body=""), "l3"),
    "no tensor": (robot(last_body='<inertial><mass value="1"/></inertial>'), "l3"),
}


@pytest.mark.parametrize(("text", "links"), MASSLESS.values(), ids=MASSLESS)
def test_an_arm_without_masses_is_for_kinematics(text, links, read):
    found = read(text)
    np.testing.assert_allclose(
        forward_kinematics(found.arm, np.ones(3)), forward_kinematics(read(robot()).arm, np.ones(3))
    )
    assert found.use().endswith(f"for kinematics alone, since without masses {links}")
    with refused(f"without inertia: {links}; allowed: masses"):
        require_masses(found.arm, found.links)
    require_masses(found.arm._replace(rotor_inertia=np.full(3, 0.1)))
    require_masses(read(robot()).arm)


def test_what_torques_move_is_refused_without_masses(read):
    arm, q, qd, tau = read(robot(last_body="")).arm, np.ones(3), np.zeros(3), np.ones(3)
    for rows in (1, 4):
        states = (np.tile(x, (rows, 1)) for x in (q, qd, tau))
        with refused("without inertia: link 3; allowed: masses"):
            forward_dynamics(arm, *states)
    with refused("without inertia: link 3"):
        forward_dynamics(arm, q, qd, tau)
    with refused("without inertia: link 3"):
        forward_dynamics_derivatives(arm, q, qd, tau)
    loaded = with_payload(arm, 1.0, np.array([0.1, 0, 0]))
    assert np.isfinite(forward_dynamics(loaded, q, qd, tau)).all()


def test_a_tip_is_understood_from_any_folder(tmp_path):
    Path(tmp_path / "odd.urdf").write_text(robot(motor("left") + motor("right")))
    assert len(load_arm("odd.urdf:l3", tmp_path).dh) == 3
    assert len(load_arm(f"{tmp_path / 'odd.urdf'}:left_link").dh) == 4


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('joint name="j2"', 'joint name="j1"', "2 joints have one name; found 'j1'"),
        ('link name="l3"', 'link name="l2"', "2 links have one name; found 'l2'"),
    ],
)
def test_two_parts_of_one_name_are_refused(read, old, new, said):
    text = robot()
    assert old in text
    with refused(f"odd.urdf.*{said}"):
        read(text.replace(old, new, 1))
