"""The JSON Schema of sweep files, for editors."""

from typing import Any

from hopfield_nav.sweeps.sections import SweepFile


def dump_sweep_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a sweep file; keys of the world are checked by the program alone."""
    schema = SweepFile.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "hopfield-nav sweep"
    return schema
