"""What a trial gives: whether the program held, and what it did where it did not."""

import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dynamics import HopfieldNavError

Trials = Iterable[tuple[str, Callable[[], object]]]  # what is tried, and what tries it
LONGEST = 300.0  # [s] for a command of some seconds, processes that compile included
SLOWEST = 10.0  # [s] of processor time beyond which a trial counts as a hang


@dataclass
class Tally:
    """Trials of one kind."""

    name: str  # what was tried
    count: int = 0  # how often
    refused: int = 0  # how many were refused in one line
    slowest: float = 0.0  # the longest one, processor time [s]
    broken: list[str] = field(default_factory=list)  # what did not hold, each with the trial's name
    total: int = 0  # how many trials of the kind there are
    # whether refusals and times are its own; a killed sweep is another process
    counted: bool = True

    @property
    def row(self) -> list[str]:
        held = "all" if not self.broken else f"{self.count - len(self.broken)}"
        seen = [f"{self.refused}", f"{self.slowest:.2g} s"] if self.counted else ["–", "–"]
        return [self.name, f"{self.count} of {self.total:,}", *seen, held]


def begin(folder: Path, *words: str, **how: Any) -> subprocess.Popen:
    """A call of the program in a folder."""
    return subprocess.Popen([sys.executable, "-m", "hopfield_nav", *words], cwd=folder, **how)


def ended(process: subprocess.Popen) -> tuple[int, str]:
    """Status, and all that was told where that was asked for; a hang is one after some minutes."""
    try:
        told, _ = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError("a hang") from None
    return process.returncode, told


def joined(tallies: Iterable[Tally]) -> list[Tally]:
    found: dict[str, Tally] = {}
    for part in tallies:
        whole = found.setdefault(
            part.name, Tally(part.name, total=part.total, counted=part.counted)
        )
        whole.count += part.count
        whole.refused += part.refused
        whole.slowest = max(whole.slowest, part.slowest)
        whole.broken += part.broken
    return list(found.values())


HEAD = [
    "trials",
    "number, of how many it has",
    "refused in one line",
    "slowest, processor time",
    "held",
]


def try_all(
    name: str, trials: Trials, total: int = 0, longest: float = SLOWEST, counted: bool = True
) -> Tally:
    """Try one after the other; a trial breaks the program by any error that is not its own, or by a hang.

    A trial may raise ``AssertionError`` for what it finds wrong itself. A hang takes more processor
    time than ``longest`` [s], so that other programs on the machine do not count, or fifty times
    that by the clock.
    """
    tally = Tally(name, total=total, counted=counted)
    for label, trial in trials:
        told = list[str]()
        started, by_clock = time.process_time(), time.perf_counter()
        try:
            trial()
        except HopfieldNavError as error:
            tally.refused += 1
            if "\n" in str(error):
                told.append(f"more than one line: {error}")
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            words = f"{type(error).__name__}: {error}"[:200]
            told.append(f"{words} ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})")
        seconds, waited = time.process_time() - started, time.perf_counter() - by_clock
        tally.count += 1
        tally.slowest = max(tally.slowest, seconds)
        if seconds > longest or waited > 50 * longest:
            told.append(f"took {seconds:.0f} s, {waited:.0f} s by the clock")
        if told:
            tally.broken.append(f"{label}: {'; '.join(told)}")
    return tally
