"""The name of a URDF file with the link where its arm ends: ``FILE.urdf:TIP``."""

import re

_URDF = re.compile(r"(.+?\.urdf)(?::(.+))?", re.IGNORECASE | re.DOTALL)


def split_tip(name: str) -> tuple[str, str | None]:
    """File and tip of ``FILE.urdf:TIP``; without a tip, or of any other name, the name itself and None."""
    found = _URDF.fullmatch(name)
    return (found[1], found[2]) if found else (name, None)


def is_urdf(name: str) -> bool:
    """Whether a name is that of a URDF file, with a tip or without one."""
    return _URDF.fullmatch(name) is not None
