"""Robot files of others: which load, what the others are told, and whether Pinocchio agrees.

    python scripts/public_arms.py FOLDER [--as NAME] [--out docs/recordings.md]

Every ``.urdf`` below the folder is read as ``load_arm`` reads it. Pinocchio, which knows nothing of ours, reads the
same file; joints that the arm does not have stand as near to zero as their limits allow. The row takes the place of
that of its name in the page's table.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from measured_part import read, table, tell

from dynamics import BadInput, forward_kinematics, inverse_dynamics
from dynamics.files import read_urdf

PART = "public"
COLUMNS = ("files", "loaded", "kinematics as Pinocchio", "with masses", "torques as Pinocchio", "refused with a remedy",
           "refused without one", "internal error")  # fmt: skip
_REMEDIES = ("allowed:", "Did you mean")
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
    for path in sorted(p for p in asked.folder.rglob("*") if p.suffix.lower() == ".urdf" and p.is_file()):
        counts.update(["files", *outcome(path)])
    row = [asked.name, *(str(counts[column]) for column in COLUMNS)]
    old = [] if asked.out is None else [cells for cells in rows_of(asked.out) if cells[0] != asked.name]
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
        return ["refused with a remedy" if any(word in str(error) for word in _REMEDIES) else "refused without one"]
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


def differences(path: Path, found: Any) -> tuple[float, float]:
    """Largest differences to Pinocchio: of the tip's pose [m, -], and of the torques as a share of the largest."""
    text = path.read_text(encoding="utf-8").replace('"continuous"', '"revolute"')
    model = pin.buildModelFromXML(text.replace("<robot>", '<robot name="robot">'))
    data, rng = model.createData(), np.random.default_rng(0)
    at = [model.joints[model.getJointId(name)].idx_q for name in found.joints]
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    poses, torques, largest = [], [], 0.0
    for q, qd, qdd in rng.uniform(-1.5, 1.5, (_STATES, 3, len(at))):
        states = [np.clip(np.zeros(model.nq), np.minimum(low, high), np.maximum(low, high)), *np.zeros((2, model.nv))]
        for state, values in zip(states, (q, qd, qdd), strict=True):
            state[at] = values
        pin.framesForwardKinematics(model, data, states[0])
        ends = (data.oMf[model.getFrameId(name)] for name in (found.base, found.tip))
        T_root_base, T_root_tip = (frame.homogeneous for frame in ends)
        expected = np.linalg.inv(T_root_base) @ T_root_tip
        poses.append(np.abs(found.T_base_0 @ forward_kinematics(found.arm, q) - expected).max())
        wanted, arm = pin.rnea(model, data, *states)[at], found.arm._replace(rotor_inertia=np.zeros(len(at)))
        torques.append(np.abs(inverse_dynamics(arm, q, qd, qdd) - wanted).max())
        largest = max(largest, float(np.abs(wanted).max()))
    return max(poses), max(torques) / max(largest, 1e-9)


if __name__ == "__main__":
    main()
