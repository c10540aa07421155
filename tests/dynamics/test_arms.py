"""Parameter sets are pinned, user files are checked, and arms need not have six joints."""

from __future__ import annotations

import copy
import math
from importlib import resources
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import yaml
from made_up_arms import random_arm
from oracles import (
    largest_relative_error,
    over_states,
    pinocchio_jacobian,
    pinocchio_model,
    random_states,
)
from refusals import refused

from dynamics import (
    arm_file,
    coriolis_matrix,
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
    list_arms,
    load_arm,
    mass_matrix,
    with_dynamics,
    with_payload,
    with_tool,
)
from dynamics.files import arm_from_dict, arm_keys, arm_schema
from hopfield_nav.world.document import parse_document

# --- what each set must hold, written down a second time
# ---------------------------------------------

HALF_TURN = math.pi / 2
MAKER_DH = ([0.089159, 0, 0, 0.10915, 0.09465, 0.0823], [0, -0.425, -0.39225, 0, 0, 0])
TU_DH = ([0.08916, 0, 0, 0.10915, 0.09465, 0.0823], [0, -0.425, -0.39225, 0, 0, 0])
RAGAZZON_DH = ([0.0892, 0, 0, 0.109, 0.093, 0.082], [0, -0.425, -0.39243, 0, 0, 0])
UR5E_DH = ([0.1625, 0, 0, 0.1333, 0.0997, 0.0996], [0, -0.425, -0.3922, 0, 0, 0])
MAKER_CENTERS = [
    [0, -0.02561, 0.00193],
    [0.2125, 0, 0.11336],
    [0.15, 0, 0.0265],
    [0, -0.0018, 0.01634],
    [0, 0.0018, 0.01634],
    [0, 0, -0.001159],
]
KUFIETA_CENTERS = [*MAKER_CENTERS[:2], [0.11993, 0, 0.0265], *MAKER_CENTERS[3:]]
RAGAZZON_CENTERS = [
    [0, -0.01541, 0.00151],
    [0.2125, 0, 0.1134],
    [0.15, -0.00015, 0.0154],
    [0, 0.0015, 0.0154],
    [0, 0, -0.0128],
    [0, 0, 0],
]
TU_MASSES = [3.7, 8.393, 2.33, 1.219, 1.219, 0.1879]
TU_TENSORS = [
    [0.0067, 0.0064, 0.0067],
    [0.0149, 0.3564, 0.3553],
    [0.0025, 0.0551, 0.0546],
    [0.0012, 0.0012, 0.0009],
    [0.0012, 0.0012, 0.0009],
    [0.0001, 0.0001, 0.0001],
]


def _cylinder(axis: int, mass: float, radius: float, height: float) -> list[float]:
    moments = [mass * (radius**2 / 4 + height**2 / 12)] * 3
    moments[axis] = mass * radius**2 / 2
    return moments


THIN = 0.045 * 97 / 113
RAGAZZON_TENSORS = [
    _cylinder(1, 3.8054, 0.045, 0.13693),
    _cylinder(0, 8.4576, 0.045, 0.540),
    _cylinder(0, 2.1456, THIN, 0.507),
    _cylinder(1, 1.1884, THIN, 0.085),
    _cylinder(1, 1.11884, THIN, 0.085),
    _cylinder(2, 0.1632, THIN, 0.0395),
]

