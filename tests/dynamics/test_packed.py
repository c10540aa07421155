"""Arms whose numbers lie in one array: the same results, and what is written to them is seen."""

from __future__ import annotations

import copy
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

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
    with_dynamics,
    with_payload,
    with_tool,
)
from dynamics.kernels.decorators import Room, packed
from dynamics.kernels.views import ROOM
from dynamics.packed import MOST_JOINTS, arm_in
from dynamics.work import room_for, work_in

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


CALLS = [forward_kinematics, jacobian, mass_matrix, inverse_dynamics, forward_dynamics]


def _call(function, arm, rows=(), **more):
    """One of them, with as many arrays as it takes."""
    count = 3 if function in (inverse_dynamics, forward_dynamics) else 1
    numbers = np.random.default_rng(4).normal(size=(3, *rows, len(arm.dh)))
    return function(arm, *numbers[:count], **more)


def _apart(arm):
    return Arm(*(array.copy() for array in arm))


def _same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@packed
def _number_fields(numbers: np.ndarray, n: int, room: Room) -> bool:
    arm = arm_in(numbers, n)
    arm.dh[:], arm.twist[:], arm.offset[:], arm.dynamics_offset[:], arm.mass[:] = 0, 1, 2, 3, 4
    (
        arm.center_of_mass[:],
        arm.inertia[:],
        arm.rotor_inertia[:],
        arm.friction[:],
        arm.presliding[:],
    ) = 5, 6, 7, 8, 9
    (
        arm.gravity[:],
        arm.tool[:],
        arm.position_limits[:],
        arm.speed_limits[:],
        arm.torque_limits[:],
    ) = 10, 11, 12, 13, 14
    arm.capsules[:] = 15
    return True


@pytest.mark.parametrize("n", [1, 6, 9])
def test_a_kernel_finds_every_array_of_an_arm(n):
    arm = random_arm(n)
    assert _number_fields.entry(arm.dh.base, n, None)
    assert all(np.all(array == k) for k, array in enumerate(arm))


T = np.diag([1.0, -1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    "make",
    [
        lambda arm: arm, _apart, Arm._make, copy.copy, copy.deepcopy, lambda arm: pickle.loads(pickle.dumps(arm)),
        lambda arm: with_tool(arm, T), lambda arm: with_payload(arm, 1.0, [0.0, 0.0, 0.1]),
        lambda arm: with_dynamics(arm, load_arm("ur5_ragazzon2012")),
        lambda arm: arm._replace(gravity=[0.0, 0.0, -1.6]),
    ],
)  # fmt: skip
def test_whatever_makes_an_arm_puts_its_numbers_into_one_array(make):
    arm = make(load_arm("ur5_controller"))
    assert all(array.base is arm.dh.base and array.flags.carray for array in arm)
    assert np.array_equal(np.concatenate([array.ravel() for array in arm]), arm.dh.base)
    before = inverse_dynamics(arm, *np.zeros((3, 6)))
    arm.gravity[:] *= 2.0
    assert np.allclose(inverse_dynamics(arm, *np.zeros((3, 6))), 2.0 * before)
    arm.mass[:] *= 2.0
    assert np.allclose(inverse_dynamics(arm, *np.zeros((3, 6))), 4.0 * before)


def test_an_array_that_was_handed_in_is_copied():
    arm, mass = load_arm("ur5_controller"), np.ones(6)
    other = arm._replace(mass=mass)
    mass[:] = 9.0
    other.gravity[:] = 0.0
    assert np.all(other.mass == 1.0)
    assert arm.gravity[2] == -9.81


@pytest.mark.parametrize(
    "wrong", [{"mass": np.ones(5)}, {"tool": np.eye(3)}, {"gravity": 9.81}, {"mass": ["heavy"] * 6}, {"dh": []},
              {"capsules": np.zeros((2, 7))}],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused_where_the_arm_is_made(wrong):
    with pytest.raises(BadInput, match="arrays of"):
        load_arm("ur5_controller")._replace(**wrong)


@pytest.mark.parametrize("n", [1, 6, 9])
def test_scratch_arrays_do_not_overlap_and_fill_their_room(n):
    scratch = np.empty(room_for(n))
    work = work_in.__wrapped__(scratch, n)
    for k, array in enumerate(work):
        array[...] = k
    assert all(np.all(array == k) for k, array in enumerate(work))
    assert sum(array.size for array in work) == scratch.size


def test_what_scratch_held_before_does_not_matter(monkeypatch):
    arm = load_arm("ur5_controller")
    expected = [_call(call, arm, (3,)) for call in (*CALLS, link_frames)]
    monkeypatch.setattr(np, "empty", lambda shape: np.full(shape, np.nan))
    for call, result in zip((*CALLS, link_frames), expected, strict=True):
        assert np.array_equal(_call(call, arm, (3,)), result)


@pytest.mark.parametrize("n", [MOST_JOINTS, MOST_JOINTS + 1, 40])
def test_an_arm_of_more_joints_than_a_kernel_has_room_for(n):
    assert room_for(MOST_JOINTS) == ROOM
    arm = random_arm(n)
    rows = _all(arm, (1,))
    assert _same(_all(arm), [result[0] for result in rows])


def test_other_threads_run_while_a_batch_is_computed():
    """Python asks no thread to make room here, so that a count goes on only if the call lets others run."""
    arm, counted, done = load_arm("ur5_controller"), [0], Event()
    seen = []

    def compute():
        q = np.zeros((100_000, 6))
        jacobian(arm, q[:1])
        before = counted[0]
        jacobian(arm, q)
        seen.extend([before, counted[0]])
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100.0)
    try:
        thread = Thread(target=compute)
        thread.start()
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert seen[1] > seen[0]


def test_threads_do_not_disturb_each_other():
    arms = [random_arm(n) for n in (2, 6, 9, 7)]
    expected = [_all(arm, (200,)) for arm in arms]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: _all(arms[k % 4], (200,)), range(24)))
    assert all(_same(found[k], expected[k % 4]) for k in range(24))


