"""Whole processes: help, a warm run and a cold run of the main experiment.

Run with ``python benchmarks/startup.py``. The cold run has an empty cache folder of its own, so
everything is compiled. Medians of several runs (one for the cold run).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 5
RUN = ["run", "ragazzon2012", "--no-plots"]


def seconds(arguments: list[str], cache: Path | None = None) -> float:
    """Wall time of one call of the command line."""
    environment = dict(os.environ) if cache is None else {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    with tempfile.TemporaryDirectory() as folder:
        out = ["--out", str(Path(folder) / "run")] if arguments[0] == "run" else []
        started = time.perf_counter()
        command = [sys.executable, "-m", "hopfield_nav", *arguments, *out]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds(RUN, Path(cache))
    seconds(RUN)
    print("| call | time [s] |")
    print("|---|---|")
    for name, arguments in {"--help": ["--help"], "run ragazzon2012 --no-plots, warm": RUN}.items():
        print(f"| {name} | {statistics.median(seconds(arguments) for _ in range(REPEATS)):.2f} |")
    print(f"| run ragazzon2012 --no-plots, cold | {cold:.1f} |")


if __name__ == "__main__":
    main()
