"""World files: defaults, values as written, the way back to YAML."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from refusals import refused

from hopfield_nav.build import build_arm, build_model
from hopfield_nav.plugin import find_method, method_names
from hopfield_nav.world import World, dump_schema, load_world, parse_world
from hopfield_nav.world.document import parse_document, plain_value
from hopfield_nav.world.files import list_worlds, world_folders

START = (0.1764, 0.0131)  # [x, y] of the tool at the default start [m]


def test_shortest_world_has_all_defaults():
    world = parse_world("format: 1")
    assert world.plant.step == world.controller.period == 0.001
    assert world.controller.parameters["omega"] == (22.5, 22.5, 37.5, 60.0, 67.5, 75.0)
    assert world.detection.parameters["threshold"] == 1.0
    assert world.map.shape == (20, 20)
    assert world.goal is None
    assert world.goal_position is None


@pytest.mark.parametrize("more", ["", "tool: {payload: {mass: 1}}\nplant: {dynamics: ur5_full}"])
def test_kernels_get_the_numbers_of_a_worlds_arms_as_they_lie(more):
    """A copy for every call costs several times what the call does."""
    world = parse_world(f"format: 1\n{more}")
    arm = build_arm(world)
    for made in (arm, build_model(world, arm)):
        assert made.dh.base is made.mass.base


def test_a_world_cannot_be_changed():
    world = parse_world("format: 1")
    with pytest.raises(ValidationError, match="frozen"):
        world.seed = 3


@pytest.mark.parametrize("name", list_worlds())
def test_bundled_worlds_load_by_name_and_come_back_equal(name):
    world = load_world(name)
    assert world.name == name
    assert parse_world(world.to_yaml()) == world
    resolved = world.resolve(5, [START])
    assert resolved.seed == 5
    assert parse_world(resolved.to_yaml()) == resolved


def test_every_bundled_world_is_described_and_ragazzon_has_its_goal():
    assert all(load_world(name).description for name in list_worlds())
    assert load_world("ragazzon2012").goal.cell == (17, 6)


def test_yaml_writes_every_default_out():
    text = parse_world("format: 1").to_yaml()
    for key in (
        "rearm: 0.5",
        "singular_damping: 0.001",
        "goal: null",
        "omega:",
        "every: 1",
        "spacing: 0.0263",
    ):
        assert key in text


@pytest.mark.parametrize(
    "text", ["1e5", "008", "no", "null", "~", "a: b", "# x", "two\nlines", "'", "é — ü", " x "]
)
def test_description_survives_the_way_to_yaml_and_back(text):
    world = parse_world("format: 1").model_copy(update={"description": text})
    assert parse_world(world.to_yaml()).description == text


UNKNOWN = {
    "folder": (".", "is a folder"),
    "near a file": ("mime.yaml", r"no such file in .*. Did you mean 'mine.yaml'"),
    "near a name": ("ragazon2012", "Did you mean 'ragazzon2012'"),
    "a byte that no name has": ("a\0b.yaml", "no such file"),
    "too long": ("x" * 5000 + ".yaml", "no such file"),
}


@pytest.mark.parametrize(("name", "words"), UNKNOWN.values(), ids=UNKNOWN)
def test_folder_missing_file_and_unknown_name(tmp_path, monkeypatch, name, words):
    (tmp_path / "mine.yaml").write_text("format: 1")
    monkeypatch.chdir(tmp_path)
    with refused(words):
        load_world(name)


def test_anchors_merges_and_yes_no_are_fine():
    world = parse_world(
        "format: 1\nobstacles:\n- cylinder: &c {center: [0.4, 0.1], radius: 0.02}\n"
        "- cylinder: {<<: *c, radius: 3e-2}\n"
        "controller: {hold: no, saturate: yes}\ncontact: {stiffness: 1e5}"
    )
    assert [o.cylinder.radius for o in world.obstacles] == [0.02, 0.03]
    assert (world.controller.hold, world.controller.saturate) == (False, True)
    assert world.contact.stiffness == 1e5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e5", 1e5),
        ("1.0e5", 1e5),
        ("-.5E-3", -5e-4),
        ("010", 10),
        ("1:30", "1:30"),
        ("0x10", "0x10"),
        ("On", True),
        ("NULL", None),
        ("1_000", "1_000"),
        ("2012-01-01", "2012-01-01"),
        ("5.", 5.0),
        ("+7", 7),
    ],
)
def test_unquoted_words_mean_what_a_person_reads(text, value):
    assert plain_value(text) == value
    assert type(plain_value(text)) is type(value)


def test_quoted_numbers_stay_text():
    assert parse_document('"1e5"', "x").data == "1e5"
    with refused("a number"):
        parse_world('format: 1\ntime_limit: "20"')


def test_empty_section_means_defaults_but_a_null_threshold_does_not():
    assert parse_world("format: 1\ncontact:\nknown:\ngoal:") == parse_world("format: 1")
    with refused("threshold"):
        parse_world("format: 1\ndetection: {threshold: }")
    assert parse_world("format: 1\ndetection: {rearm: null}").detection.rearm is None


def test_control_period_follows_the_step_unless_given():
    assert parse_world("format: 1\nplant: {step: 0.0003}").controller.period == 0.0003
    assert (
        parse_world(
            "format: 1\nplant: {step: 0.0005}\ncontroller: {period: 0.002}"
        ).controller.period
        == 0.002
    )


def test_overrides_change_values():
    world = load_world(
        "u_trap", ["detection.threshold=8", "obstacles.0.cylinder.radius=0.03", "record.every=5"]
    )
    assert world.detection.parameters["threshold"] == 8.0
    assert world.obstacles[0].cylinder.radius == 0.03
    assert world.record.every == 5


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("detection.treshold=8", "Did you mean 'threshold'"),
        ("seed", "KEY=VALUE"),
        ("=3", "KEY=VALUE"),
        ("seed.x=3", "wrong kind"),
        ("time_limit=[1", "not valid YAML"),
        ("obstacles.99.x=1", "0 to 16"),
        ("start.joints=[90, 0]", "degrees"),
        ("goal.tolerance=0", "above 0"),
    ],
)
def test_overrides_name_themselves_in_faults(override, words):
    with refused(words) as caught:
        load_world("u_trap", [override])
    assert "--set" in str(caught.value)


def test_random_cylinders_are_drawn_once_and_keep_their_distance():
    world = load_world("random_cylinders")
    drawn = world.resolve(7, [START])
    assert drawn == world.resolve(7, [START])
    assert drawn.obstacles != world.resolve(8, [START]).obstacles
    assert len(drawn.obstacles) == 100
    for obstacle in drawn.obstacles:
        for point in (START, drawn.goal_position):
            assert math.dist(obstacle.cylinder.center, point) > obstacle.cylinder.radius + 0.04


def test_random_cylinders_with_their_own_seed_ignore_the_runs():
    world = load_world("random_cylinders", ["obstacles.0.random_cylinders.seed=3"])
    assert world.resolve(1).obstacles == world.resolve(2).obstacles


def test_random_cylinders_without_room_are_refused():
    world = load_world("random_cylinders", ["obstacles.0.random_cylinders.clearance=2"])
    with refused("no room"):
        world.resolve(0, [START])


def test_a_users_own_method_brings_its_own_parameters(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from hopfield_nav.plugin import Method, Parameter\n"
        "def detect(model, sensed, parameters, memory, work, tau_external, wrench):\n    return 0.0\n"
        "P = Parameter('sharpness', 2.0, 0.0, 9.0, '1', 'how sharp')\n"
        "METHOD = Method('detector', 'mine', detect, (P,))\n"
        "LAG = Method('detector', 'mine', detect, (Parameter('lag', 2.0, 0.0, 9.0, '1', 'of its own'),))\n"
    )
    path = tmp_path / "w.yaml"
    path.write_text("format: 1\ndetection: {measure: 'mine.py:METHOD', sharpness: 3}")
    world = load_world(path, allow_code=True)
    assert world.detection.parameters["sharpness"] == 3.0
    assert "threshold" not in world.detection.parameters
    moved = world.to_yaml(tmp_path / "runs" / "a")
    assert "../../mine.py:METHOD" in moved
    again = parse_world(moved, folder=tmp_path / "runs" / "a", allow_code=True)
    assert again.detection.parameters == world.detection.parameters
    path.write_text("format: 1\ndetection: {measure: 'mine.py:METHOD', sharpnes: 3}")
    with refused("Did you mean 'sharpness'"):
        load_world(path, allow_code=True)
    path.write_text("format: 1\ndetection: {measure: 'mine.py:LAG'}")
    with refused("detection.lag: a parameter of your method has the name of a key of this section"):
        load_world(path, allow_code=True)
    path.write_text("format: 1\ndetection: {estimator: 'noisy.py:ESTIMATOR'}")
    (tmp_path / "noisy.py").write_text(
        "from hopfield_nav.plugin import Method, Parameter\n"
        "def estimate(model, sensed, parameters, memory, work, tau_external, wrench):\n    return 0\n"
        "P = Parameter('velocity_noise', 2.0, 0.0, 9.0, 'rad/s', 'of its own')\n"
        "ESTIMATOR = Method('estimator', 'noisy', estimate, (P,))\n"
    )
    with refused(
        "detection.velocity_noise: a parameter of your method has the name of a key of this section, or of"
    ):
        load_world(path, allow_code=True)


def test_a_saved_world_is_called_by_its_folder(tmp_path):
    path = tmp_path / "trial-2" / "world.yaml"
    path.parent.mkdir()
    path.write_text("format: 1")
    assert load_world(path).name == "world"
    (path.parent / "summary.json").touch()
    assert load_world(path).name == "trial-2"
    assert load_world(path).folder == path.parent


def test_arm_file_beside_the_world(tmp_path):
    source = Path(__file__).parents[2] / "dynamics" / "arms" / "ur5_tu2023.yaml"
    (tmp_path / "arm.yaml").write_bytes(source.read_bytes())
    (tmp_path / "w.yaml").write_text("format: 1\narm: arm.yaml")
    assert load_world(tmp_path / "w.yaml").arm == "arm.yaml"


@pytest.mark.needs("whole_arm")
def test_schema_accepts_the_bundled_worlds_and_refuses_unknown_keys():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(dump_schema()))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    check = validator(schema)
    for name in list_worlds():
        path = world_folders()[-1] / f"{name}.yaml"
        check.validate(parse_document(path.read_text(encoding="utf-8"), name).data)
    check.validate({"format": 1, "detection": {"measure": "a.py:B", "sharpness": 3}})
    for wrong in (
        {"format": 1, "plan": {"metod": "auto"}},
        {"format": 1, "plan": {"goal": {}}},
        {"format": 1, "detection": {"treshold": 3}},
        {},
        {"format": 1, "controller": {"omega": -1}},
        {"format": 1, "start": {"joints": [90]}},
        {"format": 1, "obstacles": [{}]},
        {"format": 1, "map": {"shape": [20]}},
    ):
        assert not check.is_valid(wrong)


def test_schema_describes_every_key_with_its_unit():
    schema = dump_schema()
    for section in [schema, *schema["$defs"].values()]:
        for key, value in section.get("properties", {}).items():
            assert value.get("description"), key
    assert "[W]" in schema["$defs"]["DetectionSection"]["properties"]["threshold"]["description"]


def test_goal_cell_and_position_agree():
    by_cell = parse_world("format: 1\ngoal: {cell: [17, 6]}")
    np.testing.assert_allclose(by_cell.goal_position, (0.1501 + 17 * 0.0263, -0.2499 + 6 * 0.0263))
    assert isinstance(by_cell, World)


def test_the_documentation_lists_every_key():
    docs = Path(__file__).parents[2] / "docs"
    text = "".join(
        docs.joinpath(name).read_text(encoding="utf-8")
        for name in ("world_files.md", "reference/keys.md")
    )
    schema = dump_schema()
    words = set(re.findall(r"\w+", text))
    for section in [schema, *schema["$defs"].values()]:
        assert set(section.get("properties", {})) <= words


def test_no_bundled_method_has_a_parameter_that_another_takes_from_the_sensors():
    """A world would give it the sensors' value in the place of its own."""
    methods = [
        find_method(kind, name) for kind in ("estimator", "detector") for name in method_names(kind)
    ]
    of_sensors = {p.name for method in methods for p in method.parameters if p.of_sensors}
    own = {p.name for method in methods for p in method.parameters if not p.of_sensors}
    assert "velocity_noise" in of_sensors
    assert not of_sensors & own


@pytest.mark.needs("surfaces")
def test_a_parameter_belongs_to_the_extension_of_its_only_methods():
    """Those of several, and those of methods of the core, to the core."""
    keys = dump_schema()["$defs"]["ControllerSection"]["properties"]
    assert keys["heading"]["extension"] == "surfaces"
    assert keys["omega"]["extension"] == "core"
    assert keys["heading"]["description"].endswith("(extension surfaces)")
