"""Type docs/first_hour.md as it stands: a fresh checkout, a new environment, an empty folder, an empty cache.

    python scripts/documentation/first_hour.py

writes the time of each part into the page and into docs/measured. Some minutes; pip asks the
package index.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from snippets import ROOT, Block, as_typed, blocks

sys.path.insert(0, str(ROOT / "scripts"))
from measured_part import table, write

PAGE = "docs/first_hour.md"


def main() -> None:
    parts = _parts(ROOT / PAGE)
    with tempfile.TemporaryDirectory() as name:
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "x"], cwd=name, input=archive, check=True)
        seconds = _typed(list(parts.values()), Path(name))
    rows = [(title, clock, work) for title, (clock, work) in zip(parts, seconds, strict=True)]
    total = ("all together", sum(r[1] for r in rows), sum(r[2] for r in rows))
    lines = [[title, f"{clock:.0f} s", f"{work:.0f} s"] for title, clock, work in [*rows, total]]
    load, cores = os.getloadavg()[1], os.cpu_count()
    told = table(["part", "by the clock", "of processor"], lines)
    text = f"{told}\n\nOn {cores} cores with a load of {load:.0f}, {time.strftime('%B %Y')}."
    write(text, ROOT / PAGE)


def _parts(page: Path) -> dict[str, list[Block]]:
    """The blocks of the page below each heading, those without code left out."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found: dict[str, list[Block]] = {}
    for block in blocks(PAGE):
        heading = next(line for line in reversed(lines[: block.line]) if line.startswith("## "))
        found.setdefault(heading.removeprefix("## "), []).append(block)
    return found


def _typed(parts: list[list[Block]], checkout: Path) -> list[tuple[float, float]]:
    """Clock and processor time of each part [s]; ends the script where something fails."""
    own = {
        k: v
        for k, v in os.environ.items()
        if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR", "VIRTUAL_ENV")
    }
    here = {
        **own,
        "XDG_CACHE_HOME": str(checkout / ".cache"),
        "MPLBACKEND": "Agg",
        "TIMEFORMAT": "@ %R %U %S",
    }
    script = "\n".join(f"time {{\n{as_typed(part)}}}" for part in parts)
    done = subprocess.run(
        ["bash", "-c", script], cwd=checkout, env=here, stderr=subprocess.PIPE, text=True
    )
    if done.returncode:
        sys.exit(done.stderr)
    times = [
        [float(value) for value in line.split()]
        for line in re.findall(r"^@ (.+)$", done.stderr, re.MULTILINE)
    ]
    return [(clock, user + system) for clock, user, system in times]


if __name__ == "__main__":
    main()