def test_single_calls_of_threads_do_not_disturb_each_other():
    arm = load_arm("ur5_controller")
    rows = np.random.default_rng(5).normal(size=(8, 3, 6))
    expected = [forward_dynamics(arm, *row) for row in rows]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: [forward_dynamics(arm, *row) for _ in range(2000)], rows))
    assert all(_same(results, [one] * 2000) for results, one in zip(found, expected, strict=True))


def test_results_are_arrays_of_their_own():
    arm, zero = load_arm("ur5_controller"), np.zeros(6)
    first = inverse_dynamics(arm, zero, zero, zero)
    kept = first.copy()
    inverse_dynamics(arm, zero + 1.0, zero, zero)
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, zero)


@pytest.mark.parametrize("call", [inverse_dynamics, forward_dynamics])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_of_three_in_another_form_is_taken_too(call, place):
    arm = load_arm("ur5_controller")
    rows = [np.linspace(k, 1.0, 6) for k in range(3)]
    expected = call(arm, *rows)
    frozen = rows[place].copy()
    frozen.flags.writeable = False
    subclass = rows[place].view(np.recarray)
    for other in (
        rows[place].tolist(),
        frozen,
        subclass,
        rows[place][None],
        rows[place].astype(">f8"),
    ):
        assert np.array_equal(call(arm, *rows[:place], other, *rows[place + 1 :]).ravel(), expected)
    for wrong in (rows[place][:5], np.zeros((6, 1)), "nothing", None):
        with pytest.raises(BadInput):
            call(arm, *rows[:place], wrong, *rows[place + 1 :])


def test_an_arm_with_one_array_exchanged_is_another_arm():
    arm = load_arm("ur5_controller")
    heavier = arm._replace(mass=arm.mass * 2.0)
    weightless = arm._replace(gravity=arm.mass[:3] * 0.0)
    swapped = arm._replace(speed_limits=arm.torque_limits, torque_limits=arm.speed_limits)
    for other in (heavier, weightless, swapped):
        assert _same(_all(other), _all(_apart(other)))


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
    expected = forward_kinematics(
        load_arm("ur5_controller"), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    )
    assert np.array_equal(forward_kinematics(load_arm("ur5_controller"), q), expected)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("rows", [(), (1,), (3,), (2, 3), (0,)])
