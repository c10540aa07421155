"""The YAML of a world file: every value remembers its line, and single values can be changed.

A file is plain data: mappings, lists, text, numbers, true and false. What a person would read as a
number is one (``1e5`` too, which YAML 1.1 takes for text), a key given twice is refused, and so is
everything that YAML allows beyond data. What is written as YAML reads back as the same data. What
``--set`` and sweeps change: ``load.py``.
"""

import math
import re
from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dynamics import BadInput
from dynamics.files import refuse_source_of_urdf

DEEPEST = 50  # levels of mappings and lists
_LARGEST_FILE = 500_000  # bytes
_MOST_VALUES = 200_000  # after every alias is written out
_QUICK: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_READ_OTHERWISE = re.compile("[\t!?]")  # marks of which the two parsers make different things
_TAGS = {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp")
}
_MERGE = "tag:yaml.org,2002:merge"
_WHOLE = re.compile(r"[-+]?([0-9]{1,400}|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,4})?")
_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None,
    "true": True, "yes": True, "on": True,
    "false": False, "no": False, "off": False,
    ".nan": float("nan"), ".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"),
}  # fmt: skip
Key = tuple[str | int, ...]


@dataclass
class Document:
    """What a file holds, and where."""

    # mappings, lists, text, numbers, booleans and None
    data: Any
    # the file as messages name it
    name: str
    # for each path of keys, the place as messages name it (``world.yaml, line 3``)
    places: dict[Key, str] = field(default_factory=dict)
    # how many values were read, each as often as an alias or a merge repeats it
    built: int = 0
    # what its user should know of changes to it
    notes: list[str] = field(default_factory=list)

    def where(self, key: Key) -> str:
        """The place of a key and the key, as messages say them."""
        dotted = ".".join(map(str, key))
        return ": ".join(part for part in (self.place(key), dotted) if part)

    def place(self, key: Key) -> str:
        """File and line of a key, or of the nearest section around it that the file holds."""
        while key not in self.places and key:
            key = key[:-1]
        return self.places.get(key, self.name)

    def line_of(self, node: yaml.Node) -> str:
        """File and line of what YAML has read."""
        return f"{self.name}, line {node.start_mark.line + 1}"


def read_document(path: Path, also: Set[str] = frozenset()) -> Document:
    """Read the file of a world or of a sweep.

    A message about any other file quotes nothing of it.

    Raises ``BadInput``: it cannot be read, is no UTF-8 or no plain YAML data, is empty, has no key
    ``format``, nor one of those that ``also`` tell that it is ours, or a URDF is made of it.
    """
    name = str(path)
    text = _read(path, name)
    refuse_source_of_urdf(path, text, name)
    node = _compose(text, name)
    if not _has_key_of(node, {"format", *also}):
        raise BadInput(
            "no world and no sweep",
            where=f"{name}, line {node.start_mark.line + 1}",
            allowed="a mapping of keys with format: 1",
        )
    return parse_document(text, name)


def _has_key_of(node: yaml.Node, keys: Set[str]) -> bool:
    """Whether what YAML has read is a mapping with one of the keys."""
    if not isinstance(node, yaml.MappingNode):
        return False
    return any(str(key.value) in keys for key, _ in node.value)


def parse_document(text: str, name: str) -> Document:
    """What YAML text holds, and where.

    ``name`` is how messages name the source of the text.
    """
    document = Document(data=None, name=name)
    document.data = _build(_compose(text, name), key=(), document=document, above=())
    return document


@lru_cache(maxsize=4)
def _nodes(text: str) -> yaml.Node | None:
    """What YAML makes of a text.

    It is kept, since a world is read again with other changes. A text that the quick parser refuses
    is read by Python's, which says why.
    """
    with suppress(yaml.YAMLError, ValueError):
        if not _READ_OTHERWISE.search(text):
            return yaml.compose(text, Loader=_QUICK)
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _compose(text: str, name: str) -> yaml.Node:
    """What YAML makes of a text that is not empty.

    Raises ``BadInput``: it is empty, or no YAML.
    """
    try:
        node = _nodes(text)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, name) from None
    except (yaml.YAMLError, ValueError) as error:
        raise BadInput("not valid YAML", where=name, found=str(error)) from None
    except RecursionError:
        raise BadInput("nested too deeply", where=name) from None
    if node is None:
        raise BadInput(
            "the file is empty", where=name, allowed="a world; the shortest is `format: 1`"
        )
    return node


