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
# Says of each extension of ours what comes with it that a world or a command may ask for. It is a
# file, since an extension that is not installed cannot be asked. ``scripts/comes_with.py`` writes
# it from what the extensions declare.
COMES_WITH_FILE = Path(__file__).parent / "comes_with.json"


@dataclass(frozen=True)
class Extension:
    """What a package adds to the program.

    Its modules are named as they are within the package: ``engines.flexible``.
    """

    # Dotted name of the package, ``__package__`` of its extension.py.
    package: str
    description: str
    # The other extensions that it imports.
    needs: tuple[str, ...] = ()
    # By the kind of method (see ``plugin``), the folder whose files are such methods: one a file,
    # under the file's name.
    methods: Mapping[str, str] = field(default_factory=dict)
    # By the name of a command, the first line of its help. The command is the function of that name
    # in ``commands.NAME``.
    commands: Mapping[str, str] = field(default_factory=dict)
    # By the name of what the core asks for, where it is: "module:attribute".
    provides: Mapping[str, str] = field(default_factory=dict)
    # Where the pydantic model is of its section in a world's ``extensions``, "module:attribute";
    # empty: it has no section.
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
        """Names of its methods of a kind."""
        if kind not in self.methods:
            return ()
        return modules_in(f"{self.package}.{self.methods[kind]}")

    def method_module(self, kind: str, name: str) -> str:
        """Dotted name of the file of a method."""
        return f"{self.package}.{self.methods[kind]}.{name}"

    def command(self, name: str) -> Any:
        """The function of a command."""
        module = import_module(f"{self.package}.commands.{name}")
        return getattr(module, name)

    def load(self, place: str) -> Any:
        """What lies at a place, "module:attribute" in its package."""
        name, _, attribute = place.partition(":")
        module = import_module(f"{self.package}.{name}")
        return getattr(module, attribute)


def modules_in(package: str) -> tuple[str, ...]:
    """Names of the modules in a package's folder, sorted.

    None of the modules is executed.
    """
    spec = find_spec(package)
    if spec is None:
        return ()
    folders = spec.submodule_search_locations or []
    return tuple(sorted(module.name for module in pkgutil.iter_modules(folders)))


@cache
def our_extensions() -> dict[str, Extension]:
    """Those that come with the program and are there, by name."""
    names = modules_in(GROUP)
    return {name: import_module(f"{GROUP}.{name}.extension").EXTENSION for name in names}


@cache
def comes_with() -> dict[str, str]:
    """By what a world or a command may ask for, the extension of ours that has it.

    The extension may be installed or not.
    """
    declared = json.loads(COMES_WITH_FILE.read_text(encoding="utf-8"))
    return {what: name for name, every in declared.items() for what in every}


def comes_along(what: str) -> bool:
    """Whether the extension of ours that has something is there.

    Nothing of the extension is loaded.
    """
    return comes_with()[what] in modules_in(GROUP)


def missing(what: str) -> str:
    """In words: the extension with which something comes is not installed."""
    return f"needs the extension {comes_with().get(what, what)!r}, which is not installed"