FULL_TENSORS = [
    [0.0067, 0.0064, 0.0067], [0.0149, 0.3564, 0.3553], [0.0025, 0.0551, 0.0546],
    [0.0012, 0.0012, 0.0009], [0.0012, 0.0012, 0.0009], [0.0001, 0.0001, 0.0001],
]  # fmt: skip
PINNED = {  # name: (d, a), masses, centres, diagonals of the tensors, rotor inertia
    "ur5_controller": (
        MAKER_DH,
        [3.7, 8.393, 2.275, 1.219, 1.219, 0.1879],
        KUFIETA_CENTERS,
        np.zeros((6, 3)),
        [1.915, 1.92, 1.915, 0.16, 0.159, 0.16],
    ),
    "ur5_full": (
        MAKER_DH,
        [3.7, 8.393, 2.275, 1.219, 1.219, 0.1879],
        KUFIETA_CENTERS,
        FULL_TENSORS,
        [1.915, 1.92, 1.915, 0.16, 0.159, 0.16],
    ),
    "ur5_kebria2016": (TU_DH, TU_MASSES, MAKER_CENTERS, TU_TENSORS, np.zeros(6)),
    "ur5_ragazzon2012": (
        RAGAZZON_DH,
        [3.8054, 8.4576, 2.1456, 1.1884, 1.11884, 0.1632],
        RAGAZZON_CENTERS,
        RAGAZZON_TENSORS,
        np.zeros(6),
    ),
    "ur5_ragazzon2012_as_printed": (
        RAGAZZON_DH,
        [3.8054, 8.4576, 0, 1.1884, 0, 0.1632],
        RAGAZZON_CENTERS,
        RAGAZZON_TENSORS,
        np.zeros(6),
    ),
    "ur5_tu2023": (TU_DH, TU_MASSES, MAKER_CENTERS, TU_TENSORS, np.zeros(6)),
    "ur5e": (
        UR5E_DH,
        [3.761, 8.058, 2.846, 1.37, 1.3, 0.365],
        MAKER_CENTERS,
        [
            [0.006810, 0.006506, 0.006810],
            [0.014305, 0.342175, 0.341118],
            [0.003054, 0.067302, 0.066692],
            [0.001349, 0.001349, 0.001011],
            [0.001280, 0.001280, 0.000960],
            [0.000194] * 3,
        ],
        np.zeros(6),
    ),
}


def test_every_set_is_pinned():
    others = ["iiwa7_gripper", "panda"]  # which test_hypotheses.py and test_panda.py pin
    others += ["ur3e", "ur10e", "ur16e"]  # which test_e_series.py pins
    assert sorted([*PINNED, *others]) == list_arms()


def test_the_friction_of_the_full_set_is_pinned():
    friction = load_arm("ur5_full").friction
    np.testing.assert_array_equal(friction[:, 0], [8.0, 8.1, 6.0, 1.4, 1.3, 1.2])
    np.testing.assert_array_equal(friction[:, 1], [9.4, 11.6, 8.4, 1.5, 1.3, 0.75])
    np.testing.assert_array_equal(friction[:, 2], friction[:, 0])


@pytest.mark.parametrize("name", PINNED)
def test_pinned_numbers(name):
    arm = load_arm(name)
    (d, a), masses, centers, tensors, rotors = PINNED[name]
    np.testing.assert_array_equal(
        arm.dh, np.column_stack([np.zeros(6), d, a, [HALF_TURN, 0, 0, HALF_TURN, -HALF_TURN, 0]])
    )
    np.testing.assert_array_equal(arm.mass, masses)
    np.testing.assert_array_equal(arm.center_of_mass, centers)
    np.testing.assert_allclose(np.diagonal(arm.inertia, axis1=1, axis2=2), tensors, rtol=1e-14)
    np.testing.assert_array_equal(arm.rotor_inertia, rotors)
    np.testing.assert_array_equal(arm.gravity, [0, 0, -9.81])
    np.testing.assert_array_equal(arm.tool, np.eye(4))
    np.testing.assert_array_equal(arm.position_limits, np.tile([-2 * math.pi, 2 * math.pi], (6, 1)))
    np.testing.assert_array_equal(arm.speed_limits, np.full(6, math.pi))
    np.testing.assert_array_equal(arm.torque_limits, [150, 150, 150, 28, 28, 28])


@pytest.mark.parametrize(
    ("name", "product"), [("ur5_tu2023", 0.0034), ("ur5_kebria2016", 0.0034), ("ur5e", 0.004153)]
)
def test_products_of_inertia(name, product):
    """Kufieta's tensors have one: xz of link 3."""
    tensors = load_arm(name).inertia
    off_diagonal = tensors - np.array([np.diag(np.diag(t)) for t in tensors])
    expected = np.zeros((6, 3, 3))
    expected[2, 0, 2] = expected[2, 2, 0] = product
    np.testing.assert_array_equal(off_diagonal, expected)


