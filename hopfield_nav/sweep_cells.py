"""Cells of ``sweep.csv``: one line of text a row, from which every value is read back as it was.

Nothing is an empty cell, a number is written with all its digits, true and false are words. Text is
written as it is, unless it would read as something else or would not stay in its line: then it is
written as JSON, in quotation marks.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|nan|-?inf", re.ASCII)
_WORDS = {"": None, "true": True, "false": False}
_AWKWARD = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")


def format_line(cells: Sequence[Any]) -> str:
    """A line of the file, its end included."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([_format(cell) for cell in cells])
    return out.getvalue()


def parse_line(line: str) -> list[Any]:
    """The cells of a line.

    Raises:
        ValueError: it is none.
    """
    try:
        rows = list(csv.reader([line.removesuffix("\n")], strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return [_parse_cell(text) for text in rows[0]] if rows else [None]


def _format(cell: Any) -> str:
    cell = cell.item() if isinstance(cell, np.generic) else cell
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, (int, float)):
        return repr(cell)
    text = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
    plain = isinstance(_parse_cell(text), str) and not text.startswith('"') and not _AWKWARD.search(text)
    return text if plain else json.dumps(text)


def _parse_cell(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    if text.startswith('"'):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
