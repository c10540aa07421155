"""The rows of a long run: the same in memory as from a file in pieces, and few of them in memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from scenes import simulation

from hopfield_nav.loop import Rows, rows
from hopfield_nav.record import load_run

MANY = 100_000
WORLD = "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\ngoal: {cell: [17, 6]}\ntime_limit: 6\n"


def _fill(written: Rows, count: int) -> None:
    """Rows that hold their own number, as a loop would write them."""
    for number in range(count):
        log = written.log
        if log.now.used == len(log.table):
            written.make_room()
            log = written.log
        log.table[log.now.used] = number
        log.now.used += 1


def _pieces_of(monkeypatch, most: int) -> None:
    monkeypatch.setattr(rows, "MAX_ROWS", most)


@pytest.mark.parametrize("count", [0, 5, 63, 64, 65, 128, 1000])
def test_every_row_comes_back_in_its_place(monkeypatch, count):
    _pieces_of(monkeypatch, 64)
    written = Rows(6, 16)
    _fill(written, count)
    assert len(written) == count
    wanted = np.tile(np.arange(count)[:, None], written.log.table.shape[1])
    np.testing.assert_array_equal(written.table(), wanted)
    np.testing.assert_array_equal(np.concatenate(written.pieces()), wanted)
    _fill(written, 100)  # reading in between loses nothing
    np.testing.assert_array_equal(written.table()[count:, 0], np.arange(100))


@pytest.mark.parametrize("count", [40, 128, 150])
def test_the_last_row_can_be_changed_wherever_it_is(monkeypatch, count):
    _pieces_of(monkeypatch, 64)
    written = Rows(6, 16)
    _fill(written, count)
    written.table()
    written.set_last(slice(3, 4), -1.0)
    table = written.table()
    assert (table[-1, 2:5] == [count - 1, -1.0, count - 1]).all()
    assert (table[:-1, 3] >= 0.0).all()


@pytest.mark.parametrize(("most", "bounded"), [(1024, True), (1 << 30, False)])
def test_memory_does_not_grow_with_the_run(monkeypatch, most, bounded):
    """72 MB of rows; a table that doubles for ever holds them all."""
    _pieces_of(monkeypatch, most)
    tracemalloc.start()
    written = Rows(6, 256)
    _fill(written, MANY)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(written) == MANY
    assert (peak < 4e6) == bounded


def test_a_run_in_pieces_is_the_run_in_memory(monkeypatch, tmp_path):
    """Signals and file, to the last byte; also where it is looked at while it goes."""
    plain = simulation(WORLD).run()
    _pieces_of(monkeypatch, 512)
    monkeypatch.setattr(rows, "FIRST_ROWS", 128)
    going = simulation(WORLD)
    going.rows = Rows(len(going.arm.dh), 128)
    going.step(1.7)
    going.record()
    pieces = going.run()
    assert isinstance(pieces._parts[0], np.memmap)
    assert pieces.data.identical(plain.data)
    files = [run.save(tmp_path / name) / "log.nc" for name, run in (("a", plain), ("b", pieces))]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert pieces.summary["warnings"] == plain.summary["warnings"]


def test_a_big_record_is_read_signal_by_signal(monkeypatch, tmp_path):
    """It reads the same, and damage is still told at once."""
    from hopfield_nav.record import stored

    run = simulation(WORLD).run()
    folder = run.save(tmp_path / "run")
    monkeypatch.setattr(stored, "_BIG", 1000)
    again = load_run(folder)
    assert not again.data.q.variable._in_memory
    assert again.data.identical(run.data)
    (folder / "checksums.sha256").unlink()
    content = bytearray((folder / "log.nc").read_bytes())
    middle = len(content) // 2
    (folder / "log.nc").write_bytes(content[:middle])
    with refused("cannot be read"):
        load_run(folder)


def test_a_full_disk_is_told():
    """A real limit of the system on the size of a file, in a process of its own."""
    script = (
        "import resource\n"
        "from hopfield_nav.loop import Rows, rows\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "rows.MAX_ROWS, log = 64, Rows(6, 64)\n"
        "for _ in range(9):\n"
        "    log.log.now.used = 64\n"
        "    log.make_room()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    told = done.stderr.splitlines()[-1]
    assert "(TMPDIR): no room for the signals of so long a run: File too large" in told
    assert "BadInput" in told
    assert "record.every above 1" in told


def test_a_killed_run_leaves_nothing(monkeypatch, tmp_path):
    """The file has no name: not while the run goes on, and not after it was killed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    _pieces_of(monkeypatch, 64)
    written = Rows(6, 64)
    _fill(written, 1000)
    assert len(written.table()) == 1000
    assert list(Path(tmp_path).iterdir()) == []
