"""Compiled code that comes along: an archive for a system, Pythons and a processor, unpacked into a new folder.

It has a part for each room, so that of a change in one room the others stay as they are.

``scripts/compiled_code.py`` makes it. It fits the versions that it was made with; where it does not
everything is compiled on this machine.
"""

import json
import sys
import tarfile
from collections.abc import Mapping
from lzma import LZMAError
from pathlib import Path

from dynamics.kernels.checksums import opened

ARCHIVES = Path(__file__).with_name("compiled")
ABOUT = "about.json"  # the first file of a part: the versions, and the name of the ``folder``
_DAMAGED = (EOFError, KeyError, LZMAError, OSError, ValueError, tarfile.TarError)


def archive_folder(versions: Mapping[str, str]) -> Path:
    """Where the archive for a system, Pythons and a processor lies, a file for each room."""
    parts = versions["system"].replace("-", "_"), versions["Python"], versions["target"]
    return ARCHIVES / "-".join(parts)


def read_about(part: Path) -> dict[str, str]:
    """The versions that a part was made with, and the name of the ``folder`` that it is of."""
    with tarfile.open(part, "r:xz") as files:
        about = json.loads(_content(files, files.next()))
    if not isinstance(about, dict):
        raise ValueError(f"{ABOUT} is no list of versions")
    return about


def parts_of(archive: Path) -> list[Path]:
    """The files of an archive; none where there is none."""
    return sorted(archive.glob("*.tar.xz"))


def unpack(folder: Path, name: str, versions: Mapping[str, str]) -> None:
    """Fill a new folder, to be called ``name``, with what comes along; a line says why where it does not fit.

    Of kernels that were edited since then nothing fits either: what they read names their code
    (``kept_code``).
    """
    archive = archive_folder(versions)
    parts = parts_of(archive)
    if not parts:
        if any(ARCHIVES.glob("*/*.tar.xz")):
            _say(f"no compiled code comes along for {archive.name}")
        return
    try:
        reasons = [
            reason for part in parts if (reason := _misfit(read_about(part), name, versions))
        ]
        if reasons:
            _say(f"the compiled code that comes along is for {reasons[0]}")
            return
        for inside, content in contents(archive).items():
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            (folder / inside).write_bytes(content)
    except _DAMAGED as error:
        _say(f"the compiled code that comes along cannot be unpacked: {error or 'it is cut'}")


def _misfit(about: Mapping[str, str], name: str, versions: Mapping[str, str]) -> str:
    """What a part was made for that is not what is here; empty where it fits."""
    others = [
        f"{what} {about.get(what)}, not {version}"
        for what, version in versions.items()
        if about.get(what) != version
    ]
    if others:
        return "; ".join(others)
    return "" if about.get("folder") == name else "another way of compiling"


def contents(archive: Path) -> dict[str, bytes]:
    """The files in all parts of an archive, whose checksums are right."""
    inside = {}
    for part in parts_of(archive):
        with tarfile.open(part, "r:xz") as files:
            members = {member.name: _content(files, member) for member in files}
        inside.update({name: members[name] for name in members if name != ABOUT})
    for name, content in inside.items():
        if opened(content) is None:
            raise ValueError(f"{name} is damaged")
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ValueError(f"{name} leads out of its folder")
    return inside


def _content(files: tarfile.TarFile, member: tarfile.TarInfo | None) -> bytes:
    file = member and files.extractfile(member)
    if not file:
        raise ValueError("it holds what is no file")
    return file.read()


def _say(message: str) -> None:
    print(f"hopfield-nav: {message}; it is compiled here", file=sys.stderr, flush=True)
