"""What Python holds as plain data, and plain data as YAML that reads back as the same data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dynamics import BadInput
from hopfield_nav.world.document import DEEPEST, plain_value


class _Dumper(yaml.SafeDumper):
    """Writes every value out, and quotes text that would read as something else."""

    def ignore_aliases(self, data: object) -> bool:
        """No aliases: every value is written out."""
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = None if plain_value(text) == text else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def plain(value: Any, depth: int = 0) -> Any:
    """Arrays, tuples, ranges, paths and NumPy's numbers as plain data of a YAML file.

    Raises ``BadInput``: what holds itself, or lies deeper than in a file it may.
    """
    if depth > DEEPEST:
        raise BadInput("nested too deeply, or in itself")
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(v, depth + 1) for key, v in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(v, depth + 1) for v in value]
    return str(value) if isinstance(value, Path) else value


def yaml_text(data: dict[str, Any]) -> str:
    """Plain data as YAML that reads back as the same data."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
