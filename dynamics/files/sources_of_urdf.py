"""Files of which a URDF is made: xacro, and the calibration that a driver reads from an arm."""

import re
from pathlib import Path

from dynamics.errors import BadInput

# what xacro has made of a file may still name its namespace, and have its elements in comments
_XACRO = re.compile(r"<xacro:")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CALIBRATION = re.compile(r"^kinematics:\s*$.*^\s+hash:", re.MULTILINE | re.DOTALL)


def refuse_source_of_urdf(path: Path, text: str, where: str) -> None:
    """Raise ``BadInput`` that says how a URDF is made of such a file, by its name and its text."""
    is_xml = text.lstrip().startswith("<")
    if path.suffix.lower() == ".xacro" or (is_xml and _XACRO.search(_COMMENT.sub("", text))):
        allowed = f"`xacro {path.name} > arm.urdf` makes a URDF of it"
        raise BadInput("a xacro file", where=where, allowed=allowed)
    if _CALIBRATION.search(text):
        allowed = f"the URDF that `xacro … kinematics_params:={path.name}` makes"
        raise BadInput("a driver's calibration of an arm", where=where, allowed=allowed)
