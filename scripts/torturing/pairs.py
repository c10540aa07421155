"""Two programs at once that choose one folder: each has whole results of its own, and says where."""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

from hopfield_nav import load_run
from torturing.trials import Trials, begin, ended

_SWEEP = (
    "format: 1\nworld: empty\nset: {time_limit: 0.1}\nvary: {detection.threshold: [6, 8, 10, 12]}\n"
)
_RUN = ["run", "empty", "--set", "time_limit=0.1", "--no-plots"]
_WHOLE = {
    "run": {"world.yaml", "summary.json", "log.nc", "checksums.sha256"},
    "sweep": {"sweep.yaml", "sweep.csv", "sweep.nc", "checksums.sha256"},
    "plan": {"world.yaml", "plan.json", "plan.csv", "plan.script"},
}
_COMMANDS = {
    "two runs": _RUN,
    "two runs into one folder": [*_RUN, "--out", "runs/mine"],
    "two sweeps": ["sweep", "pair.yaml", "--workers", "0", "--no-plots"],
    "two plans": ["plan", "cell", "--no-plots"],
}
_RESUMED = "one sweep resumed twice"


def pairs_at_once(place: Path, count: int, first: int, limit: float) -> Trials:
    """The same command twice, the second some moment after the first."""
    ways = [*_COMMANDS, _RESUMED]
    for number in range(first, first + count):
        way, dice = ways[number % len(ways)], random.Random(number)
        folder = place / f"{number}"
        folder.mkdir(parents=True)
        (folder / "pair.yaml").write_text(_SWEEP, encoding="utf-8")
        trial = _resume if way == _RESUMED else _begin_both
        yield f"pair {number}: {way}", lambda t=trial, f=folder, w=way, d=dice: t(f, w, d)
        shutil.rmtree(folder)


def _begin_both(folder: Path, way: str, dice: random.Random) -> None:
    words = _COMMANDS[way]
    ends = _both(folder, words, dice)
    assert all(status in (0, 1) for status, _ in ends), f"status {ends}"
    made = sorted((folder / "runs").iterdir())
    assert len(made) == 2, f"folders: {[path.name for path in made]}"
    for path in made:
        assert {part.name for part in path.iterdir()} == _WHOLE[words[0]], f"not whole: {path.name}"
        assert any(f"runs/{path.name}" in told.split() for _, told in ends), (
            f"{path.name} was not told"
        )
    if words[0] == "run":
        one, other = (load_run(path) for path in made)
        assert one.data.identical(other.data), "another record"


def _resume(folder: Path, way: str, dice: random.Random) -> None:
    """One of them may be told that the other is at work; the table is that of an undisturbed sweep."""
    words = [*_COMMANDS["two sweeps"], "--out", "out"]
    assert ended(_begin(folder, words))[0] == 0
    table = folder / "out" / "sweep.csv"
    whole = table.read_bytes()
    table.write_bytes(b"".join(whole.splitlines(keepends=True)[: dice.randrange(1, 5)]))
    for status, told in _both(folder, [*words, "--resume"], dice):
        assert status == 0 or "another program is at work" in told, (
            f"status {status}: {told[-200:]}"
        )
    assert table.read_bytes() == whole, "another table"


def _both(folder: Path, words: list[str], dice: random.Random) -> list[tuple[int, str]]:
    one = _begin(folder, words)
    time.sleep(dice.choice([0.0, dice.uniform(0.0, 1.0)]))
    return [ended(process) for process in (one, _begin(folder, words))]


def _begin(folder: Path, words: list[str]) -> subprocess.Popen:
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return begin(folder, *words, env={**os.environ, "COLUMNS": "200"}, **how)
