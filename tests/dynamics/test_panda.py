"""The Panda against what its maker's numbers, in its maker's frames, say to Pinocchio; and with a hand."""

from __future__ import annotations

import math
from importlib import resources

import numpy as np
import pinocchio as pin
import pytest
import yaml
from oracles import largest_relative_error, over_states, random_states
from refusals import refused

from dynamics import forward_kinematics, inverse_dynamics, load_arm
from dynamics.files import read_urdf

STATES = random_states(7, 100, seed=77)
HALF = math.pi / 2
# franka_ros: where each joint is in the frame of the joint before (x, y, z, turn about x), and its
# lowest angle, highest angle, largest speed and torque
JOINTS = [
    ((0, 0, 0.333, 0), (-2.8973, 2.8973, 2.175, 87)),
    ((0, 0, 0, -HALF), (-1.7628, 1.7628, 2.175, 87)),
    ((0, -0.316, 0, HALF), (-2.8973, 2.8973, 2.175, 87)),
    ((0.0825, 0, 0, HALF), (-3.0718, -0.0698, 2.175, 87)),
    ((-0.0825, 0.384, 0, -HALF), (-2.8973, 2.8973, 2.61, 12)),
    ((0, 0, 0, HALF), (-0.0175, 3.7525, 2.61, 12)),
    ((0.088, 0, 0, HALF), (-2.8973, 2.8973, 2.61, 12)),
]
# Gaz et al. 2019, as franka_ros has them: mass; centre; xx, yy, zz, xy, xz, yz about it; axes of
# the joint
LINKS = [
    (
        4.970684,
        (0.003875, 0.002081, -0.04762),
        (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169),
    ),
    (
        0.646926,
        (-0.003141, -0.02872, 0.003495),
        (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704),
    ),
    (
        3.228604,
        (0.027518, 0.039252, -0.066502),
        (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805),
    ),
    (
        3.587895,
        (-0.05317, 0.104419, 0.027454),
        (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641),
    ),
    (
        1.225946,
        (-0.011953, 0.041065, -0.038437),
        (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229),
    ),
    (
        1.666555,
        (0.060149, -0.014117, -0.010517),
        (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341),
    ),
    (
        0.735522,
        (0.010517, -0.004252, 0.061597),
        (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741),
    ),
]


def text(values):
    return " ".join(repr(float(v)) for v in values)


def link(name, mass, centre, tensor):
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    entries = " ".join(f'{key}="{value!r}"' for key, value in zip(names, tensor, strict=True))
    inertial = f'<origin xyz="{text(centre)}"/><mass value="{mass}"/><inertia {entries}/>'
    return f'<link name="{name}"><inertial>{inertial}</inertial></link>'


def joint(name, kind, parent, child, place, rest="", rpy="0 0 0"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{text(place)}" rpy="{rpy}"/>{rest}</joint>'
    )


def urdf(more=""):
    parts = ['<link name="link0"/>']
    for i, ((x, y, z, turn), (low, high, speed, torque)) in enumerate(JOINTS, 1):
        parts.append(link(f"link{i}", *LINKS[i - 1]))
        limit = f'<limit lower="{low}" upper="{high}" velocity="{speed}" effort="{torque}"/>'
        rest = f'<axis xyz="0 0 1"/>{limit}'
        parts.append(
            joint(f"j{i}", "revolute", f"link{i - 1}", f"link{i}", (x, y, z), rest, f"{turn!r} 0 0")
        )
    parts.append('<link name="link8"/>' + joint("j8", "fixed", "link7", "link8", (0, 0, 0.107)))
    return f'<robot name="panda">{"".join(parts)}{more}</robot>'


def fingers(lower=0.0):
    """The hand of franka_ros: two fingers that slide, the second as the first does."""
    small = (0.015, (0, 0, 0), (2.375e-6, 2.375e-6, 7.5e-7, 0.0, 0.0, 0.0))
    hand = link("hand", 0.73, (-0.01, 0, 0.03), (0.001, 0.0025, 0.0017, 0.0, 0.0, 0.0))
    limit = f'<limit lower="{lower}" upper="0.04" velocity="0.2" effort="20"/>'
    left = joint("f1", "prismatic", "hand", "left", (0, 0, 0.0584), f'<axis xyz="0 1 0"/>{limit}')
    rest = f'<axis xyz="0 -1 0"/>{limit}<mimic joint="f1"/>'
    right = joint("f2", "prismatic", "hand", "right", (0, 0, 0.0584), rest)
    parts = [hand, link("left", *small), link("right", *small), left, right]
    return "".join(
        [*parts, joint("jh", "fixed", "link8", "hand", (0, 0, 0), rpy=f"0 0 {-math.pi / 4!r}")]
    )


