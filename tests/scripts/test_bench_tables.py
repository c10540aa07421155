"""Tables of the pages from a bench: every suite has them, and their cells can be worked out by hand."""

from __future__ import annotations

import json

import bench_columns as c
import numpy as np
import pytest
from bench_tables import TABLES, beside_kept, tables
from benches import any_suite, suite_module
from suite_tables.arm import FELT, GEARS, GOALS, REGROUPED, STRAIGHT
from suite_tables.parts import Part
from suite_tables.tool import PAIRS, SECOND, TOUCHES, WRIST

from dynamics import forward_kinematics
from hopfield_nav.build import build_arm, build_obstacles
from hopfield_nav.geometry import capsule_distance, pack_primitives, upright_cylinder
from hopfield_nav.world import parse_world

NEAR, FAR, LOST = (
    [0.01, 0.01, 0.01, 1.0, 0.95],
    [0.06, 0.06, 0.02, 0.0, 0.5],
    [9.0, 9.0, 9.0, 0.0, 0.0],
)


def row(**change):
    values = {
        "family": "f", "condition": "default", "method": "replan", "repeat": 0, "seed": 7, "counts": 1,
        "outcome": "reached", "narrow": 1, "collision_count": 4, "contact_count": 5, "graze_count": 1,
        "strong": 3, "once": 2, "missed": 1, "contact_time_s": 1.0, "simulated_time_s": 20.0, "way_m": 1.0,
        "peak_contact_force_N": 10.0, "false_alarm_count": 0, "motions": 9, "path_rad": 6.0, "bound_rad": 3.0,
        "spent_s": 2.0, "replans_s": "[0.1, 0.3]", "places": "[]", "silent_contact_count": 0,
    }  # fmt: skip
    return {**values, **change}


def cells(columns, *methods):
    return [column(list(methods)) for column in columns.values()]


@pytest.mark.parametrize("suite", TABLES)
def test_every_suite_of_the_tables_is_there_with_the_methods_that_they_put_side_by_side(suite):
    made = any_suite(suite)
    for part in TABLES[suite]:
        if isinstance(part, Part) and suite not in REGROUPED:
            assert set(part.methods or ()) <= set(made.methods)


def test_lines_of_a_suite_that_was_run_in_parts_stay_where_nothing_new_is_known_of_them():
    head = "|  | worlds |\n|---|---|"
    old = f"{head}\n| solids: a | 200 |\n| shelf: a | 191 |"
    new = f"{head}\n| shelf: a | 213 |\n| pipes: a | 200 |\n| solids: b | 9 |"
    told = f"{head}\n| solids: a | 200 |\n| solids: b | 9 |\n| shelf: a | 213 |\n| pipes: a | 200 |"
    assert beside_kept(new, old) == told
    assert beside_kept(new, new) == new


@pytest.mark.parametrize("suite", ["following", "sliding"])
def test_a_seed_gives_one_world_that_is_free_at_start_and_goal(suite):
    made = any_suite(suite, worlds=3)
    scenes: dict[str, list[bytes]] = {}
    for job in map(made.job, range(made.count)):
        if job.values["condition"] == "default" and job.values["method"] == "replan":
            world, again = (made.start(job).world for _ in range(2))
            assert build_obstacles(world).tobytes() == build_obstacles(again).tobytes()
            tool = forward_kinematics(build_arm(world), np.array(world.start.joints))[:3, 3]
            ends = np.array([[*place, *place, 0.0] for place in (tool, world.goal_point)])
            assert capsule_distance(ends, build_obstacles(world)).min() > 0.01
            scenes.setdefault(job.values["family"], []).append(build_obstacles(world).tobytes())
    assert all(len(set(drawn)) == 3 for drawn in scenes.values())


def test_short_segments_are_slow_in_the_family_that_says_so():
    made = any_suite("following", worlds=1)
    for family, least in (
        ("random_cylinders", 0.3),
        ("random_cylinders, short legs as slow as a cell", 1.0),
    ):
        job = next(
            job
            for job in map(made.job, range(made.count))
            if job.values["family"] == family and job.values["method"] == "follow"
        )
        assert made.start(job).navigator.response.least_time == least


def test_only_pairs_with_the_same_end_are_compared():
    first = [row(), row(simulated_time_s=200.0, outcome="time_limit")]
    found = cells(PAIRS, first, [row(simulated_time_s=10.0), row(simulated_time_s=10.0)])
    assert found[:3] == ["2", "1 / 2", "0 / 0"]
    assert found[5] == "20.0 / 10.0 s"
    assert found[8].startswith("1 of 1")
    assert found[9].startswith("0.50 (")


