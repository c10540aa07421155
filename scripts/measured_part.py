"""The part of a page that a script writes, between two marks."""

from __future__ import annotations

import re
from pathlib import Path

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


def write(text: str, path: Path) -> None:
    """Put the measured part between its marks; the file is made if there is none."""
    before = path.read_text(encoding="utf-8") if path.exists() else f"{BEGIN}\n{END}\n"
    if not (BEGIN in before and END in before):
        raise SystemExit(f"{path} has no marks {BEGIN} and {END}")
    part = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.DOTALL)
    path.write_text(part.sub(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", before), encoding="utf-8")
