"""Today's program beside an older one, both on this machine: what a person waits for, and what calls cost.

    python benchmarks/before_after.py [--before COMMIT] [--out docs/lab/benchmarks.md]

The older one is taken out of the history. Both have a folder of compiled code of their own, and are
asked in turn; what runs from a cold cache, and the film, once, everything else several times, of
which medians are told. It takes half an hour on two cores and is worth nothing where others use
them.
"""

from __future__ import annotations

import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from startup import measured
from timing import parser, print_load, table, tell, two_digits

ROOT = Path(__file__).resolve().parent.parent
BEFORE = "ad5c44d"  # the last commit before the rooms
ROUNDS, ROUNDS_OF_CALLS = 5, 9
MAIN = "import sys; from hopfield_nav.cli import main; sys.exit(main())"
RUN = ("run", "ragazzon2012")
NAMES = {  # of `asked_of_a_version.py`: what it is, unit, times what
    "inverse_dynamics": ("`inverse_dynamics`, one call", "µs", 1e6),
    "forward_dynamics": ("`forward_dynamics`, one call", "µs", 1e6),
    "forward_kinematics": ("`forward_kinematics`, one call", "µs", 1e6),
    "jacobian": ("`jacobian`, one call", "µs", 1e6),
    "inverse_kinematics": ("`inverse_kinematics`, one call", "µs", 1e6),
    "batch": ("`forward_dynamics`, each of 100,000", "ns", 1e9),
    "limit": ("`plan_path`, 20 x 20, limit", "µs", 1e6),
    "sum": ("`plan_path`, 20 x 20, sum", "µs", 1e6),
    "rk4": ("loop, RK4, simulated s a second", "", 1.0),
    "euler": ("loop, semi-implicit Euler, simulated s a second", "", 1.0),
    "arm": ("loop, RK4, the whole arm can touch, simulated s a second", "", 1.0),
    "run": ("one more run of the main experiment, 50.6 s long", "ms", 1e3),
    "sweep": ("1000 runs of it, two workers", "s", 1e3),
}


class Version(NamedTuple):
    """A program with its folder of compiled code."""

    folder: Path
    cache: Path

    def ask(self, *arguments: str) -> tuple[float, float, str]:
        """Wall and processor time of a call of Python [s], and what it printed."""
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(self.cache)}
        with measured() as cost, tempfile.TemporaryDirectory() as empty:
            command = [sys.executable, *arguments]
            done = subprocess.run(
                command, env=environment, cwd=empty, check=True, capture_output=True, text=True
            )
        return cost.wall, cost.processor, done.stdout


def processes(versions: Sequence[Version], place: Path) -> list[list[str]]:
    """Rows of whole commands, the older version first."""
    number = iter(range(1000))

    def call(version: Version, *more: str) -> tuple[float, float]:
        out = place / f"run{next(number)}"
        wall, processor, _ = version.ask("-c", MAIN, *RUN, *more, "--out", str(out))
        return wall, processor

    def row(name: str, rounds: int, *more: str) -> list[str]:
        found = [[call(version, *more) for version in versions] for _ in range(rounds)]
        old, new = (
            [statistics.median(column) for column in zip(*one, strict=True)]
            for one in zip(*found, strict=True)
        )
        both = [
            f"{two_digits(wall)} s ({two_digits(processor)} s)" for wall, processor in (old, new)
        ]
        print(name, both, flush=True)
        return [name, *both, f"{old[0] / new[0]:.1f}"]

    rows = [row("`run ragazzon2012 --no-plots`, nothing compiled", 1, "--no-plots")]
    for version in versions:
        call(version, "--animate")
    rows += [
        row("the same, compiled", ROUNDS, "--no-plots"),
        row("with its figures", ROUNDS),
        row("with its film", 1, "--no-plots", "--animate"),
    ]
    old, new = (_log_size(version, place) for version in versions)
    return [*rows, ["its `log.nc`", f"{old:.1f} MB", f"{new:.1f} MB", f"{old / new:.1f}"]]


def _log_size(version: Version, place: Path) -> float:
    """Of the run's record [MB]."""
    out = place / f"log_{version.cache.name}"
    version.ask("-c", MAIN, *RUN, "--no-plots", "--out", str(out))
    return (out / "log.nc").stat().st_size / 1e6


def calls(versions: Sequence[Version]) -> list[list[str]]:
    """Rows of what is called inside a process, the older version first."""
    script = str(Path(__file__).with_name("asked_of_a_version.py"))
    return rows_of_calls(
        [
            [json.loads(version.ask(script)[2].splitlines()[-1]) for version in versions]
            for _ in range(ROUNDS_OF_CALLS)
        ]
    )


def rows_of_calls(found: Sequence[Sequence[dict[str, float]]]) -> list[list[str]]:
    """Medians over rounds of the times of two versions, with their ratio."""
    rows = []
    for key, (name, unit, scale) in NAMES.items():
        old, new = (statistics.median(one[k][key] for one in found) * scale for k in (0, 1))
        faster = old / new if unit else new / old
        rows.append(
            [
                name,
                *(f"{two_digits(value)} {unit}".strip() for value in (old, new)),
                f"{faster:.1f}",
            ]
        )
    return rows


def taken_out(commit: str, folder: Path) -> Path:
    """A commit's files below a folder."""
    packed = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
    return folder


def main() -> None:
    """Print the table."""
    commands = parser(__doc__)
    commands.add_argument("--before", default=BEFORE, help="commit of the older program")
    options = commands.parse_args()
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        versions = [
            Version(taken_out(options.before, base / "before"), base / "cache_before"),
            Version(ROOT, base / "cache_now"),
        ]
        head = ["", "before", "now", "ratio"]
        tell(table(head, processes(versions, base)), options.out, "before_after")
        tell(table(head, calls(versions)), options.out, "before_after_calls")
    print_load()


if __name__ == "__main__":
    main()