def test_shares_of_touches_are_of_the_worlds_and_contacts_that_count():
    rows = [row(), row(counts=0, outcome="no_path"), row(counts=0, narrow=0, outcome="no_path")]
    found = cells(TOUCHES, rows)
    assert found[0] == "3"
    assert found[1].startswith("1 of 1 (")
    assert found[2].startswith("1 of 2 (")
    assert found[3:6] == ["1", "12 on 15 (0.80)", "3"]
    assert found[6].startswith("6 of 9 (")
    assert found[8] == "20.0 s"


def test_a_second_obstacle_that_was_never_felt_is_the_largest_delay():
    rows = [{"delay_s": 0.01}, {"delay_s": 0.02}, {"delay_s": np.inf}, {"delay_s": None}]
    found = cells(SECOND, rows)
    assert found[:3] == ["3", "20 ms", "inf ms"]
    assert found[3].startswith("2 of 3 (")


def test_a_touch_that_was_felt_nowhere_is_one_that_was_not_near():
    rows = [row(places=json.dumps([NEAR, FAR])), row(places=json.dumps([LOST, NEAR]))]
    shares = ["50 %", "75 %", "50 %", "75 %", "50 %", "25 %", "50 %", "100 %"]
    assert cells(FELT, rows) == ["4", shares[0], "2.7 cm", *shares[1:], "0 on 18"]


def test_goals_that_were_not_reached_count_in_the_share_and_not_in_the_cost():
    lost = row(
        outcome="given_up", collision_count=200, simulated_time_s=910.0, path_rad=99.0, spent_s=28.0
    )
    not_run = dict.fromkeys(row()) | {"outcome": "not run", "counts": 0}
    found = cells(GOALS, [row(), lost, not_run])
    assert found[0] == "2"
    assert found[1].startswith("1 of 2 (")
    assert found[2:7] == ["4", "4", "6.0 rad", "20 s", "10 N"]
    assert found[7:] == ["0.20 s, 0.30 s", "31"]  # of both: 930 s in 30 s


def test_the_whole_arm_with_gears_has_lines_of_all_families_together():
    felt = {"places": json.dumps([NEAR, FAR]), "delays_ms": "10 30", "condition": "σ 1, known"}
    rows = [row(family="box", **felt), row(family="shelf", **{**felt, "places": "[]"})]
    assert cells(GEARS, rows[:1])[:4] == ["1 of 1", "2", "50 % (9–91)", "3.5 cm"]
    lines = tables("whole_arm_gears", rows)["whole"].splitlines()[2:]
    assert [line.split(" | ")[0].strip("| ") for line in lines] == [
        "σ 1, known: box", "σ 1, known: shelf", "σ 1, known: all",
    ]  # fmt: skip
    assert lines[1].split(" | ")[2:4] == ["0", "-"]
    assert lines[-1].split(" | ")[-1] == "20 ms |"


def test_two_ways_of_motion_are_compared_where_both_reached_the_goal():
    before = [row(), row(simulated_time_s=40.0), row(outcome="given_up", path_rad=1.0)]
    now = [row(simulated_time_s=10.0), row(simulated_time_s=30.0, path_rad=3.0), row()]
    found = cells(STRAIGHT, before, now)
    assert found[1].startswith("2 of 3 (")
    assert found[2].startswith("3 of 3 (")
    assert found[7:9] == ["0.62 (0.56–0.69)", "0.75 (0.62–0.88)"]
    assert found[9] == "2.00 (1.50–2.00)"  # 6, 3 and 6 rad where 3 would do


def test_a_closed_box_stands_beside_the_same_box_with_an_opening():
    times = {"processor_time_s": 3.0, "no_path_error_bound": None, "method": "straight"}
    closed = {**times, "outcome": "no_path", "no_path_error_bound": 1e-4}
    kinds = {"closed: small, hard": closed, "open: small, hard": times}
    rows = [row(family=family, **change) for family, change in kinds.items()]
    lines = tables("whole_arm_boxes", rows)["boxes"].splitlines()
    assert lines[2] == (
        "| small, hard | 1 | 1 of 1 (21–100 %) | 4 | 4 | 0.0001 | 3 s | 3 s | 0.3 s "
        "| 1 of 1 (21–100 %) | 4 | 4 | 3 s | 3 s | 0.3 s |"
    )
    assert lines[3].startswith("| all | 1 |")


