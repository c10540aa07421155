"""The line at the head of a lab page: when its numbers were measured, with which program, and by which scripts.

    python scripts/documentation/lab_heads.py

writes it on every page of docs/lab with measured parts, after these have been committed: date and
commit are those of the copies in docs/measured.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from measured_part import copy_of, parts  # noqa: E402  (in the folder above)

TAKES = {  # as far as it is known
    "benchmarks/before_after.py": "half an hour on two cores",
    "benchmarks/bench_network.py": "a few minutes",
    "scripts/compare_detectors.py": "an hour of one core",
    "scripts/force_frontier.py": "half an hour of one core",
    "scripts/documentation/tables.py": "four minutes for all its tables",
}
_HEAD = re.compile(r"(# .+\n\nAfter this page you can [^\n]+\n)(?:\n\*Measured[^*]+\*\n)?")
_SCRIPT = re.compile(r"(?:scripts|benchmarks)/\w[\w/]*\.py")


def head(page: Path) -> str:
    """The line of a page."""
    when: dict[str, list[str]] = {}
    for name in parts(page):
        made = (
            _git("log", "-1", "--format=%as, program %h", "--", str(copy_of(ROOT, page, name)))
            or "not committed yet"
        )
        when.setdefault(made, []).append(name)
    times = [
        f"{made} ({_names(names)})" if len(when) > 1 else made
        for made, names in sorted(when.items())
    ]
    return f"*Measured {'; '.join(times)}. By {', '.join(scripts_of(page))}.*"


def scripts_of(page: Path) -> list[str]:
    """The scripts that write a page's parts, as they are told."""
    scripts = dict.fromkeys(_SCRIPT.findall(_HEAD.sub("", page.read_text(encoding="utf-8"))))
    return [
        f"`{script}`{f' ({TAKES[script]})' if script in TAKES else ''}"
        for script in scripts
        if writes(script)
    ]


def writes(script: str) -> bool:
    """Whether a script writes measured parts."""
    path = ROOT / script
    return (
        path.exists()
        and re.search("^from (measured_part|timing) import", path.read_text(), re.MULTILINE)
        is not None
    )


def _names(names: list[str]) -> str:
    return ", ".join(name or "the table without a name" for name in names)


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    for page in sorted((ROOT / "docs" / "lab").glob("*.md")):
        if parts(page):
            line = head(page)
            text = _HEAD.sub(
                lambda found, line=line: f"{found[1]}\n{line}\n",
                page.read_text(encoding="utf-8"),
                count=1,
            )
            page.write_text(text, encoding="utf-8")