@pytest.mark.parametrize("name", [n for n in PINNED if not n.startswith("ur5_ragazzon2012_as")])
def test_dynamics_use_the_true_offsets(name):
    arm = load_arm(name)
    np.testing.assert_array_equal(arm.dynamics_offset, arm.offset)


def test_ragazzon_offsets_are_its_table():
    """Table 3.3 prints r_{i-1,i}, in frame i."""
    expected = [
        [0, 0.0892, 0],
        [-0.425, 0, 0],
        [-0.39243, 0, 0],
        [0, 0.109, 0],
        [0, -0.093, 0],
        [0, 0, 0.082],
    ]
    np.testing.assert_allclose(load_arm("ur5_ragazzon2012").offset, expected, rtol=0, atol=1e-17)


def test_every_array_is_float64_and_contiguous(arm):
    for name, array in arm._asdict().items():
        assert array.dtype == np.float64, name
        assert array.flags.c_contiguous, name


@pytest.mark.parametrize("name", PINNED)
def test_every_row_has_a_source(name):
    data = yaml.safe_load(
        (resources.files("dynamics") / "arms" / f"{name}.yaml").read_text(encoding="utf-8")
    )
    for row in [data, data["limits"], *data["joints"], *data["links"]]:
        assert len(row["source"]) > 5
    assert len(data["description"]) > 20


# --- user files
# ---------------------------------------------------------------------------------------


def _entry(n: int = 2) -> dict:
    joint = {"d": 0.1, "a": 0.2, "alpha": "pi/2", "source": "invented"}
    link = {
        "mass": 1.0,
        "center_of_mass": [0.1, 0, 0],
        "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]],
        "source": "invented",
    }
    rows = {
        "joints": [copy.deepcopy(joint) for _ in range(n)],
        "links": [copy.deepcopy(link) for _ in range(n)],
    }
    return {"format": 1, **rows}


