"""Numbers with names: the same memory from Python and from compiled code, also inside a record of arrays."""

from __future__ import annotations

import copy
import pickle
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest

from dynamics.kernels.cached_dispatch import CachedDispatch
from dynamics.kernels.decorators import compile_loop, inlined, load_numba
from dynamics.kernels.records import record


class Stage(IntEnum):
    WAITING = -1
    OVER = 2


@record
class Numbers:
    ready: bool = False
    stage: int = Stage.WAITING
    level: float = 0.5
    random: np.uint64 = np.uint64(2**63 + 1)


@record
class Others:
    ready: bool = False


class State(NamedTuple):
    now: Numbers
    vector: np.ndarray


@inlined
def _rise(now, by):
    if now.stage == Stage.WAITING:
        now.stage = Stage.OVER
    now.level += by
    now.ready = True
    now.random ^= now.random >> np.uint64(12)


def _advance(state, count):
    for _ in range(count):
        _rise(state.now, state.vector[1])
    return count


@pytest.fixture(scope="module")
def loop():
    numba = load_numba()
    return compile_loop(numba.types.int64(numba.typeof(make()), numba.types.int64), _advance)


def make() -> State:
    return State(Numbers(), np.array([0.0, 0.25]))


def test_a_kernel_reads_and_writes_by_name(loop):
    state = make()
    loop(state, 3)
    now = state.now
    assert (now.ready, now.stage, now.level) == (True, Stage.OVER, 1.25)
    assert now.random == np.uint64(_plain(2**63 + 1, 3))
    now.level = -1.0  # and the kernel sees what Python writes
    loop(state, 1)
    assert now.level == -0.75


def _plain(number: int, count: int) -> int:
    for _ in range(count):
        number ^= number >> 12
    return number


def test_it_begins_with_its_values_and_with_those_given():
    assert Numbers(stage=7).stage == 7
    assert Numbers().level == 0.5
    assert repr(Others(ready=True)) == "Others(ready=True)"


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_a_copy_of_the_numbers_is_another_memory(loop, copied):
    state = make()
    other = state._replace(now=copied(state.now))
    loop(other, 2)
    assert (state.now.level, other.now.level) == (0.5, 1.0)


def test_a_name_that_is_none_is_refused():
    now = Numbers()
    with pytest.raises(AttributeError):
        now.lebel = 1.0
    with pytest.raises(AttributeError):
        Numbers(lebel=1.0)


def test_who_looks_once_tells_other_records(loop):
    calls, state = CachedDispatch(lambda: loop), make()
    assert calls(state, 2) == 2
    for wrong in (Others(), 1.0, np.zeros(4)):
        for tried in (calls, loop):
            with pytest.raises(TypeError, match="No matching definition"):
                tried(state._replace(now=wrong), 1)
    assert calls(state, 1) == 1
    assert state.now.level == 0.5 + 3 * 0.25
