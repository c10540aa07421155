"""Files from which a URDF is made, and which are none: xacro, and the calibration that a driver reads from an arm."""

import re
from pathlib import Path

from dynamics.errors import BadInput

_XACRO = re.compile(r"<xacro:|xmlns:xacro\s*=")
_CALIBRATION = re.compile(r"^kinematics:\s*$.*^\s+hash:", re.MULTILINE | re.DOTALL)


def refuse_source_of_urdf(path: Path, text: str, where: str) -> None:
    """Raise ``BadInput`` that says how a URDF is made of such a file, by its name and its text."""
    if path.suffix.lower() == ".xacro" or (text.lstrip().startswith("<") and _XACRO.search(text)):
        allowed = f"`xacro {path.name} > arm.urdf` makes a URDF of it"
        raise BadInput("a xacro file", where=where, allowed=allowed)
    if _CALIBRATION.search(text):
        allowed = f"the URDF that `xacro … kinematics_params:={path.name}` makes"
        raise BadInput("a driver's calibration of an arm", where=where, allowed=allowed)
