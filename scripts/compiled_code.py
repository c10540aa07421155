"""Make the archive of compiled code that comes along (dynamics/kernels/archive.py) from the last commit.

    python scripts/compiled_code.py

types README.md and docs/first_hour.md in a copy of the checkout, with a new environment and nothing
compiled before, runs every bundled world, and packs what that has left in the folder of compiled
code. It belongs into the last commit of a release: another one that changes a kernel makes it
useless. Some minutes; pip asks the package index.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from documentation.snippets import IN_A_SHELL, ROOT, as_typed, blocks

from dynamics.files.writing import whole_file
from dynamics.kernels.archive import (
    ABOUT,
    ARCHIVES,
    archive_folder,
    contents,
    parts_of,
    read_about,
)

_ASK = """
import json
from dynamics.kernels.cache import cache_folder
from dynamics.kernels.digests import versions
print(json.dumps({**versions(), "folder": cache_folder().name}))
"""
_OURS = ("dynamics", "hopfield_nav", "texts")  # folders of what comes along
_NOT_ITS = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_", "HOPFIELD_NAV_")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="hopfield-nav-") as name:
        place = Path(name)
        checkout, cache = _copy(place / "checkout"), place / "cache"
        own = {key: value for key, value in os.environ.items() if not key.startswith(_NOT_ITS)}
        own |= {"XDG_CACHE_HOME": str(cache), "MPLBACKEND": "Agg", "BROWSER": "true"}
        for page in IN_A_SHELL:
            subprocess.run(
                ["bash", "-c", as_typed(blocks(page))], cwd=checkout, env=own, check=True
            )
        bin_ = checkout / ".venv" / "bin"
        for world in sorted((checkout / "worlds").glob("*.yaml")):
            run = [
                bin_ / "hopfield-nav",
                "run",
                world.stem,
                "--no-plots",
                "--out",
                place / "runs" / world.stem,
            ]
            # where no path is left the status says so
            subprocess.run(run, cwd=place, env=own, check=False)
        asked = subprocess.run(
            [bin_ / "python", "-c", _ASK], cwd=place, env=own, check=True, stdout=subprocess.PIPE
        )
        about = json.loads(asked.stdout)
        archive = pack(cache / "hopfield-nav" / about["folder"], about, place)
    size = sum(part.stat().st_size for part in parts_of(archive))
    print(f"{archive.relative_to(ROOT)}: {size / 1e6:.1f} MB")


def _copy(checkout: Path) -> Path:
    """The last commit, without the archives of earlier ones."""
    checkout.mkdir()
    files = subprocess.run(
        ["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "x"], cwd=checkout, input=files, check=True)
    shutil.rmtree(checkout / ARCHIVES.relative_to(ROOT), ignore_errors=True)
    return checkout


def pack(folder: Path, about: dict[str, str], place: Path) -> Path:
    """Pack a folder of compiled code, in which nothing may tell the ``place`` where it was made, or its owner.

    What an earlier archive has under the same name, and so of the same content, is taken from
    there: a room in which nothing was edited keeps its part byte by byte.
    """
    archive = archive_folder(about)
    earlier = _earlier(archive, about)
    rooms: dict[str, dict[str, bytes]] = {}
    ours = (path for name in _OURS for path in (folder / name).rglob("*") if path.is_file())
    # methods of pages are compiled for the very processor of this machine
    for path in sorted(ours):
        inside = path.relative_to(folder).as_posix()
        content = earlier.get(inside, path.read_bytes())
        if any(str(owner).encode() in content for owner in (place, ROOT, Path.home())):
            sys.exit(f"{inside} tells where it was compiled")
        rooms.setdefault(_room(inside), {})[inside] = content
    archive.mkdir(parents=True, exist_ok=True)
    for part in parts_of(archive):
        if part.name.removesuffix(".tar.xz") not in rooms:
            part.unlink()
    for room, files in rooms.items():
        _write(archive / f"{room}.tar.xz", about, files)
    return archive


def _room(inside: str) -> str:
    """The room that a file of compiled code is of."""
    parts = Path(inside).parts[:-1]
    return ".".join(parts[: 3 if "extensions" in parts else 2])


def _earlier(archive: Path, about: dict[str, str]) -> dict[str, bytes]:
    """What an archive holds that was made for the same."""
    if all(read_about(part) == about for part in parts_of(archive)):
        return contents(archive)
    return {}


def _write(part: Path, about: dict[str, str], inside: dict[str, bytes]) -> None:
    with whole_file(part) as partial, tarfile.open(partial, "w:xz", preset=9) as files:
        _add(files, ABOUT, json.dumps(about, indent=1).encode())
        for name, content in inside.items():
            _add(files, name, content)


def _add(files: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    files.addfile(member, io.BytesIO(content))


if __name__ == "__main__":
    main()