def as_pinocchio(content, held=0.0):
    """Torques (k, 7) and poses of ``link8``, with the joints of a hand at ``held``."""
    model = pin.buildModelFromXML(content)
    data, more = model.createData(), np.zeros(model.nq - 7)

    def torque(q, qd, qdd):
        rates = (np.concatenate([v, more]) for v in (qd, qdd))
        return pin.rnea(model, data, np.concatenate([q, more + held]), *rates)[:7]

    def pose(q):
        pin.framesForwardKinematics(model, data, np.concatenate([q, more + held]))
        return data.oMf[model.getFrameId("link8")].homogeneous

    return over_states(torque, STATES.q, STATES.qd, STATES.qdd), over_states(pose, STATES.q)


def torques(arm):
    return inverse_dynamics(arm, STATES.q, STATES.qd, STATES.qdd)


def test_the_bundled_arm_is_what_its_maker_says():
    arm, (expected, poses) = load_arm("panda"), as_pinocchio(urdf())
    assert largest_relative_error(torques(arm), expected) < 1e-10
    np.testing.assert_allclose(forward_kinematics(arm, STATES.q), poses, rtol=0, atol=1e-12)
    limits = np.array([limit for _, limit in JOINTS])
    np.testing.assert_array_equal(arm.position_limits, limits[:, :2])
    np.testing.assert_array_equal(arm.speed_limits, limits[:, 2])
    np.testing.assert_array_equal(arm.torque_limits, limits[:, 3])


def test_its_maker_s_ready_pose():
    """The flange is 103.4 mm above the tip of the maker's hand, which stands at (306.9, 0, 486.9) mm."""
    ready = forward_kinematics(load_arm("panda"), np.array([0, -1, 0, -3, 0, 2, 1]) * math.pi / 4)
    np.testing.assert_allclose(ready[:3, 3], [0.3069, 0.0, 0.4869 + 0.1034], atol=1e-4)
    np.testing.assert_allclose(ready[:3, 2], [0, 0, -1], atol=1e-12)


def test_every_row_names_its_source():
    file = resources.files("dynamics") / "arms" / "panda.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    for row in [data, data["limits"], *data["joints"], *data["links"]]:
        assert len(row["source"]) > 5


@pytest.mark.parametrize("tip", [None, "hand", "link8"])
def test_fingers_beyond_the_tip_are_fixed_at_zero(tip, tmp_path):
    content = urdf(fingers())
    (tmp_path / "hand.urdf").write_text(content)
    found = read_urdf(tmp_path / "hand.urdf", tip=tip)
    expected, poses = as_pinocchio(content)
    assert len(found.joints) == 7
    assert largest_relative_error(torques(found.arm), expected) < 1e-10
    assert found.arm.mass[6] == pytest.approx(0.735522 + 0.73 + 2 * 0.015)
    if tip == "link8":
        np.testing.assert_allclose(
            forward_kinematics(found.arm, STATES.q), poses, rtol=0, atol=1e-12
        )


def test_fingers_that_never_close_are_fixed_as_near_to_zero_as_they_come(tmp_path):
    content = urdf(fingers(lower=0.01))
    (tmp_path / "hand.urdf").write_text(content)
    found = torques(read_urdf(tmp_path / "hand.urdf").arm)
    assert largest_relative_error(found, as_pinocchio(content, held=0.01)[0]) < 1e-10
    # at zero they weigh elsewhere
    assert largest_relative_error(found, as_pinocchio(content)[0]) > 1e-9


def test_turning_joints_beyond_the_tip_are_fixed_too(tmp_path):
    (tmp_path / "arm.urdf").write_text(urdf())
    found = read_urdf(tmp_path / "arm.urdf", tip="link4")
    assert found.joints == ("j1", "j2", "j3", "j4")
    # joints 5 and 7 may stand at zero; joint 6 too: its lowest angle is below
    q = np.concatenate([STATES.q[:, :4], np.zeros((100, 3))], axis=1)
    still = np.zeros((100, 3))
    rates = [np.concatenate([v[:, :4], still], axis=1) for v in (STATES.qd, STATES.qdd)]
    expected = inverse_dynamics(load_arm("panda"), q, *rates)[:, :4]
    shortened = inverse_dynamics(found.arm, STATES.q[:, :4], STATES.qd[:, :4], STATES.qdd[:, :4])
    assert largest_relative_error(shortened, expected) < 1e-10


def test_a_sliding_joint_on_the_way_to_the_tip_is_refused(tmp_path):
    (tmp_path / "hand.urdf").write_text(urdf(fingers()))
    with refused("joint 'f1' is of a type that an Arm does not have"):
        read_urdf(tmp_path / "hand.urdf", tip="left")
