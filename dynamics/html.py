"""Records as short tables in HTML, as notebooks show them."""

from collections.abc import Iterable
from html import escape

_LEFT = "style='text-align:left'"


def html_table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """A table of two columns: a name and what belongs to it; a row with None is left out."""
    cells = "".join(
        f"<tr><th {_LEFT}>{escape(name)}</th><td {_LEFT}>{escape(str(value))}</td></tr>"
        for name, value in rows
        if value is not None
    )
    return f"<table><caption {_LEFT}><b>{escape(title)}</b></caption><tbody>{cells}</tbody></table>"