def _changed(path: tuple, value) -> dict:
    data = row = _entry()
    for key in path[:-1]:
        row = row[key]
    if value is None:
        del row[path[-1]]
    else:
        row[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("joint",), [], "unknown key.*Did you mean 'joints'"),
        (
            ("links", 0, "center_of_mas"),
            [0, 0, 0],
            r"links\[0\].*unknown key.*Did you mean 'center_of_mass'",
        ),
        (("joints", 1, "alhpa"), 0, r"joints\[1\].*unknown key.*Did you mean 'alpha'"),
        (("limits",), {"pos": 1, "source": "x"}, "limits.*unknown key"),
        (("joints",), None, "'joints' is missing"),
        (("links", 1, "mass"), None, r"links\[1\].*'mass' is missing"),
        (("links", 1, "source"), None, r"links\[1\].*'source' is missing"),
        (("joints", 0, "source"), None, r"joints\[0\].*'source' is missing"),
        (("limits",), {"speed": 1}, "'source' is missing"),
        (("links",), _entry(3)["links"], "differ in number; found 3; allowed: 2"),
        (("joints",), [], "one row a joint"),
        (("joints",), {"d": 1}, "one row a joint"),
        (("links", 0), 5, r"links\[0\].*mapping"),
        (("links", 0, "mass"), -1, "mass: out of range.*0 to 100000 kg"),
        (("links", 0, "mass"), math.inf, "number is needed"),
        (("links", 0, "mass"), math.nan, "number is needed"),
        (("links", 0, "mass"), True, "number is needed"),
        (("links", 0, "mass"), "heavy", "number is needed"),
        (("links", 0, "rotor_inertia"), -0.1, "rotor_inertia: out of range.*0 to"),
        (("links", 0, "center_of_mass"), [0, 0], "wrong number of values.*3 numbers"),
        (("links", 0, "inertia"), [[1, 0], [0, 1]], "not an inertia"),
        (("links", 0, "inertia"), [[1, 0, 0], [0, 1]], "not an inertia"),
        (("links", 0, "inertia"), "thick", "not an inertia"),
        (("links", 0, "inertia"), [[1, 0, 0], [0, math.inf, 0], [0, 0, 1]], "not an inertia"),
        (("links", 0, "inertia"), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "not symmetric"),
        (("links", 0, "inertia"), [[1, 2, 0], [2, 1, 0], [0, 0, 1]], "not positive"),
        (("links", 0, "inertia"), [[1, 0, 0], [0, 1, 0], [0, 0, 3]], "no rigid body"),
        (
            ("links", 0, "inertia"),
            {"cylinder": {"axis": "w", "radius": 1, "height": 1}},
            "not an inertia",
        ),
        (
            ("links", 0, "inertia"),
            {"cylinder": {"axis": "x", "radius": 1}},
            "not an inertia.*height",
        ),
        (
            ("links", 0, "inertia"),
            {"cylinder": {"axis": "x", "radius": math.inf, "height": 1}},
            "not an inertia",
        ),
        (("joints", 0, "alpha"), "pi/3", "number is needed"),
        (("limits",), {"speed": [1, 2, 3], "source": "x"}, "wrong number of values.*2 numbers"),
        (("limits",), {"torque": -5, "source": "x"}, "torque: out of range.*above 0"),
        (("format",), 2, "unknown format"),
        (("capsules",), 3, "list of capsules"),
        (
            ("capsules",),
            [{"link": 3, "start": [0, 0, 0], "end": [0, 0, 1], "radius": 1}],
            "no such link.*0 to 2",
        ),
        (
            ("capsules",),
            [{"link": "two", "start": [0, 0, 0], "end": [0, 0, 1], "radius": 1}],
            "no such link",
        ),
        (
            ("capsules",),
            [{"link": 1, "start": [0, 0, 0], "end": [0, 0, 1], "radius": 0}],
            "radius: out of range.*above 0",
        ),
        (("joints", 0, "d"), 162.5, r"joints\[0\].d.*is this in millimetres"),
        (("joints", 1, "a"), -425, r"joints\[1\].a.*is this in millimetres"),
        (("joints", 0, "alpha"), 90, r"joints\[0\].alpha.*is this in degrees"),
        (("joints", 1, "theta"), -180, r"joints\[1\].theta.*is this in degrees"),
        (("links", 0, "center_of_mass"), [0, 21.5, 0], "center_of_mass.*is this in millimetres"),
        (("links", 0, "dynamics_d"), 89.2, "dynamics_d.*is this in millimetres"),
        (("limits",), {"position": 170, "source": "x"}, "position.*is this in degrees"),
        (
            ("limits",),
            {"position": [[-170, 170], [-1, 1]], "source": "x"},
            r"position\[0\].*is this in degrees",
        ),
        (("limits",), {"speed": 180, "source": "x"}, "speed.*is this in degrees a second"),
        (
            ("capsules",),
            [{"link": 1, "start": [0, 0, 0], "end": [0, 0, 300], "radius": 1}],
            "end.*millimetres",
        ),
        (
            ("capsules",),
            [{"link": 1, "start": [0, 0, 0], "end": [0, 0, 1], "radius": 40}],
            "radius.*millimetres",
        ),
        (
            ("capsules",),
            [{"link": 1, "start": [0, 0], "end": [0, 0, 1], "radius": 1}],
            "wrong number of values",
        ),
    ],
)
def test_faults_of_user_files(path, value, message):
    with refused(message) as caught:
        arm_from_dict(_changed(path, value), where="my_arm.yaml")
    assert str(caught.value).startswith("my_arm.yaml")


