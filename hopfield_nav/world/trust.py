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

    # every file that it names
    everything: bool = False
    # whole paths of the files that the caller named himself
    given: frozenset[str] = frozenset()
    # it is a record: nothing is executed and nothing refused, numbers are taken as they stand
    record: bool = False
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
        is_here = file.parent == Path.cwd().resolve() or file.is_relative_to(PACKAGE)
        if not (is_here or self.everything or str(file) in self.given):
            allowed = "--trust (in Python allow_code=True), or a file in the current folder"
            raise BadInput(
                "names a Python file, which would be executed", found=name, allowed=allowed
            )

    def looks_into(self, kind: str, name: str) -> bool:
        """Whether the method itself is asked what its parameters are.

        Of a record only one that comes with the program is.
        """
        return not self.record or is_bundled(kind, name)

    def also(self, names: Iterable[object], folder: Path) -> "Trust":
        """This trust, and in the files of users' methods among ``names``.

        The caller gave these for a world in ``folder``.
        """
        methods = [name for name in names if isinstance(name, str) and is_code(name)]
        files = {str(_file(name, folder)) for name in methods}
        return replace(self, given=self.given | files)


RECORD = Trust(record=True)


def _file(name: str, folder: Path) -> Path:
    """The whole path of the file of a user's method."""
    return (folder / name.rsplit(":", 1)[0]).resolve()


def is_code(name: str) -> bool:
    """Whether a method is named by its file, ``FILE.py:NAME``.

    One of an extension of others is named without: whose a method is, says ``plugin.is_ours``.
    """
    return ".py:" in name
