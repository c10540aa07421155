"""The part of a page that a script writes, between two marks, and its copy in docs/measured."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


def write(text: str, path: Path) -> None:
    """Put the measured part between its marks; the file is made if there is none."""
    before = path.read_text(encoding="utf-8") if path.exists() else f"{BEGIN}\n{END}\n"
    if not (BEGIN in before and END in before):
        raise SystemExit(f"{path} has no marks {BEGIN} and {END}")
    part = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.DOTALL)
    path.write_text(part.sub(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", before), encoding="utf-8")
    if path.resolve() in (ROOT / path.name, ROOT / "docs" / path.name):
        (ROOT / "docs" / "measured" / path.name).write_text(f"{text}\n", encoding="utf-8")


def read(path: Path) -> str:
    """The measured part of a page."""
    return path.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()
