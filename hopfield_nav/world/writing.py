"""Plain data as YAML that reads back as the same data."""

from typing import Any

import yaml

from hopfield_nav.world.document import plain_value


class _Dumper(yaml.SafeDumper):
    """Writes every value out, and quotes text that would read as something else."""

    def ignore_aliases(self, data: object) -> bool:
        """No aliases: every value is written out."""
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = None if plain_value(text) == text else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def yaml_text(data: dict[str, Any]) -> str:
    """Plain data as YAML that reads back as the same data."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
