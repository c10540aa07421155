"""Robot files of others: which load, what the others are told, and whether Pinocchio agrees.

    python scripts/public_arms.py FOLDER [--as NAME] [--out docs/lab/recordings.md]

Every ``.urdf`` below the folder is read as ``load_arm`` reads it. Pinocchio, which knows nothing of
ours, reads the same file; joints that the arm does not have stand as near to zero as their limits
allow. The row takes the place of that of its name in the page's table.
"""

import argparse
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from measured_part import read, table, tell

from dynamics import BadInput, forward_kinematics, inverse_dynamics
from dynamics.files import read_urdf

PART = "public"
COLUMNS = (
    "files", "loaded", "kinematics as Pinocchio", "with masses", "torques as Pinocchio",
    "refused with tips, which load and agree", "refused with another remedy", "refused without one", "internal error",
)  # fmt: skip
_NEAR = 1e-8  # [m, rad, N·m for N·m] that counts as the same
_STATES = 5


def main() -> None:
    """Count, print, and write to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--as", dest="name", default="now")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in sorted(
        p for p in asked.folder.rglob("*") if p.suffix.lower() == ".urdf" and p.is_file()
    ):
        counts.update(["files", *outcome(path)])
    row = [asked.name, *(str(counts[column]) for column in COLUMNS)]
    old = (
        []
        if asked.out is None
        else [cells for cells in rows_of(asked.out) if cells[0] != asked.name]
    )
    tell(table(["", *COLUMNS], [*old, row]), asked.out, PART)


def rows_of(page: Path) -> list[list[str]]:
    """The rows that the page's table has."""
    lines = read(page, PART).splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def outcome(path: Path) -> list[str]:
    """The columns in which a file counts."""
    try:
        found = read_urdf(path)
    except BadInput as error:
        return [remedy(path, str(error))]
    except Exception as error:
        print(f"{path}: {type(error).__name__}: {error}")
        return ["internal error"]
    kinematics, torques = differences(path, found)
    if max(kinematics, torques) > _NEAR:
        print(f"{path}: {kinematics:.1e} {torques:.1e}")
    massive = bool(np.all(found.arm.mass > 0.0))
    said = {
        "loaded": True,
        "kinematics as Pinocchio": kinematics < _NEAR,
        "with masses": massive,
        "torques as Pinocchio": massive and torques < _NEAR,
    }
    return [column for column, true in said.items() if true]


def remedy(path: Path, message: str) -> str:
    """The column of a file that is refused."""
    tips = re.findall(r"\.urdf:(\S+) \(\d+ joint", message, re.IGNORECASE)
    for tip in tips:
        try:
            if max(differences(path, read_urdf(path, tip=tip))) > _NEAR:
                print(f"{path}:{tip} does not agree")
                tips = []
        except BadInput as error:
            print(error)
            tips = []
    if tips:
        return "refused with tips, which load and agree"
    return (
        "refused with another remedy"
        if "allowed:" in message or "Did you mean" in message
        else "refused without one"
    )


def differences(path: Path, found: Any) -> tuple[float, float]:
    """Largest differences to Pinocchio: of the tip's pose [m, -], and of the torques as a share of the largest."""
    text = path.read_text(encoding="utf-8")
    model = pin.buildModelFromXML(text.replace("<robot>", '<robot name="robot">'))
    data, rng, rest = model.createData(), np.random.default_rng(0), at_rest(model, text)
    joints = [model.joints[model.getJointId(name)] for name in found.joints]
    at = [joint.idx_v for joint in joints]
    poses, torques, largest = [], [], 0.0
    for q, qd, qdd in rng.uniform(-1.5, 1.5, (_STATES, 3, len(at))):
        states = [rest.copy(), np.zeros(model.nv), np.zeros(model.nv)]
        for joint, angle in zip(joints, q, strict=True):
            states[0][joint.idx_q : joint.idx_q + joint.nq] = (
                [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
            )
        states[1][at], states[2][at] = qd, qdd
        pin.framesForwardKinematics(model, data, states[0])
        ends = (data.oMf[model.getFrameId(name)] for name in (found.base, found.tip))
        T_root_base, T_root_tip = (frame.homogeneous for frame in ends)
        expected = np.linalg.inv(T_root_base) @ T_root_tip
        poses.append(np.abs(found.T_base_0 @ forward_kinematics(found.arm, q) - expected).max())
        wanted, arm = (
            pin.rnea(model, data, *states)[at],
            found.arm._replace(rotor_inertia=np.zeros(len(at))),
        )
        torques.append(np.abs(inverse_dynamics(arm, q, qd, qdd) - wanted).max())
        largest = max(largest, float(np.abs(wanted).max()))
    return max(poses), max(torques) / max(largest, 1e-9)


def at_rest(model: pin.Model, text: str) -> np.ndarray:
    """Every joint at zero, or as near as its limits allow; one that mimics another, as that puts it."""
    rest = pin.neutral(model)
    for followed in (False, True):
        for element in ElementTree.fromstring(text.encode()).findall("joint"):
            if not model.existJointName(element.get("name")):
                continue
            joint, mimic = (
                model.joints[model.getJointId(element.get("name"))],
                element.find("mimic"),
            )
            if joint.nq != 1 or followed != (mimic is not None):
                continue
            value, ends = (
                0.0,
                sorted(
                    (model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q])
                ),
            )
            if mimic is not None:
                leader = rest[model.joints[model.getJointId(mimic.get("joint"))].idx_q]
                value = float(mimic.get("offset", 0)) + float(mimic.get("multiplier", 1)) * leader
            rest[joint.idx_q] = np.clip(value, *ends)
    return rest


if __name__ == "__main__":
    main()
