"""Which Python files a world may have executed: to read a world that names one is to run that file.

It runs when somebody here chose it: it lies in the current folder or comes with the program, was
given on the command line or in the call, or the whole world is trusted. What a saved run names is
never run.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from dynamics import BadInput
from hopfield_nav.plugin import Method, find_method, is_bundled
from hopfield_nav.world.brought import recorded_distribution
from hopfield_nav.world.files import PACKAGE


@dataclass(frozen=True)
class Trust:
    """What somebody has allowed a world to execute."""

    everything: bool = False  # every file that it names
    given: frozenset[str] = frozenset()  # whole paths of the files that the caller named himself
    record: bool = False  # nothing is executed and nothing refused: numbers are taken as they stand
    # of a record whose owner of the map is not there: whether a cell of it is a place of the tool
    of_places: bool = True

    def find(self, kind: str, name: str, folder: Path | None) -> Method:
        """The method of a world in ``folder``.

        Raises ``BadInput``: there is none, or its file may not be executed.
        """
        self.require(name, folder)
        try:
            return find_method(kind, name, folder)
        except BadInput as error:
            brought = recorded_distribution(folder, name)
            if not brought:
                raise
            what = f"needs {brought}, which brought the {kind} to this record; {error.what}"
            raise BadInput(what, found=name, allowed=error.allowed) from None

    def require(self, name: str, folder: Path | None) -> None:
        """Refuse a Python file that may not be executed.

        Raises ``BadInput``: it may not.
        """
        if not is_code(name):
            return
        if self.record:
            allowed = "load_world(FOLDER/world.yaml, allow_code=True), or a method given by hand"
            raise BadInput("a record's Python file is never executed", found=name, allowed=allowed)
        file = _file(name, folder or Path())
        here = file.parent == Path.cwd().resolve() or file.is_relative_to(PACKAGE)
        if not (here or self.everything or str(file) in self.given):
            allowed = "--trust (in Python allow_code=True), or a file in the current folder"
            raise BadInput(
                "names a Python file, which would be executed", found=name, allowed=allowed
            )

    def looks_into(self, kind: str, name: str) -> bool:
        """Whether the method itself says what its parameters are; of a record only one that comes with the program."""
        return not self.record or is_bundled(kind, name)

    def also(self, names: Iterable[object], folder: Path) -> "Trust":
        """This trust, and in the methods among ``names``, which the caller gave for a world in ``folder``."""
        own = {
            str(_file(name, folder)) for name in names if isinstance(name, str) and is_code(name)
        }
        return replace(self, given=self.given | own)


RECORD = Trust(record=True)


def _file(name: str, folder: Path) -> Path:
    return (folder / name.rsplit(":", 1)[0]).resolve()


def is_code(name: str) -> bool:
    """Whether a method is named by its file, ``FILE.py:NAME``; whose any method is, says ``plugin.is_ours``."""
    return ".py:" in name
