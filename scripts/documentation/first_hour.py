"""Type docs/first_hour.md as it stands: a fresh checkout, a new environment, an empty folder, an empty cache.

    python scripts/documentation/first_hour.py

writes the time of each part into the page and into docs/measured. Some minutes; pip asks the package index.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from snippets import ROOT, Block, blocks

sys.path.insert(0, str(ROOT / "scripts"))
from measured_part import table, write

PAGE = "docs/first_hour.md"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        checkout = Path(name) / "checkout"
        checkout.mkdir()
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "x"], cwd=checkout, input=archive, check=True)
        rows = [(title, *_typed(parts, checkout, Path(name) / "cache")) for title, parts in _parts(ROOT / PAGE).items()]
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


def _typed(parts: list[Block], checkout: Path, cache: Path) -> tuple[float, float]:
    """Clock and processor time of a part [s]; ends the script where something fails."""
    folder = checkout / "first-hour"
    scripts = str(checkout / ".venv" / "bin")
    own = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR", "VIRTUAL_ENV")}
    here = {**own, "PATH": f"{scripts}:{own['PATH']}", "XDG_CACHE_HOME": str(cache), "MPLBACKEND": "Agg"}
    clock, work = time.monotonic(), _processor_time()
    python = "".join(b.text for b in parts if b.language == "python" and not b.title)
    for block in parts:
        where = folder if folder.exists() else checkout
        if block.title:
            (where / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "bash":
            subprocess.run(["bash", "-e", "-c", block.text], cwd=where, env=here, check=True)
    if python:
        subprocess.run(["python", "-c", python], cwd=folder, env=here, check=True)
    return time.monotonic() - clock, _processor_time() - work


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
