"""Which distribution brought a method to a saved run, as the record beside its world says."""

import json
from contextlib import suppress
from pathlib import Path


def recorded_distribution(folder: Path | None, name: str) -> str:
    """Distribution and version that brought what a record calls by a name.

    Empty where the record, in ``folder``, says none.
    """
    file = (folder or Path()) / "summary.json"
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        summary = json.loads(file.read_text(encoding="utf-8"))
        for text in summary["brought"].values():
            if text.startswith(f"{name} of "):
                return str(text.removeprefix(f"{name} of "))
    return ""
