"""Methods by name: of the core and of extensions, each the ``METHOD`` of a file of its name, and files of users."""

import importlib
import importlib.util
import itertools
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from dynamics import BadInput
from hopfield_nav.plugin.extension import KINDS, comes_with, missing, modules_in, our_extensions
from hopfield_nav.plugin.folder import in_this_folder
from hopfield_nav.plugin.installed import (
    Installed,
    broken,
    imported,
    not_there,
    others,
    owner,
    shown,
)
from hopfield_nav.plugin.method import Method

_CORE = {  # folder of each kind in the core; where other files lie in it too, the names of the methods
    "controller": ("control.laws", ()),
    "estimator": ("control.estimators", ()),
    "detector": ("control.detectors", ()),
    "planner": ("navigation.planners", ("hopfield", "a_star")),
    "response": ("navigation.responses", ("replan",)),
    "belief": ("", ()),
    "navigator": ("navigation.spaces", ("tool",)),
    "engine": ("loop.engines", ("internal",)),
}


@cache
def _core_names(kind: str) -> tuple[str, ...]:
    folder, names = _CORE[kind]
    return names or (modules_in(f"hopfield_nav.{folder}") if folder else ())


@cache
def _our_names(kind: str) -> tuple[str, ...]:
    """The methods of a kind that are there with the program."""
    of_extensions = (one.method_names(kind) for one in our_extensions().values())
    return (*_core_names(kind), *itertools.chain.from_iterable(of_extensions))


@cache
def method_names(kind: str) -> tuple[str, ...]:
    """The methods of a kind that have names: of the core, and of every extension; each is in a file of its name.

    What others call alike, or as ours, stands here as ``DISTRIBUTION:NAME``.
    """
    of_others = [(one, name) for one in others() for name in one.extension.method_names(kind)]
    names = dict.fromkeys([*_our_names(kind), *shown(of_others, _our_names(kind))])
    return tuple(sorted(names) if kind in KINDS else names)


def is_bundled(kind: str, name: str) -> bool:
    """Whether a method is there with the program, in its core or an extension of ours; nothing of it is loaded."""
    return name in _our_names(kind)


def is_ours(kind: str, name: str) -> bool:
    """Whether a method comes with the program, be its extension there or not; any other is somebody's own."""
    return is_bundled(kind, name) or f"{kind} {name}" in comes_with()


def brought_by(kind: str, name: str) -> Installed | None:
    """Who of the others has a method; None where it is ours, of a file, or nobody's.

    Raises ``BadInput``: two others have it.
    """
    if is_ours(kind, name) or ".py:" in name:
        return None
    return owner(kind, name, lambda extension, own: own in extension.method_names(kind))


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """How each of some methods is called where there is little room, a built-in one by its name.

    One's own, ``FILE.py:NAME``, is called NAME, or as its file where that is METHOD; where two
    would be called alike both names are said, and where these are alike the whole.
    """
    found: dict[str, str] = {}
    left = dict.fromkeys(names)
    for k in range(3):
        tried = {name: _shortened(name)[k] for name in left}
        said = [*tried.values(), *found.values()]
        found |= {name: text for name, text in tried.items() if said.count(text) == 1}
        left = {name: None for name in left if name not in found}
    return found


def _shortened(name: str) -> tuple[str, str, str]:
    """The name of a method of one's own, or of its file; both; and the whole."""
    file, _, attribute = name.rpartition(".py:")
    short = Path(file).name
    return (
        (short if file and attribute == "METHOD" else attribute),
        (f"{short}:{attribute}" if file else name),
        name,
    )


@cache
def find_method(kind: str, name: str, folder: Path | None = None) -> Method:
    """A method by name, or a user's own as ``path/to/file.py:NAME``.

    Args:
        kind: one of ``KINDS`` or of ``PLAIN``.
        name: name of a method, or a file (relative to ``folder``) and the name of a ``Method`` in
            it.
        folder: where a relative file is looked for; default the current folder.

    Raises ``BadInput``: no such method, or the file holds none of that name.
    """
    if ".py:" in name:
        method = load_from_file(kind, name, folder or Path())
        if not isinstance(method, Method) or method.kind != kind:
            (file, attribute), allowed = name.rsplit(":", 1), f"a Method(kind={kind!r}, …)"
            raise BadInput(
                f"{Path(file).name} has no {kind} of that name", found=attribute, allowed=allowed
            )
        return method
    if is_bundled(kind, name):
        return _bundled(kind, name)
    if f"{kind} {name}" in comes_with():
        raise BadInput(missing(f"{kind} {name}"), found=name)
    found = brought_by(kind, name)
    if found is None:
        names = method_names(kind)
        allowed = ", ".join((*names, "or FILE.py:NAME for your own"))
        raise not_there(f"unknown {kind}", name, names, allowed)
    try:
        return _of_others(kind, name, found)
    except ImportError as error:
        raise BadInput(f"the {kind} of {found} cannot be loaded: {error}", found=name) from error


def _bundled(kind: str, name: str) -> Method:
    """A method that is there with the program."""
    of_extensions = {
        own: extension.method_module(kind, own)
        for extension in our_extensions().values()
        for own in extension.method_names(kind)
    }
    in_core = f"hopfield_nav.{_CORE[kind][0]}.{name}"
    module = in_core if name in _core_names(kind) else of_extensions[name]
    method: Method = importlib.import_module(module).METHOD
    return method


def _of_others(kind: str, name: str, found: Installed) -> Method:
    """A method of an extension of others.

    Raises ``ImportError``: its file cannot be loaded, or has no such method.
    """
    module = found.extension.method_module(kind, name.rpartition(":")[2])
    method = getattr(imported(lambda: importlib.import_module(module)), "METHOD", None)
    if not isinstance(method, Method) or method.kind != kind:
        raise ImportError(f"{module} has no METHOD that is a Method(kind={kind!r}, …)")
    return method


def loadable_methods(kind: str) -> dict[str, Method]:
    """The methods of a kind by their names; of what others cannot have loaded, ``broken`` says why."""
    found = {name: _bundled(kind, name) for name in method_names(kind) if is_bundled(kind, name)}
    for name in method_names(kind):
        one = brought_by(kind, name)
        if one is None:
            continue
        try:
            found[name] = _of_others(kind, name, one)
        except ImportError as error:
            broken[f"{kind} {name} of {one}"] = str(error)
    return {name: found[name] for name in method_names(kind) if name in found}


def load_from_file(kind: str, name: str, folder: Path) -> Any:
    """What a file of a user's own, ``FILE.py:NAME`` below ``folder``, holds under a name; None: nothing.

    Raises ``BadInput``: there is no such file, or it cannot be loaded.
    """
    file_name, attribute = name.rsplit(":", 1)
    path = (folder / file_name).resolve()
    if not path.is_file():
        raise BadInput(f"no such file for the {kind}", found=str(path))
    about = path.stat()
    return getattr(_module_of(path, kind, (about.st_mtime_ns, about.st_size)), attribute, None)


@cache
def _module_of(path: Path, kind: str, stamp: tuple[int, int]) -> ModuleType:
    """The module that a file holds, loaded once as long as the file is the same."""
    spec = importlib.util.spec_from_file_location(f"user_method_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"not a Python file for the {kind}", found=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    folder = str(path.parent)
    known = folder in sys.path
    # what lies beside a file may be imported by it, unless it has the name of something else
    if not known:
        sys.path.append(folder)
    try:
        with in_this_folder():
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit ends no program of ours
        raise BadInput(f"{path.name} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        if not known and folder in sys.path:
            sys.path.remove(folder)
    return module
