"""Distributions with an extension that are installed for a test: files, metadata and entry points in a folder."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hopfield_nav.plugin import extension, found, installed

DECLARED = """
from hopfield_nav.plugin import Extension
EXTENSION = Extension(package=__package__, description="for a test", {fields})
"""


def pip_install(source: Path, site: Path) -> None:
    """Install a project into a folder, as its user does."""
    words = [
        "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(site),
    ]  # fmt: skip
    subprocess.run([sys.executable, *words, str(source)], check=True, cwd=source.parent)


def install(
    site: Path,
    distribution: str,
    files: Mapping[str, str],
    fields: str = "",
    package: str = "",
    entry: str = "",
    version: str = "1.0",
) -> None:
    """Write a distribution into a folder, as pip leaves it.

    ``files`` are those of its ``package``, by their paths in it; ``fields`` are of its Extension
    where they have no extension.py, ``entry`` is the name of its entry point.
    """
    package = package or distribution.replace("-", "_")
    written = {"extension.py": DECLARED.format(fields=fields), **files}
    for name, text in written.items():
        path = site / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    about = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    about.mkdir()
    head = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    (about / "METADATA").write_text(head, encoding="utf-8")
    point = f"{entry or package} = {package}.extension:EXTENSION"
    (about / "entry_points.txt").write_text(f"[{extension.GROUP}]\n{point}\n", encoding="utf-8")


def uninstall(site: Path, distribution: str) -> None:
    """Take a distribution away, as pip does."""
    for name in (distribution.replace("-", "_"), f"{distribution.replace('-', '_')}-*.dist-info"):
        for folder in site.glob(name):
            shutil.rmtree(folder)
    _unload(site)
    look_again()


def look_again() -> None:
    """Forget which extensions and methods were found."""
    importlib.invalidate_caches()
    installed.broken.clear()
    for room in (extension, found, installed):
        for cached in vars(room).values():
            if hasattr(cached, "cache_clear"):
                cached.cache_clear()


def _unload(site: Path) -> None:
    """Forget the modules that were imported from a folder."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(site)):
            del sys.modules[name]


@contextmanager
def searched(*sites: Path) -> Iterator[None]:
    """A block in which folders are searched for distributions, and nothing of them is left afterwards."""
    sys.path[:0] = map(str, sites)
    look_again()
    try:
        yield
    finally:
        for site in sites:
            sys.path.remove(str(site))
            _unload(site)
        look_again()
