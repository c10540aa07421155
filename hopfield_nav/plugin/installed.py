"""Which extensions are there, and which of them has what is asked for by a name.

Those of others are found by entry points of the group ``hopfield_nav.extensions``, which name an
``Extension``. One that cannot be loaded is left out, and ``broken`` says why. What is ours keeps
its name. What is of others has its distribution before its name, ``DISTRIBUTION:NAME``, where
something else has the same name.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from dynamics import BadInput, nearest_name
from hopfield_nav.plugin.extension import (
    GROUP,
    KINDS,
    PLAIN,
    Extension,
    missing,
    our_extensions,
)
from hopfield_nav.plugin.folder import in_this_folder

broken: dict[str, str] = {}  # what of others cannot be loaded, and why


@dataclass(frozen=True)
class Installed:
    """An extension of others."""

    # Name of its entry point.
    entry: str
    # The distribution that brought it, and its version.
    distribution: str
    version: str
    extension: Extension

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"

    def full(self, name: str) -> str:
        """The name with the distribution before it, by which nothing of others is meant."""
        return f"{self.distribution}:{name}"

    def is_of(self, distribution: str) -> bool:
        """Whether it is of a distribution, as pip compares their names."""
        return _plain(distribution) == _plain(self.distribution)


def _plain(distribution: str) -> str:
    """A distribution's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@cache
def others() -> tuple[Installed, ...]:
    """The extensions of others that can be loaded, sorted by distribution and entry point."""
    loaded = []
    for entry in entry_points(group=GROUP):
        about = entry.dist
        name = about.name if about else entry.value
        version = about.version if about else "unknown"
        try:
            extension = _loaded(entry)
        except Exception as error:
            broken[f"extension {entry.name} of {name} {version}"] = _told(error)
        else:
            loaded.append(Installed(entry.name, name, version, extension))
    return tuple(sorted(loaded, key=lambda one: (one.distribution, one.entry)))


def _loaded(entry: EntryPoint) -> Extension:
    """The extension to which an entry point leads.

    Raises ``TypeError``: it leads to none, or to one whose declarations cannot be used.
    Raises ``ImportError``: it cannot be imported.
    """
    extension = imported(entry.load)
    if not isinstance(extension, Extension):
        raise TypeError(f"{entry.value} is {type(extension).__name__}, no Extension")
    for field in ("package", "description", "section"):
        _require(isinstance(getattr(extension, field), str), field, "text")
    _require(_are_texts(extension.needs), "needs", "names of extensions")
    for field in ("methods", "commands", "provides"):
        declared = getattr(extension, field)
        texts = isinstance(declared, Mapping) and _are_texts([*declared, *declared.values()])
        _require(texts, field, "a mapping of names to texts")
    for kind, folder in extension.methods.items():
        _require(kind in (*KINDS, *PLAIN), f"methods: {kind}", "a kind of method")
        there = find_spec(f"{extension.package}.{folder}") is not None
        _require(there, f"methods: {folder}", "a folder of the package")
    return extension


def _require(is_met: bool, field: str, what: str) -> None:
    """Raise ``TypeError`` that a field is not what it must be, unless it is."""
    if not is_met:
        raise TypeError(f"its {field} is not {what}")


def _are_texts(values: Any) -> bool:
    """Whether something is a sequence of texts."""
    return isinstance(values, Sequence) and all(isinstance(value, str) for value in values)


def imported(load: Callable[[], Any]) -> Any:
    """What a function gives that imports something of others.

    Raises ``ImportError``: the function raises, were it by ``sys.exit``. Ctrl-C goes on.
    """
    try:
        with in_this_folder():
            return load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ImportError(_told(error)) from error


def _told(error: BaseException) -> str:
    """What an error says, in a line."""
    text = " ".join(str(error).split())
    if isinstance(error, ImportError):
        return text
    return f"{type(error).__name__}: {text}"


def extensions() -> Iterator[Extension]:
    """Every extension: ours, then those of others.

    Those of others are looked for only when all of ours have been taken.
    """
    yield from our_extensions().values()
    for one in others():
        yield one.extension


def shown(found: Sequence[tuple[Installed, str]], taken: Sequence[str]) -> list[str]:
    """What the things of others are called, ``found`` as their owners and names.

    A name that another of them has too, or that is ``taken`` by ours, is said in ``full``.
    """
    names = [name for _, name in found]
    count = Counter([*taken, *names])
    return [name if count[name] == 1 else one.full(name) for one, name in found]


def owner(what: str, name: str, has: Callable[[Extension, str], bool]) -> Installed | None:
    """The extension of others to which a command, method or section belongs; None: no one's.

    ``name`` is that of the command, method or section, or ``DISTRIBUTION:NAME``. ``has`` says
    whether an extension has what is called NAME, and ``what``, such as "command", says in a message
    what it is.

    Raises ``BadInput``: more than one extension has it.
    """
    distribution, _, own = name.rpartition(":")
    found = [
        one
        for one in others()
        if has(one.extension, own) and (not distribution or one.is_of(distribution))
    ]
    if not found:
        return None
    if len(found) > 1:
        full = dict.fromkeys(one.full(own) for one in found)
        allowed = " or ".join(full) if len(full) > 1 else "only one of them installed"
        whose = " and ".join(f"{one.extension.package} of {one}" for one in found)
        raise BadInput(
            f"two extensions have a {what} of that name, {whose}", found=name, allowed=allowed
        )
    return found[0]


def not_there(what: str, name: str, known: Sequence[str], allowed: str = "") -> BadInput:
    """The refusal of a name that nothing has.

    It also says which extensions and methods cannot be loaded, since the name may be of one.
    """
    distribution = name.rpartition(":")[0]
    if distribution and not any(one.is_of(distribution) for one in others()):
        what = f"{what}: the distribution {distribution} is not installed"
    why = "".join(f"; the {thing} cannot be loaded: {error}" for thing, error in broken.items())
    return BadInput(f"{what}{why}", found=name, allowed=allowed, nearest=nearest_name(name, known))


def find_extension(name: str) -> Extension:
    """The extension of a name.

    Raises ``BadInput``: there is none, or two others have it.
    """
    if name in our_extensions():
        return our_extensions()[name]
    found = owner_of_section(name)
    if found is None:
        known = [extension.name for extension in extensions()]
        raise not_there("no such extension is installed", name, known)
    return found.extension


def owner_of_section(name: str) -> Installed | None:
    """The extension of others that has a section of a world's ``extensions``.

    None where the section is of an extension of ours, or of none.

    Raises ``BadInput``: two others have it.
    """
    if name in our_extensions():
        return None
    return owner("section", name, lambda extension, own: extension.name == own)


def find_provided(what: str) -> Any:
    """What an extension provides under a name, ours before those of others.

    None: no extension provides it.

    Raises ``BadInput``: two others provide it.
    """
    for extension in our_extensions().values():
        if what in extension.provides:
            return extension.load(extension.provides[what])
    found = owner("thing to provide", what, lambda extension, own: own in extension.provides)
    if found is None:
        return None
    return found.extension.load(found.extension.provides[what])


def provided(what: str, where: str = "") -> Any:
    """What an extension provides under a name.

    ``where`` is the key or option that asks for it.

    Raises ``BadInput``: the extension is not there.
    """
    found = find_provided(what)
    if found is None:
        raise BadInput(missing(what), where=where or what)
    return found
