"""Versions of packages and of our own sources, for records and reports; loads nothing."""

import hashlib
import os
import platform
from functools import cache
from glob import glob
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@cache
def version_of(package: str) -> str:
    """The version of an installed package, or "not installed"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


@cache
def source_digest() -> str:
    """What names the code and the arms of both packages.

    It is the same in a checkout and where they are installed. They are read when it is first asked
    for.
    """
    packages, sha = Path(__file__).resolve().parents[2], hashlib.sha256()
    wanted = [
        f"{package}/**/*.{kind}"
        for package in ("dynamics", "hopfield_nav")
        for kind in ("py", "yaml")
    ]
    found = [
        name.replace(os.sep, "/")
        for like in wanted
        for name in glob(like, root_dir=packages, recursive=True)
    ]
    for name in sorted(name for name in found if not name.startswith("hopfield_nav/worlds/")):
        sha.update(name.encode() + (packages / name).read_bytes().replace(b"\r\n", b"\n"))
    return sha.hexdigest()[:12]


def made_with() -> dict[str, str]:
    """What a record was made with."""
    named = {name: version_of(name) for name in ("hopfield-nav", "numpy", "numba")}
    return {"python": platform.python_version(), **named, "sources": source_digest()}


__version__ = version_of("hopfield-nav")
