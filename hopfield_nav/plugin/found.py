"""Methods by name: the built-in ones, each the ``METHOD`` of a file of its name, and files of somebody's own."""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from dynamics import BadInput, nearest_name
from hopfield_nav.plugin.method import Method

KINDS = ("controller", "estimator", "detector")  # what is compiled
PLAIN = {
    "planner": ("hopfield", "a_star", "potential_field", "roadmap"),
    "response": ("replan", "follow", "slide"),
    "belief": ("felt_points", "hypothesis_sets", "thompson", "optimist", "omniscient"),
}  # what is plain Python, and the built-in ones: each the ``METHOD`` of a file of its name
_FOLDERS = {
    "controller": "control.laws", "estimator": "control.estimators", "detector": "control.detectors",
    "planner": "navigation.planners", "response": "navigation.responses",
    "belief": "navigation.whole_arm.strategies",
}  # fmt: skip


@cache
def method_names(kind: str) -> tuple[str, ...]:
    """The built-in methods of a kind: the files of its folder, each with one method of the file's name."""
    if kind in PLAIN:
        return PLAIN[kind]
    folder = Path(__file__).resolve().parents[1].joinpath(*_FOLDERS[kind].split("."))
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(folder)])))


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """How each of some methods is called where there is little room, a built-in one by its name.

    One's own, ``FILE.py:NAME``, is called NAME, or as its file where that is METHOD; where two would be called alike
    both names are said, and where these are alike the whole.
    """
    found: dict[str, str] = {}
    left = dict.fromkeys(names)
    for shorten in (_own_name, _file_and_name, str):
        tried = {name: shorten(name) for name in left}
        said = [*tried.values(), *found.values()]
        found |= {name: text for name, text in tried.items() if said.count(text) == 1}
        left = {name: None for name in left if name not in found}
    return found


def _own_name(name: str) -> str:
    file, _, attribute = name.rpartition(".py:")
    return Path(file).name if file and attribute == "METHOD" else attribute


def _file_and_name(name: str) -> str:
    file, _, attribute = name.rpartition(".py:")
    return f"{Path(file).name}:{attribute}" if file else name


@cache
def find_method(kind: str, name: str, folder: Path | None = None) -> Method:
    """A built-in method by name, or a user's own as ``path/to/file.py:NAME``.

    Args:
        kind: one of ``KINDS`` or of ``PLAIN``.
        name: name of a built-in method, or a file (relative to ``folder``) and the name of a ``Method`` in it.
        folder: where a relative file is looked for; default the current folder.

    Raises ``BadInput``: no such method, or the file holds none of that name.
    """
    if ".py:" in name:
        return _load_from_file(kind, name, folder or Path())
    names = method_names(kind)
    if name not in names:
        allowed = ", ".join(names) + ", or FILE.py:NAME for your own"
        raise BadInput(f"unknown {kind}", found=name, allowed=allowed, nearest=nearest_name(name, names))
    method: Method = importlib.import_module(f"hopfield_nav.{_FOLDERS[kind]}.{name}").METHOD
    return method


def _load_from_file(kind: str, name: str, folder: Path) -> Method:
    method = load_from_file(kind, name, folder)
    if not isinstance(method, Method) or method.kind != kind:
        file, attribute = name.rsplit(":", 1)
        told = f"{Path(file).name} has no {kind} of that name"
        raise BadInput(told, found=attribute, allowed=f"a Method(kind={kind!r}, …)")
    return method


def load_from_file(kind: str, name: str, folder: Path) -> Any:
    """What a file of somebody's own, ``FILE.py:NAME`` below ``folder``, holds under a name; None: nothing.

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
    try:
        with _importing_from(str(path.parent)):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # sys.exit ends no program of ours
        raise BadInput(f"{path.name} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


@contextmanager
def _importing_from(folder: str) -> Iterator[None]:
    """What lies beside a file may be imported by it, unless it has the name of something else."""
    known = folder in sys.path
    if not known:
        sys.path.append(folder)
    try:
        yield
    finally:
        if not known and folder in sys.path:
            sys.path.remove(folder)