def parse_value(text: str, name: str) -> Any:
    """The value that ``text`` would have in a YAML file.

    ``name`` is how messages name the text.
    """
    if not text.strip():
        return None
    return parse_document(text, name).data


def _read(path: Path, name: str) -> str:
    """The text of a file.

    Raises ``BadInput``: it cannot be read, is too large, or is no UTF-8.
    """
    if path.is_dir():
        raise BadInput("is a folder, not a file", where=name)
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise BadInput("is no regular file", where=name)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        raise BadInput("no such file", where=name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot be read: {reason}", where=name) from None
    if len(content) > _LARGEST_FILE:
        raise BadInput("file too large for a world", where=name, allowed=f"{_LARGEST_FILE} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        found = content[error.start : error.start + 4]
        raise BadInput(
            "not UTF-8 text", f"{name}, line {line}", found, "a text file in UTF-8"
        ) from None


def _syntax_error(error: yaml.MarkedYAMLError, name: str) -> BadInput:
    """What YAML does not understand, and in which line."""
    mark = error.problem_mark or error.context_mark
    where = f"{name}, line {mark.line + 1}" if mark else name
    problem = error.problem or error.context or "syntax"
    allowed = "spaces, not tabs, before a key" if "\\t" in problem else ""
    return BadInput(f"not valid YAML: {problem}", where=where, allowed=allowed)


def _build(node: yaml.Node, key: Key, document: Document, above: tuple[int, ...]) -> Any:
    """The plain value of a node at a key of the document, where the place of all in it is noted.

    ``above`` are the nodes that it lies in.
    """
    place = document.places.setdefault(key, document.line_of(node))
    if id(node) in above or len(above) > DEEPEST:
        raise BadInput("nested too deeply, or in itself", where=place)
    document.built += 1
    if document.built > _MOST_VALUES:
        raise BadInput("too many values", where=place, allowed=f"{_MOST_VALUES} in one file")
    if node.tag not in _TAGS:
        raise BadInput("YAML tag", where=place, found=node.tag, allowed="plain data without tags")
    above = (*above, id(node))
    if isinstance(node, yaml.MappingNode):
        return _build_mapping(node, key, document, above)
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, (*key, i), document, above) for i, item in enumerate(node.value)]
    is_quoted = isinstance(node, yaml.ScalarNode) and node.style
    return node.value if is_quoted else plain_value(node.value)


def _build_mapping(
    node: yaml.MappingNode, key: Key, document: Document, above: tuple[int, ...]
) -> dict[str, Any]:
    """The plain value of a mapping.

    What is merged into it by ``<<`` gives way to its own keys.
    """
    result: dict[str, Any] = {}
    merged: list[yaml.Node] = []
    for key_node, value_node in node.value:
        if key_node.tag == _MERGE:
            if isinstance(value_node, yaml.SequenceNode):
                merged.extend(value_node.value)
            else:
                merged.append(value_node)
            continue
        if not isinstance(key_node, yaml.ScalarNode):
            raise BadInput("a key must be a word", where=document.line_of(key_node))
        name = key_node.value
        if name in result:
            raise BadInput("key given twice", where=document.line_of(key_node), found=name)
        document.places.setdefault((*key, name), document.line_of(key_node))
        result[name] = _build(value_node, (*key, name), document, above)
    for other in merged:
        if not isinstance(other, yaml.MappingNode):
            raise BadInput("only a mapping can be merged with <<", where=document.line_of(other))
        result = {**_build(other, key, document, above), **result}
    return result


def plain_value(text: str) -> Any:
    """What an unquoted word of a YAML file stands for.

    That is a number, a truth value, nothing, or the word itself.
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _WHOLE.fullmatch(text):
        return int(text[:401])  # of more digits it is beyond every range all the same
    if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


class _Dumper(yaml.SafeDumper):
    """Writes every value out, and quotes text that would read as something else."""

    def ignore_aliases(self, data: object) -> bool:
        """No aliases: every value is written out."""
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """A text, in quotes if it would read as something else without."""
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
    if isinstance(value, Path):
        return str(value)
    return value


def yaml_text(data: dict[str, Any]) -> str:
    """Plain data as YAML that reads back as the same data."""
    return yaml.dump(
        data,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )
