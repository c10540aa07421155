"""The page as one file: template, styles, scripts, three.js and the numbers put together."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from dynamics.files import write_whole

_SCRIPTS = (  # in order
    "numbers.js", "shapes.js", "places.js", "scene.js", "map.js", "panels.js", "page.js", "live.js",
)  # fmt: skip
_LIBRARY = "three.min.js"


def page_text(description: dict[str, Any]) -> str:
    """The whole page of what ``describe_run`` or ``describe_plan`` gives; it loads nothing."""
    room = files("hopfield_nav.extensions.viewer")
    page, vendor = room / "page", room / "vendor" / "three"
    parts = {
        "connect": "'self'" if description.get("live") else "'none'",
        "style": (page / "style.css").read_text(encoding="utf-8"),
        "licence": (vendor / "LICENSE").read_text(encoding="utf-8"),
        "library": (vendor / _LIBRARY).read_text(encoding="utf-8"),
        "numbers": json.dumps(description, allow_nan=False, ensure_ascii=False).replace("<", "\\u003c"),
        "scripts": "\n".join((page / name).read_text(encoding="utf-8") for name in _SCRIPTS),
    }
    template = (page / "page.html").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda place: parts[place[1]], template)


def write_page(description: dict[str, Any], path: Path) -> Path:
    """Write the page, whole or not at all.

    Raises ``BadInput``: it cannot be written there.
    """
    return write_whole(path, page_text(description))