def test_arms_of_every_size_are_read():
    """A finger of 2 cm, a crane of 20 m; and axes nearly parallel, whose frames lie far along them."""
    for size, mass in ((0.002, 1e-4), (9.5, 9000.0)):
        data = _entry()
        for joint, link in zip(data["joints"], data["links"], strict=True):
            joint |= {"d": size, "a": -size}
            link |= {"mass": mass, "center_of_mass": [-size, 0, 0]}
        assert arm_from_dict(data).dh[0, 1] == size
    data["joints"][0] |= {"d": 400.3, "alpha": 2e-4}
    data["joints"][1] |= {"d": -400.1}
    data["links"][1] |= {"center_of_mass": [0, 0, 400.2]}
    np.testing.assert_array_equal(arm_from_dict(data).dh[:, 1], [400.3, -400.1])


def test_the_schema_takes_every_arm_that_comes_along():
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(arm_schema())
    for name in list_arms():
        check.validate(parse_document(arm_file(name).read_text(encoding="utf-8"), name).data)
    for path, value in (
        (("joints", 0, "d"), 162.5),
        (("links", 0, "mas"), 1),
        (("limits",), {"speed": 1}),
    ):
        assert not check.is_valid(_changed(path, value))


def test_the_page_has_every_key_of_an_arm_file():
    page = (Path(__file__).parents[2] / "docs" / "arm_files.md").read_text(encoding="utf-8")
    for section in (
        arm_keys.TOP,
        arm_keys.JOINT,
        arm_keys.LINK,
        arm_keys.FRICTION,
        arm_keys.LIMITS,
        arm_keys.CAPSULE,
    ):
        for key, entry in section.items():
            row = next(
                (
                    line
                    for line in page.splitlines()
                    if line.startswith("| ") and f"`{key}`" in line
                ),
                "",
            )
            assert row, key
            assert entry.unit in row, key


def test_arm_from_a_file(tmp_path):
    (tmp_path / "two.yaml").write_text(yaml.safe_dump(_entry()), encoding="utf-8")
    for arm in (load_arm("two.yaml", folder=tmp_path), load_arm(tmp_path / "two.yaml")):
        np.testing.assert_array_equal(arm.mass, [1, 1])
        np.testing.assert_array_equal(arm.torque_limits, [math.inf, math.inf])
        np.testing.assert_array_equal(arm.capsules[:, 0], [1, 2])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bad.yaml", "cannot read the arm file"),
        ("ur5_tu2032", r"unknown arm.*Did you mean 'ur5_tu2023'"),
    ],
    ids=["no YAML", "unknown"],
)
def test_arm_that_cannot_be_read(name, words, tmp_path):
    (tmp_path / "bad.yaml").write_text("joints: [", encoding="utf-8")
    with refused(words):
        load_arm(name, folder=tmp_path)


def test_cylinders_along_each_axis():
    for axis, moments in (("x", [2, 4.75, 4.75]), ("y", [4.75, 2, 4.75]), ("z", [4.75, 4.75, 2])):
        data = _entry()
        data["links"][0].update(
            mass=4.0,
            inertia={"cylinder": {"axis": axis, "radius": 1, "height": 1.5 * math.sqrt(5)}},
        )
        np.testing.assert_allclose(arm_from_dict(data).inertia[0], np.diag(moments))


# --- payload, tool, another arm's dynamics
# ------------------------------------------------------------


def test_payload_against_pinocchio(arm):
    tensor = np.array([[0.02, 0.003, 0], [0.003, 0.03, -0.001], [0, -0.001, 0.025]])
    loaded = with_payload(arm, 2.5, [0.1, -0.05, 0.2], tensor)
    total = pin.Inertia(arm.mass[5], arm.center_of_mass[5], arm.inertia[5]) + pin.Inertia(
        2.5, np.array([0.1, -0.05, 0.2]), tensor
    )
    assert loaded.mass[5] == pytest.approx(total.mass, rel=1e-15)
    np.testing.assert_allclose(loaded.center_of_mass[5], total.lever, rtol=1e-13)
    np.testing.assert_allclose(loaded.inertia[5], total.inertia, rtol=1e-12, atol=1e-17)
    np.testing.assert_array_equal(loaded.mass[:5], arm.mass[:5])


def test_no_payload_changes_nothing(arm):
    loaded = with_payload(arm, 0.0, [1, 2, 3])
    for a, b in zip(loaded, arm, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-15, atol=1e-18)


