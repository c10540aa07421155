"""The numbers on a page: what Python packs is what the record says."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_up_arms import random_arm
from scenes import touched_whole_arm
from scipy.spatial.transform import Rotation

from dynamics import BadInput, link_frames, load_arm
from hopfield_nav import load_world, simulate
from hopfield_nav.build import build_arm
from hopfield_nav.extensions.viewer import describe_run
from hopfield_nav.extensions.viewer.arrays import RATE, curve, frame_rows, packed, whole
from hopfield_nav.extensions.viewer.scene_parts import first_touches, link_poses
from hopfield_nav.geometry import arm_parts
from hopfield_nav.record import force_norm
from hopfield_nav.world import Cylinder, Sphere


def unpacked(array):
    """As ``numbers.js`` reads it."""
    kind = "<u2" if "step" in array else "<i4"
    numbers = np.frombuffer(base64.b64decode(array["data"]), kind).reshape(array["shape"])
    return array["low"] + array["step"] * numbers if "step" in array else numbers


@given(arrays(float, (4, 3), elements=st.floats(-1e6, 1e6)))
def test_packing_keeps_values_to_half_a_step(values):
    array = packed(values)
    assert np.abs(unpacked(array) - values).max() <= 0.51 * array["step"] + 1e-12
    assert array["step"] <= np.ptp(values) / 65535 * (1 + 1e-12)


def test_what_is_not_finite_does_not_spoil_the_rest():
    values = unpacked(packed(np.array([1.0, np.nan, 2.0, np.inf])))
    assert np.abs(values - [1.0, 0.0, 2.0, 0.0]).max() < 1e-4


def test_whole_numbers_stay_whole():
    assert unpacked(whole(np.array([[0, -1], [2**31 - 1, 5]]))).tolist() == [
        [0, -1],
        [2**31 - 1, 5],
    ]


def test_frames_are_even_and_hold_every_event():
    time = np.arange(0.0, 8.0, 1e-3)
    events = np.array([0.0333, 5.0007, np.nan])
    rows = frame_rows(time, events)
    assert set(np.searchsorted(time, events[:2])) <= set(rows.tolist())
    assert (rows[0], rows[-1]) == (0, time.size - 1)
    assert np.diff(time[rows]).max() < 1.05 / RATE
    assert len(rows) < 1.05 * RATE * 8.0


@given(arrays(float, 500, elements=st.floats(-50, 50)))
def test_no_peak_between_two_frames_is_lost(values):
    rows = np.arange(0, 500, 37)
    drawn = curve("any", "#000000", values, rows)
    low, high = unpacked(drawn["low"]), unpacked(drawn["high"])
    owner = np.searchsorted(rows, np.arange(500), side="right") - 1
    assert (low[owner] <= values + 1e-3).all()
    assert (values <= high[owner] + 1e-3).all()
    assert abs(high.max() - values.max()) < 1e-3


@pytest.mark.parametrize(
    "arm", [load_arm("ur5e"), random_arm(3), random_arm(7)], ids=["ur5e", "3", "7"]
)
def test_poses_are_the_link_frames(arm):
    q = np.cumsum(np.random.default_rng(1).uniform(-0.2, 0.2, (60, len(arm.dh))), axis=0)
    frames, poses = link_frames(arm, q), link_poses(arm, q)
    position, turn = unpacked(poses["position"]), unpacked(poses["turn"])
    assert np.abs(position - frames[..., :3, 3]).max() < 1e-4
    turned = Rotation.from_quat(turn.reshape(-1, 4)).as_matrix().reshape(frames[..., :3, :3].shape)
    assert np.abs(turned - frames[..., :3, :3]).max() < 1e-4
    assert (np.sum(turn[1:] * turn[:-1], axis=-1) > 0).all()  # the short way from frame to frame
    assert {part["link"] for part in arm_parts(arm)} <= set(range(position.shape[1]))


def cylinder_place(part, point):
    """Distance from the line about which a part turns, and along it from its start."""
    beyond = np.subtract(point, part["start"])
    along = beyond @ part["along"]
    return np.linalg.norm(beyond - along * np.array(part["along"])), along


def is_inside(part, point):
    radius, along = cylinder_place(part, point)
    outline = np.array(part["outline"])
    low, high = outline[:, 1].min(), outline[:, 1].max()
    return low <= along <= high and radius <= np.interp(along, outline[:, 1], outline[:, 0]) + 1e-6


def surface(part):
    """Points of a part all around its outline."""
    along = np.array(part["along"])
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across /= np.linalg.norm(across)
    for turn in np.linspace(0, 2 * np.pi, 12, endpoint=False):
        out = np.cos(turn) * across + np.sin(turn) * np.cross(along, across)
        for radius, distance in part["outline"]:
            yield np.array(part["start"]) + distance * along + radius * out


def shares_away(capsules, point):
    """How far a point is from the middle lines of capsules, in their radii."""
    for row in capsules:
        reach = row[4:7] - row[1:4]
        at = np.clip((point - row[1:4]) @ reach / max(reach @ reach, 1e-12), 0, 1)
        yield np.linalg.norm(point - row[1:4] - at * reach) / row[7]


@pytest.mark.parametrize(
    "arm", [load_arm("ur5e"), load_arm("panda"), random_arm(3)], ids=["ur5e", "panda", "3"]
)
def test_the_drawn_arm_is_where_its_capsules_are(arm):
    """The middle line of each capsule is inside it, and no point of it is 0.9 radii beyond one."""
    # without the rod to a tool
    parts = [part for part in arm_parts(arm) if part["outline"][0][1] > -0.0059]
    for row in arm.capsules:
        own = [part for part in arm_parts(arm) if part["link"] == row[0]]
        for point in np.linspace(row[1:4], row[4:7], 9):
            assert any(is_inside(part, point) for part in own), (row, point)
    for part in parts:
        own = arm.capsules[arm.capsules[:, 0] == part["link"]]
        assert all(min(shares_away(own, point)) < 1.9 for point in surface(part)), part


def test_a_joint_of_a_ur5_is_a_housing_across_its_axis():
    """Every axis of the six is that of a housing; lids close those of the five links in the middle."""
    arm = load_arm("ur5_full")
    frames = link_frames(arm, np.zeros(6))
    housings = [part for part in arm_parts(arm) if part["kind"] == "housing"]
    for axis in frames[:6]:
        ends = np.array([axis[:3, 3], axis[:3, 3] + axis[:3, 2]])
        on = [cylinder_place(p, (point - frame[:3, 3]) @ frame[:3, :3])[0] for p in housings
              for frame in [frames[p["link"]]] for point in ends]  # fmt: skip
        assert np.reshape(on, (-1, 2)).max(axis=1).min() < 1e-6, axis
    assert {p["link"] for p in arm_parts(arm) if p["kind"] == "cap"} == {1, 2, 3, 4, 5}


def test_first_touches_name_the_solid_and_its_time():
    solids = [Sphere(center=(0, 0, 0), radius=0.1), Cylinder(center=(1, 0), radius=0.2)]
    points = np.full((5, 3), np.nan)
    points[2], points[3:] = [0.8, 0.0, 0.3], [0.0, 0.0999, 0.0]
    still = np.array([[0.0, np.inf]] * 2)
    assert first_touches(solids, still, np.arange(5.0), points) == [3.0, 2.0]
    assert first_touches(solids, still, np.arange(5.0), np.full((5, 3), np.nan)) == [None, None]
    assert first_touches([], still[:0], np.arange(5.0), points) == []
    gone = np.array([[0.0, np.inf], [0.0, 2.0]])
    assert first_touches(solids, gone, np.arange(5.0), points) == [3.0, None]


def test_a_run_is_described_as_it_was():
    run = simulate(load_world("u_trap", ["time_limit=12"]))
    page = describe_run(run)
    force, level = page["panels"][0]["curves"], page["panels"][2]["curves"][0]
    largest = force_norm(run.data.force.values).max()
    assert abs(unpacked(force[1]["high"]).max() - largest) < 1e-3 * largest
    assert unpacked(level["high"]).max() > 1.0
    collisions = [event for event in page["events"] if event["kind"] != "missed contact"]
    assert [event["time"] for event in collisions] == run.data.event_time.values.tolist()
    plans = run.plans()
    for drawn, plan in zip(page["map"]["plans"], plans, strict=False):
        assert np.array_equal(unpacked(drawn["felt"]), np.flatnonzero(plan.felt))
        assert np.allclose(unpacked(drawn["certainty"]), plan.certainty, atol=1e-4)
    assert page["map"]["plans"][-1]["time"] == run.data.time.values[-1]
    touched = [solid["touched"] for solid in page["solids"] if solid["touched"] is not None]
    assert touched
    assert np.nanmin(run.data.touch_time.values) == pytest.approx(min(touched), abs=2e-3)


def test_places_of_touches_lie_on_the_arm():
    """Every place in the record is on the page, on the surface of the link that it names, as it was felt."""
    run = touched_whole_arm()
    page, data, arm = describe_run(run), run.data, build_arm(run.world)
    assert page["map"] is None
    links = data.felt_link.values
    assert len(page["places"]) == np.count_nonzero(links) > 0
    for place, (event, k) in zip(page["places"], np.argwhere(links > 0), strict=True):
        row = np.searchsorted(data.time.values, data.event_time.values[event])
        frame = link_frames(arm, data.q.values[row])[links[event, k]]
        inside = frame[:3, :3].T @ (place["point"] - frame[:3, 3])
        own = arm.capsules[arm.capsules[:, 0] == links[event, k]]
        along = np.clip(
            np.sum((inside - own[:, 1:4]) * (own[:, 4:7] - own[:, 1:4]), axis=1)
            / np.maximum(np.sum((own[:, 4:7] - own[:, 1:4]) ** 2, axis=1), 1e-12), 0.0, 1.0,
        )  # fmt: skip
        nearest = own[:, 1:4] + along[:, None] * (own[:, 4:7] - own[:, 1:4])
        away = np.abs(np.linalg.norm(inside - nearest, axis=1) - own[:, 7]).min()
        assert away < 0.04, place  # middles of patches that lie up to 4 cm apart
        assert place["weight"] == data.felt_weight.values[event, k]
        assert place["time"] == data.event_time.values[event]


def test_a_run_without_signals_is_refused():
    run = simulate(load_world("empty", ["record.signals=none"]))
    with pytest.raises(BadInput, match="no view without signals"):
        describe_run(run)
