"""The page as one file: template, styles, scripts and numbers put together."""

import json
import re
from importlib.resources import files
from typing import Any

import numpy as np
from matplotlib.colors import to_hex

from hopfield_nav.figures import COLOURS, STEPS

_SCRIPTS = (  # in order
    "grid.js", "equilibrium.js", "sweeps.js", "climb.js", "network.js", "lessons.js", "drawing.js", "controls.js",
)  # fmt: skip
_SHADES = 64  # of the scale


def page_text(run: dict[str, Any] | None = None, command: str = "hopfield-nav network") -> str:
    """The whole page, which loads nothing.

    ``run`` is what ``describe_run`` or ``describe_world`` gives. ``command``, how to come back to
    it, stands at its end.
    """
    shades = [to_hex(STEPS(share)) for share in np.linspace(0.0, 1.0, _SHADES)]
    given = {"run": run, "command": command, "colours": COLOURS._asdict(), "shades": shades}
    page = files("hopfield_nav.extensions.network") / "page"
    parts = {
        "style": (page / "style.css").read_text(encoding="utf-8"),
        "numbers": json.dumps(given, allow_nan=False, ensure_ascii=False).replace("<", "\\u003c"),
        "scripts": "\n".join((page / name).read_text(encoding="utf-8") for name in _SCRIPTS),
    }
    template = (page / "page.html").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda place: parts[place[1]], template)
