"""The memory of long runs: ``empty`` without a goal, with and without its figures.

Run with ``python benchmarks/long_run.py`` on Linux. The memory is that of the process alone: pages
of files such as the one in which signals are kept do not count, since the system takes them back
when it needs them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import asked, table, tell

DURATIONS = (400, 3600)  # [s]


def memory(duration: int, figures: bool) -> float:
    """Largest memory of a run of its own [GB], looked at every 10 ms."""
    command = [sys.executable, "-m", "hopfield_nav", "run", "empty", "--set", "goal=null"]
    command += ["--set", f"time_limit={duration}", *([] if figures else ["--no-plots"])]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen(
            [*command, "--out", str(Path(folder) / "run")], stdout=subprocess.DEVNULL
        )
        largest = 0
        while run.poll() is None:
            found = re.search(r"RssAnon:\s*(\d+) kB", Path(f"/proc/{run.pid}/status").read_text())
            largest = max(largest, int(found[1]) if found else 0)
            time.sleep(0.01)
    if run.returncode not in (0, 1):  # 1: the time was over
        raise SystemExit(f"the run ended with status {run.returncode}")
    return largest * 1024 / 1e9


def main() -> None:
    """Print the table."""
    out = asked(__doc__)
    rows = [
        [f"{duration} s", *(f"{memory(duration, figures):.2f} GB" for figures in (False, True))]
        for duration in DURATIONS
    ]
    head = ["`empty` without a goal, 1 ms", "memory of its own at most, in the run", "with figures"]
    tell(table(head, rows), out, "long_runs")


if __name__ == "__main__":
    main()