def test_payload_leaves_the_bare_arm_alone(arm):
    before = arm.mass.copy()
    with_payload(arm, 3.0, [0, 0, 0.1])
    np.testing.assert_array_equal(arm.mass, before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-1, [0, 0, 0]), "a mass of zero or more"),
        ((math.nan, [0, 0, 0]), "payload's mass.*allowed: one number up to"),
        ((1, [0, 0]), r"payload's centre of mass.*allowed: \(3,\) numbers"),
        ((1, [0, 0, math.nan]), "payload's centre of mass"),
        ((1, [0, 0, 0], np.eye(2)), r"payload's inertia.*allowed: \(3, 3\) numbers"),
        ((1, [0, 0, 0], np.diag([1, 1, 3])), "no rigid body"),
    ],
)
def test_impossible_payloads(arguments, words):
    with refused(words):
        with_payload(load_arm("ur5e"), *arguments)


@pytest.mark.parametrize(
    "tool",
    [
        np.eye(3),
        np.zeros((4, 4)),
        np.diag([1, 1, -1, 1]),
        np.diag([2, 1, 1, 1]),
        np.full((4, 4), math.nan),
    ],
)
def test_impossible_tools(tool):
    with refused("tool frame"):
        with_tool(load_arm("ur5e"), tool)


def test_dynamics_of_another_arm():
    mixed = with_dynamics(load_arm("ur5_ragazzon2012"), load_arm("ur5_ragazzon2012_as_printed"))
    for a, b in zip(mixed, load_arm("ur5_ragazzon2012_as_printed"), strict=True):
        np.testing.assert_array_equal(a, b)


def test_dynamics_of_an_arm_with_other_joints():
    with refused("numbers of joints"):
        with_dynamics(load_arm("ur5e"), arm_from_dict(_entry()))


# --- any number of joints
# -----------------------------------------------------------------------------


def _square(matrix: np.ndarray) -> np.ndarray:
    """Pinocchio hands out a 1×1 matrix as one number in a row."""
    return np.reshape(matrix, (math.isqrt(np.size(matrix)), -1))


@pytest.mark.kernel
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_arms_with_any_number_of_joints(n):
    arm, states = random_arm(n), random_states(n, 20, seed=n)
    model, data = pinocchio_model(arm)
    push = np.einsum("kij,ki->kj", pinocchio_jacobian(arm, states.q), states.wrench)
    torque = (
        over_states(lambda *x: pin.rnea(model, data, *x), states.q, states.qd, states.qdd) - push
    )
    acceleration = over_states(
        lambda *x: pin.aba(model, data, *x), states.q, states.qd, states.tau + push
    )
    coriolis = over_states(
        lambda q, qd: _square(pin.computeCoriolisMatrix(model, data, q, qd)) @ qd,
        states.q,
        states.qd,
    )
    matrix = over_states(lambda q: np.triu(_square(pin.crba(model, data, q))), states.q)

    def pose(q):
        pin.framesForwardKinematics(model, data, q)
        return data.oMf[model.getFrameId("tool")].homogeneous

    found = {
        "torque": (inverse_dynamics(arm, states.q, states.qd, states.qdd, states.wrench), torque),
        "acceleration": (
            forward_dynamics(arm, states.q, states.qd, states.tau, states.wrench),
            acceleration,
        ),
        "pose": (forward_kinematics(arm, states.q), over_states(pose, states.q)),
        "jacobian": (jacobian(arm, states.q), pinocchio_jacobian(arm, states.q)),
        "mass matrix": (np.triu(mass_matrix(arm, states.q)), matrix),
    }
    for name, (ours, theirs) in found.items():
        assert largest_relative_error(ours, theirs) < 1e-10, name
    ours = np.einsum("kij,kj->ki", coriolis_matrix(arm, states.q, states.qd), states.qd)
    np.testing.assert_allclose(ours, coriolis, rtol=1e-10, atol=1e-11)  # zero for one joint
