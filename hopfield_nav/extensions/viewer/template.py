"""The page as one file: template, styles, scripts, three.js and the numbers put together."""

import json
import re
import webbrowser
from importlib.resources import files
from itertools import chain, count
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
        "style": (page / "style.css").read_text(encoding="utf-8"),
        "licence": (vendor / "LICENSE").read_text(encoding="utf-8"),
        "library": (vendor / _LIBRARY).read_text(encoding="utf-8"),
        "numbers": json.dumps(description, allow_nan=False, ensure_ascii=False).replace(
            "<", "\\u003c"
        ),
        "scripts": "\n".join((page / name).read_text(encoding="utf-8") for name in _SCRIPTS),
    }
    template = (page / "page.html").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda place: parts[place[1]], template)


def write_page(description: dict[str, Any], path: Path) -> Path:
    """Write the page, whole or not at all.

    Raises ``BadInput``: it cannot be written there.
    """
    return write_whole(path, page_text(description))


class LivePage:
    """A page that is written anew when there is more to see, and that a browser loads again by itself.

    It is NAME.html in a folder, or the first free of NAME-2.html, NAME-3.html.
    """

    def __init__(self, folder: Path, name: str) -> None:
        names = chain([name], (f"{name}-{k}" for k in count(2)))
        self._path = next(path for one in names if not (path := folder / f"{one}.html").exists())
        self._opened = False
        self.address = self._path.absolute().as_uri()

    def show(self, description: dict[str, Any], done: bool = False) -> None:
        """Put a later state on the page, at first in a browser; ``done``: it is the last one.

        Raises ``BadInput``: it cannot be written.
        """
        write_page({**description, "live": not done}, self._path)
        if not self._opened:
            self._opened = True
            webbrowser.open(self.address)
