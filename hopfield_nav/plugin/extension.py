"""Extensions: what a run may do without. The core knows none of them by name.

An extension is a package whose ``extension.py`` holds one ``EXTENSION``, which says all that it
adds. Ours are the folders of ``hopfield_nav/extensions``; those of others are ``installed``. Only
these declarations are read to find out who has what; nothing else of an extension is imported
before it is asked for.
"""

import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

GROUP = "hopfield_nav.extensions"  # of entry points, and the package of ours
KINDS = ("controller", "estimator", "detector")  # of methods that are compiled
PLAIN = ("planner", "response", "belief", "navigator", "engine")  # of those in plain Python
# With which of our extensions comes what a world or a command may ask for: it stands in a file, as
# an extension that is not installed cannot be asked. ``scripts/comes_with.py`` writes it from what
# the extensions declare.
COMES_WITH_FILE = Path(__file__).parent / "comes_with.json"


@dataclass(frozen=True)
class Extension:
    """What a package adds to the program. Modules are named as the package names them, ``engines.flexible``."""

    package: str  # its dotted name, ``__package__`` of its extension.py
    description: str
    needs: tuple[str, ...] = ()  # the other extensions that it imports
    # kind of method (see ``plugin``): the folder whose files are such methods, one a file, under
    # their own names
    methods: Mapping[str, str] = field(default_factory=dict)
    # name: first line of the help; the command is the function of that name in ``commands.NAME``
    commands: Mapping[str, str] = field(default_factory=dict)
    provides: Mapping[str, str] = field(
        default_factory=dict
    )  # what the core asks for: "module:attribute"
    # the pydantic model of its section in a world's ``extensions``, as "module:attribute"; none: it
    # has no section
    section: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether it comes with the program."""
        return self.package.startswith(f"{GROUP}.")

    @property
    def name(self) -> str:
        """What it is called."""
        return self.package.rpartition(".")[2]

    def method_names(self, kind: str) -> tuple[str, ...]:
        """Its methods of a kind."""
        return modules_in(f"{self.package}.{self.methods[kind]}") if kind in self.methods else ()

    def method_module(self, kind: str, name: str) -> str:
        """Dotted name of the file of a method."""
        return f"{self.package}.{self.methods[kind]}.{name}"

    def command(self, name: str) -> Any:
        """The function of a command."""
        return getattr(import_module(f"{self.package}.commands.{name}"), name)

    def load(self, place: str) -> Any:
        """What lies at a place, "module:attribute" in its package."""
        module, _, attribute = place.partition(":")
        return getattr(import_module(f"{self.package}.{module}"), attribute)


def modules_in(package: str) -> tuple[str, ...]:
    """The files of a package's folder, in the order of their names; nothing of them is executed."""
    spec = find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or []
    return tuple(sorted(module.name for module in pkgutil.iter_modules(folders)))


@cache
def our_extensions() -> dict[str, Extension]:
    """Those that come with the program and are there, by name."""
    names = modules_in(GROUP)
    return {name: import_module(f"{GROUP}.{name}.extension").EXTENSION for name in names}


@cache
def comes_with() -> dict[str, str]:
    """The extension of ours with which something comes, be it installed or not."""
    declared = json.loads(COMES_WITH_FILE.read_text(encoding="utf-8"))
    return {what: name for name, every in declared.items() for what in every}


def comes_along(what: str) -> bool:
    """Whether the extension of ours that has something is there; nothing of it is loaded."""
    return comes_with()[what] in modules_in(GROUP)


def missing(what: str) -> str:
    """In words: the extension with which something comes is not installed."""
    return f"needs the extension {comes_with().get(what, what)!r}, which is not installed"
