"""Methods by name.

Those of the core and of extensions are each the ``METHOD`` of a file of their name; a user's own is
named with its file, ``FILE.py:NAME``.
"""

import importlib
import importlib.util
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

# By the kind: its folder in the core, and the names of its methods. Without names every file of the
# folder is a method.
_CORE: dict[str, tuple[str, tuple[str, ...]]] = {
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
    """The methods of a kind that the core has."""
    folder, names = _CORE[kind]
    if names or not folder:
        return names
    return modules_in(f"hopfield_nav.{folder}")


@cache
def _our_names(kind: str) -> tuple[str, ...]:
    """The methods of a kind that are there with the program."""
    names = list(_core_names(kind))
    for extension in our_extensions().values():
        names.extend(extension.method_names(kind))
    return tuple(names)


@cache
def method_names(kind: str) -> tuple[str, ...]:
    """The methods of a kind that have names: of the core, and of every extension.

    A method of others has its distribution before its name, ``DISTRIBUTION:NAME``, where another
    method has the same name. Methods that are compiled are sorted.
    """
    ours = _our_names(kind)
    of_others = [(one, name) for one in others() for name in one.extension.method_names(kind)]
    names = dict.fromkeys([*ours, *shown(of_others, ours)])
    if kind in KINDS:
        return tuple(sorted(names))
    return tuple(names)


def is_bundled(kind: str, name: str) -> bool:
    """Whether a method is there with the program, in its core or an extension of ours.

    Nothing of the method is loaded.
    """
    return name in _our_names(kind)


def is_ours(kind: str, name: str) -> bool:
    """Whether a method comes with the program or with an extension of ours.

    The extension may be missing. Any other method is somebody's own.
    """
    return is_bundled(kind, name) or f"{kind} {name}" in comes_with()


def brought_by(kind: str, name: str) -> Installed | None:
    """The extension of others that has a method.

    None where the method is ours, of a file, or nobody's.

    Raises ``BadInput``: two others have it.
    """
    if is_ours(kind, name) or ".py:" in name:
        return None
    return owner(kind, name, lambda extension, own: own in extension.method_names(kind))


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """What methods are called where there is little room, by their names.

    One of a name is called by it. A user's own, ``FILE.py:NAME``, is called NAME, or as its file
    where NAME is METHOD. Where two would be called alike both parts are said, and where these are
    alike the whole.
    """
    found: dict[str, str] = {}
    left = dict.fromkeys(names)
    for shortened in (_one_part, _both_parts, str):
        tried = {name: shortened(name) for name in left}
        said = [*tried.values(), *found.values()]
        found |= {name: text for name, text in tried.items() if said.count(text) == 1}
        left = {name: None for name in left if name not in found}
    return found


def _one_part(name: str) -> str:
    """A method's name without its file, or the file where the name is METHOD."""
    file, _, attribute = name.rpartition(".py:")
    if file and attribute == "METHOD":
        return Path(file).name
    return attribute


def _both_parts(name: str) -> str:
    """A method's name with its file, without the folders before it."""
    file, _, attribute = name.rpartition(".py:")
    if not file:
        return name
    return f"{Path(file).name}:{attribute}"


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
            file, attribute = name.rsplit(":", 1)
            raise BadInput(
                f"{Path(file).name} has no {kind} of that name",
                found=attribute,
                allowed=f"a Method(kind={kind!r}, …)",
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
    method: Method = importlib.import_module(_bundled_module(kind, name)).METHOD
    return method


def _bundled_module(kind: str, name: str) -> str:
    """Dotted name of the file of a method that is there with the program."""
    if name in _core_names(kind):
        folder, _ = _CORE[kind]
        return f"hopfield_nav.{folder}.{name}"
    ours = our_extensions().values()
    extension = next(one for one in ours if name in one.method_names(kind))
    return extension.method_module(kind, name)


def _of_others(kind: str, name: str, found: Installed) -> Method:
    """A method of an extension of others.

    Raises ``ImportError``: its file cannot be loaded, or has no such method.
    """
    own = name.rpartition(":")[2]
    place = found.extension.method_module(kind, own)
    module = imported(lambda: importlib.import_module(place))
    method = getattr(module, "METHOD", None)
    if not isinstance(method, Method) or method.kind != kind:
        raise ImportError(f"{place} has no METHOD that is a Method(kind={kind!r}, …)")
    return method


def loadable_methods(kind: str) -> dict[str, Method]:
    """The methods of a kind that can be loaded, by their names.

    Of those of others that cannot, ``broken`` says why.
    """
    names = method_names(kind)
    found = {name: _bundled(kind, name) for name in names if is_bundled(kind, name)}
    for name in names:
        one = brought_by(kind, name)
        if one is None:
            continue
        try:
            found[name] = _of_others(kind, name, one)
        except ImportError as error:
            broken[f"{kind} {name} of {one}"] = str(error)
    return {name: found[name] for name in names if name in found}


def load_from_file(kind: str, name: str, folder: Path) -> Any:
    """What a user's own file holds under a name, ``FILE.py:NAME`` below ``folder``.

    None: it holds nothing of that name.

    Raises ``BadInput``: there is no such file, or it cannot be loaded.
    """
    file_name, attribute = name.rsplit(":", 1)
    path = (folder / file_name).resolve()
    if not path.is_file():
        raise BadInput(f"no such file for the {kind}", found=str(path))
    about = path.stat()
    stamp = (about.st_mtime_ns, about.st_size)
    return getattr(_module_of(path, kind, stamp), attribute, None)


@cache
def _module_of(path: Path, kind: str, stamp: tuple[int, int]) -> ModuleType:
    """The module that a file holds, loaded once for each ``stamp``: time of change and size."""
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
