"""Arms whose numbers lie in one array: the same results, and what is written to them is seen."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from made_up_arms import random_arm

from dynamics import (
    Arm,
    BadInput,
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
    link_frames,
    load_arm,
    mass_matrix,
    packed,
)

pytestmark = pytest.mark.kernel


def _all(arm, rows=()):
    """What the functions give for one row of numbers, or for many."""
    generator = np.random.default_rng(3)
    q, qd, third = generator.normal(size=(3, *rows, len(arm.dh)))
    wrench = generator.normal(size=(*rows, 6))
    return [
        forward_kinematics(arm, q), jacobian(arm, q), link_frames(arm, q), mass_matrix(arm, q),
        inverse_dynamics(arm, q, qd, third), inverse_dynamics(arm, q, qd, third, wrench),
        forward_dynamics(arm, q, qd, third), forward_dynamics(arm, q, qd, third, wrench),
    ]  # fmt: skip


def _apart(arm):
    return Arm(*(array.copy() for array in arm))


def _same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 9])
@pytest.mark.parametrize("rows", [(), (4,), (2, 3), (0,)])
def test_the_numbers_together_or_apart_give_the_same(n, rows):
    arm = random_arm(n)
    assert _same(_all(packed.together(arm), rows), _all(_apart(arm), rows))


def test_every_array_of_an_arm_is_found_again():
    arm = load_arm("ur5_ragazzon2012")
    numbers, n, _ = packed.numbers_of(arm)
    for found, array in zip(packed.arm_in.__wrapped__(numbers, n), arm, strict=True):
        assert np.array_equal(found, array)
        assert found.size == 0 or np.shares_memory(found, array)


@pytest.mark.parametrize("n", [1, 6, 9])
def test_scratch_arrays_do_not_overlap_and_fill_their_room(n):
    scratch = np.empty(packed.room_for(n))
    work = packed.work_in.__wrapped__(scratch, n)
    for k, array in enumerate(work):
        array[...] = k
    assert all(np.all(array == k) for k, array in enumerate(work))
    assert sum(array.size for array in work) == scratch.size


def test_what_scratch_held_before_does_not_matter(monkeypatch):
    arm = load_arm("ur5_controller")
    expected = _all(arm)
    for module in ("kinematics", "newton_euler", "forward", "composite"):
        monkeypatch.setattr(f"dynamics.{module}.scratch", lambda room: np.full(room, np.nan))
    assert _same(_all(arm), expected)


def test_every_thread_has_scratch_of_its_own_and_room_for_the_largest_arm():
    with ThreadPoolExecutor(2) as pool:
        both = Barrier(2)
        arrays = list(pool.map(lambda room: (both.wait(), packed.scratch(room))[1], [100, 100]))
    assert not np.shares_memory(*arrays)
    assert packed.scratch(10).size >= 10
    large = packed.scratch(100_000)
    assert large.size == 100_000
    assert packed.scratch(10) is large


def test_threads_do_not_disturb_each_other():
    arms = [random_arm(n) for n in (2, 6, 9, 7)]
    expected = [_all(arm, (200,)) for arm in arms]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: _all(arms[k % 4], (200,)), range(24)))
    assert all(_same(found[k], expected[k % 4]) for k in range(24))


def test_results_are_arrays_of_their_own():
    arm, zero = load_arm("ur5_controller"), np.zeros(6)
    first = inverse_dynamics(arm, zero, zero, zero)
    kept = first.copy()
    inverse_dynamics(arm, zero + 1.0, zero, zero)
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, zero)


@pytest.mark.parametrize("change", [copy.copy, copy.deepcopy, lambda arm: pickle.loads(pickle.dumps(arm))])
def test_a_copied_arm_gives_the_same(change):
    arm = load_arm("ur5_controller")
    expected = _all(arm)
    assert _same(_all(change(arm)), expected)
    assert _same(change(arm), arm)


@pytest.mark.parametrize("call", [inverse_dynamics, forward_dynamics])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_of_three_in_another_form_is_taken_too(call, place):
    arm = load_arm("ur5_controller")
    rows = [np.linspace(k, 1.0, 6) for k in range(3)]
    expected = call(arm, *rows)
    frozen = rows[place].copy()
    frozen.flags.writeable = False
    subclass = rows[place].view(np.recarray)
    for other in (rows[place].tolist(), frozen, subclass, rows[place][None], rows[place].astype(">f8")):
        assert np.array_equal(call(arm, *rows[:place], other, *rows[place + 1 :]).ravel(), expected)
    for wrong in (rows[place][:5], np.zeros((6, 1)), "nothing", None):
        with pytest.raises(BadInput):
            call(arm, *rows[:place], wrong, *rows[place + 1 :])


@pytest.mark.parametrize("make", [lambda arm: arm, _apart])
def test_what_is_written_to_an_arm_is_seen(make):
    arm = make(load_arm("ur5_controller"))
    before = inverse_dynamics(arm, np.zeros(6), np.zeros(6), np.zeros(6))
    arm.mass[:] *= 2.0
    assert np.allclose(inverse_dynamics(arm, np.zeros(6), np.zeros(6), np.zeros(6)), 2.0 * before)


def test_an_arm_with_one_array_exchanged_is_another_arm():
    arm = load_arm("ur5_controller")
    heavier = arm._replace(mass=arm.mass * 2.0)
    weightless = arm._replace(gravity=arm.mass[:3] * 0.0)
    swapped = arm._replace(speed_limits=arm.torque_limits, torque_limits=arm.speed_limits)
    for other in (heavier, weightless, swapped):
        assert _same(_all(other), _all(_apart(other)))


def test_many_arms_in_turn():
    arms = [load_arm("ur5_controller") for _ in range(3 * packed._KEPT)]
    for k, arm in enumerate(arms):
        arm.mass[0] = k
    found = [mass_matrix(arm, np.zeros(6)) for arm in arms for _ in range(2)]
    assert _same(found, [mass_matrix(_apart(arm), np.zeros(6)) for arm in arms for _ in range(2)])
    assert len(packed._known) <= packed._KEPT


@pytest.mark.parametrize(
    "q", [np.zeros(5), np.zeros((6, 1)), "nothing", None, np.zeros(()), [[0.0] * 6, [0.0]]]
)
def test_a_wrong_shape_is_refused(q):
    with pytest.raises(BadInput):
        forward_kinematics(load_arm("ur5_controller"), q)


@pytest.mark.parametrize(
    "q",
    [
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], dtype=">f8"),
        np.repeat([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 2)[::2],
        np.broadcast_to(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), (1, 6))[0],
        np.frombuffer(b"-" + np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).tobytes(), offset=1),
    ],
)
def test_numbers_in_any_form_of_storage(q):
    expected = forward_kinematics(load_arm("ur5_controller"), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    assert np.array_equal(forward_kinematics(load_arm("ur5_controller"), q), expected)