def test_an_arm_that_is_told_stands_beside_the_same_arm_in_every_world_that_counts():
    """The one that gives up is not better for that."""
    own = [(4, "reached"), (200, "given_up")]
    felt = [
        row(repeat=k, collision_count=n, outcome=o, method="felt_points")
        for k, (n, o) in enumerate(own)
    ]
    wide = [row(repeat=k, collision_count=3, method="surface") for k in range(2)]
    told = [
        row(repeat=k, family="f, told", collision_count=n, method="felt_points")
        for k, n in enumerate([2, 100])
    ]
    for name, rows, beside in (
        ("told", told, ["2 of 2 (34–100 %)", "51.0", "90", "100"]),
        ("surfaces", wide, ["2 of 2 (34–100 %)", "3.0", "3", "3"]),
    ):
        (line,) = tables("whole_arm_told", [*felt, *rows])[name].splitlines()[2:]
        found = [cell.strip() for cell in line.strip("|").split("|")]
        assert found == ["f, default", "2", "1 of 2 (9–91 %)", "102.0", "180", "200", *beside]
    both = [{**one, "method": "surface, approach"} for one in (*felt, *told)]
    lines = tables("whole_arm_told", [*felt, *told, *both])["told"].splitlines()[2:]
    assert lines[1] == lines[0].replace("f, default", "f, default: surface, approach")


def test_a_table_of_gears_has_a_column_for_every_condition():
    rows = [
        row(family=family, condition=condition, false_alarm_count=k)
        for k, (family, condition) in enumerate(
            [("ideal", "known"), ("1e4", "known"), ("1e4", "× 2")]
        )
    ]
    assert tables("gears_tool", rows)["tool"].splitlines() == [
        "| σ [N·m/rad] | known | × 2 |", "|---|---|---|", "| ideal | 1, 0 | - |", "| 1e4 | 1, 1 | 1, 2 |",
    ]  # fmt: skip
    felt = {"condition": "1e5", "early": 0}
    rows = [
        row(**felt, family="standing", method="1e-5 rad", felt_N=20.0),
        row(**felt, family="standing", method="1e-5 rad", felt_N=None),
        row(**felt, family="moving", method="1e-6 rad", felt_N=1.0),
        row(**{**felt, "early": 1}, family="dithering", method="1e-5 rad", felt_N=30.0),
    ]
    assert tables("gears_stiff", rows)["stiff"].splitlines()[::2] == [
        "| σ [N·m/rad] | 1e-5 rad, standing | 1e-5 rad, dither |", "| 1e5 | inf, > 60 | 30, 30 (1 false) |",
    ]  # fmt: skip


def test_errors_and_angles_of_all_rows_are_put_together():
    texts = {"delays_ms": "1 3", "turned_deg": "", "angles_deg": "0:3 90:1"}
    found = cells(WRIST, [row(**texts, error_squared_N2=9.0, pressed_rows=4)])
    assert found[6:] == ["2, 3", "1.5", "0, 76", "–"]


def test_lines_of_one_mark_are_one_table():
    rows = [row(method=m, angles="1:5 2:30", strides=1) for m in ("replan", "follow")]
    found = tables("following", rows)
    assert "| f, default | 1 | 1 / 1 |" in found["random"]
    assert found["normals"].splitlines()[-1] == "| f, default | 1: 5°, 5° | 1: 30°, 30° |"


@pytest.mark.parametrize("normal", [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]])
def test_a_true_normal_points_away_from_the_nearest_obstacle(normal):
    solids = pack_primitives(
        [upright_cylinder([0.4, 0.0], 0.03), upright_cylinder([0.6, 0.3], 0.03)]
    )
    normal_at = suite_module("tool_studies").normal_at
    place = np.array([0.4, 0.0, 0.0]) + 0.031 * np.array(normal)
    np.testing.assert_allclose(normal_at(solids, place, 2), normal, atol=1e-6)


def test_a_place_between_two_obstacles_has_no_normal():
    solids = pack_primitives(
        [upright_cylinder([0.4, 0.0], 0.03), upright_cylinder([0.5, 0.0], 0.03)]
    )
    normal_at = suite_module("tool_studies").normal_at
    assert normal_at(solids, np.array([0.45, 0.0, 0.0]), 2) is None


def test_a_motion_of_a_seed_is_always_the_same_and_leads_into_the_shelf():
    draw_text = suite_module("whole_arm").draw_text
    assert draw_text("shelf", 3) == draw_text("shelf", 3)
    assert parse_world(draw_text("shelf", 3)).start != parse_world(draw_text("shelf", 4)).start
    for seed in range(5):
        x, y, z = parse_world(draw_text("shelf", seed)).goal_point
        assert 0.35 <= np.hypot(x, y) <= 0.8
        assert 0.05 <= z <= 0.7


def test_quantiles_of_nothing_are_a_dash():
    assert c.quantiles([]) == "–"
    assert c.share_text(0, 0) == "-"