def test_an_array_of_the_callers_takes_the_result(call, rows):
    arm = load_arm("ur5_controller")
    expected = _call(call, arm, rows)
    out = np.full_like(expected, np.nan)
    assert _call(call, arm, rows, out=out) is out
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("rows", [(), (3,)])
def test_an_array_that_cannot_take_the_result_is_refused(call, rows):
    arm = load_arm("ur5_controller")
    fits = _call(call, arm, rows)
    frozen = fits.copy()
    frozen.flags.writeable = False
    strided = np.repeat(fits, 2, axis=-1)[..., ::2]
    for out in (
        fits[..., :-1].copy(),
        fits[None],
        fits.astype(np.float32),
        fits.astype(">f8"),
        frozen,
        strided,
        [0],
    ):
        with pytest.raises(BadInput, match="out cannot take the result"):
            _call(call, arm, rows, out=out)


@pytest.mark.parametrize("call", CALLS)
def test_what_is_wrong_with_an_array_for_the_result_is_said_in_a_line(call):
    arm = load_arm("ur5_controller")
    shape = _call(call, arm).shape
    frozen = np.zeros(shape)
    frozen.flags.writeable = False
    with pytest.raises(BadInput) as caught:
        _call(call, arm, out=np.zeros(shape, np.float32))
    assert str(caught.value) == (
        f"out cannot take the result; found 'float32 of shape {shape}'; "
        f"allowed: float64 of shape {shape}, contiguous and writable"
    )
    for out in (
        frozen,
        np.zeros((*shape, 2))[..., 0],
        np.zeros(shape).tolist(),
        np.zeros(3),
        "out",
    ):
        with pytest.raises(BadInput, match="out cannot take the result") as caught:
            _call(call, arm, out=out)
        assert "\n" not in str(caught.value)
    assert not frozen.any()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("rows", [(), (4,)])
@pytest.mark.parametrize("shift", [-7, -1, 0, 1, 5])
def test_the_result_may_lie_in_memory_of_an_argument(call, rows, shift):
    arm = load_arm("ur5_controller")
    count = 3 if call in (inverse_dynamics, forward_dynamics) else 1
    for place in range(count + (count == 3)):
        arguments = [*np.random.default_rng(4).normal(size=(3, *rows, 6))[:count]]
        if count == 3:
            arguments.append(np.random.default_rng(5).normal(size=(*rows, 6)))
        expected = call(arm, *arguments)
        memory = np.zeros(expected.size + arguments[place].size + 20)
        shared = memory[10 : 10 + arguments[place].size].reshape(arguments[place].shape)
        shared[...] = arguments[place]
        arguments[place] = shared
        out = memory[10 + shift : 10 + shift + expected.size].reshape(expected.shape)
        assert call(arm, *arguments, out=out) is out
        assert np.array_equal(out, expected)


@pytest.mark.parametrize("rows", [(), (4,)])
def test_the_result_may_lie_in_the_arms_own_memory(rows):
    for name, call in (
        ("mass", inverse_dynamics),
        ("mass", forward_dynamics),
        ("tool", forward_kinematics),
    ):
        arm = load_arm("ur5_controller")
        expected = _call(call, arm, rows)
        numbers = arm.dh.base
        first = (
            getattr(arm, name).__array_interface__["data"][0]
            - numbers.__array_interface__["data"][0]
        ) // 8
        out = numbers[first : first + expected.size].reshape(expected.shape)
        assert np.array_equal(_call(call, arm, rows, out=out), expected)


@pytest.mark.parametrize("call", [inverse_dynamics, forward_dynamics])
def test_a_wrench_of_any_other_length_is_refused(call):
    arm = load_arm("ur5_controller")
    for wrench in (np.zeros(0), np.zeros(5), np.zeros(7), np.zeros((2, 6))[:, :3]):
        with pytest.raises(BadInput):
            _call(call, arm, wrench=wrench)
    twelve = np.zeros(12)
    with pytest.raises(BadInput):
        call(arm, twelve, twelve, twelve, out=np.zeros(12))
