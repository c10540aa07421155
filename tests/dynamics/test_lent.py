"""What a kernel takes of Python's arrays as they lie in memory, and what it refuses."""

import sys

import numpy as np
import pytest

from dynamics.kernels.decorators import MayMiss, Room, Table, packed
from dynamics.kernels.views import ROOM, room_here

pytestmark = pytest.mark.kernel


@packed
def _read(
    numbers: np.ndarray, n: int, table: Table, more: MayMiss, out: np.ndarray, room: Room
) -> bool:
    out[0], out[1], out[2], out[3] = numbers.size, table.shape[0], table.shape[1], more.size
    own = room_here(room)
    own[own.size - 1] = n
    out[4], out[5] = own.size, own[own.size - 1]
    for x in numbers:
        out[6] += x
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            out[7] += 10.0 ** (i + j) * table[i, j]
    return more.size == 0


def _frozen(numbers):
    numbers.flags.writeable = False
    return numbers


NUMBERS, TABLE = np.array([1.0, 2.0, 4.0]), np.arange(6.0).reshape(2, 3)
UNALIGNED = np.frombuffer(bytearray(25), offset=1)
REFUSED = [
    None, 3, 3.0, "abc", b"abc", (1.0, 2.0), [1.0, 2.0], object(), np.ndarray, np.float64(1.0), np.array(1.0),
    np.zeros((1, 1, 1)), np.zeros(3, np.float32), np.zeros(3, np.int64), np.zeros(3, complex), np.zeros(3, object),
    np.zeros(3, ">f8"), np.zeros(6)[::2], np.zeros(6)[::-1], _frozen(np.zeros(3)), UNALIGNED,
    np.zeros(3).view(np.recarray), np.ma.zeros(3), np.zeros(3, "f8,f8"), np.zeros(3, "m8[s]"),
]  # fmt: skip


def test_the_numbers_are_found_as_they_lie():
    for room in (np.zeros(5), np.zeros(ROOM + 1)):
        out = np.zeros(8)
        assert _read.entry(NUMBERS, 9, TABLE, None, out, room)
        assert out.tolist() == [3, 2, 3, 0, room.size, 9, 7, 0 + 10 + 200 + 30 + 400 + 5000]
        assert room[-1] == 9
        assert not _read.entry(NUMBERS, 9, TABLE, np.ones(2), out, room)
        assert out[3] == 2


@pytest.mark.parametrize("other", REFUSED, ids=range(len(REFUSED)))
def test_all_else_is_refused(other):
    plain = [NUMBERS, 9, TABLE, np.ones(2), np.zeros(8), None]
    for place in (0, 2, 4) if other is None else (0, 2, 3, 4):
        with pytest.raises(TypeError):
            _read.entry(*plain[:place], other, *plain[place + 1 :])


def test_arrays_of_another_rank_and_given_ones_without_numbers_are_refused():
    for given in (
        (TABLE, 9, TABLE, None, np.zeros(8), None),
        (NUMBERS, 9, NUMBERS, None, np.zeros(8), None),
        (NUMBERS, 9, TABLE.T, None, np.zeros(8), None),
        (NUMBERS, 9, TABLE, np.zeros(0), np.zeros(8), None),
    ):
        with pytest.raises(TypeError):
            _read.entry(*given)


def test_what_was_taken_is_held_no_longer_than_the_call():
    out, room = np.zeros(8), np.zeros(3)
    before = [sys.getrefcount(x) for x in (NUMBERS, TABLE, out, room)]
    for _ in range(100):
        _read.entry(NUMBERS, 9, TABLE, None, out, room)
    assert [sys.getrefcount(x) for x in (NUMBERS, TABLE, out, room)] == before
