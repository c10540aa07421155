"""Versions of packages, for records and reports; loads nothing."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def version_of(package: str) -> str:
    """The version of an installed package, or "not installed"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


__version__ = version_of("hopfield-nav")
