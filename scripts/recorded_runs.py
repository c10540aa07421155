"""The recorded UR5 (Kufieta 2014), run by run, for the chapters that compare parameter sets with it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import xarray

from dynamics import Arm, BadInput, OperatingPoints, load_arm
from dynamics.model_comparison import torque_residual
from hopfield_nav.logs import load_recording

RUNS = ("no1", "no8", "no5_free", "no5_pushed", "no10_standstill_force_sensor_fx")
STANDSTILL = RUNS[-1]
MOVING = RUNS[:-1]
GRAVITY_9_82 = "ur5_controller, g = 9.82 m/s²"
NO_ROTORS = "ur5_controller without rotor inertia"


def folder() -> Path:
    """Where the recordings lie.

    Raises:
        BadInput: they are not there.
    """
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    found = Path(os.environ.get("HOPFIELD_NAV_DATA") or default) / "ur5_kufieta2014"
    if not found.is_dir():
        raise BadInput("no recordings", where=str(found), allowed="HOPFIELD_NAV_DATA names their folder")
    return found


@cache
def recording(run: str) -> xarray.Dataset:
    """One run, read once."""
    return load_recording(folder() / run)


def sets() -> dict[str, Arm]:
    """The parameter sets that are compared with the recordings, best first."""
    controller = load_arm("ur5_controller")
    return {
        GRAVITY_9_82: controller._replace(gravity=np.array([0.0, 0.0, -9.82])),
        "ur5_controller": controller,
        NO_ROTORS: controller._replace(rotor_inertia=np.zeros(6)),
        "ur5_tu2023 = ur5_kebria2016": load_arm("ur5_tu2023"),
        "ur5_ragazzon2012": load_arm("ur5_ragazzon2012"),
        "ur5_ragazzon2012_as_printed": load_arm("ur5_ragazzon2012_as_printed"),
    }


def residual(arm: Arm, run: str) -> np.ndarray:
    """Root mean square (6,) of recorded model torque less the arm's, at the recorded reference [N·m]."""
    data = recording(run)
    points = OperatingPoints(data.q_ref.values, data.qd_ref.values, data.qdd_ref.values)
    return torque_residual(arm, points, data.tau.values)


def residuals(arm: Arm, runs: tuple[str, ...] = RUNS) -> np.ndarray:
    """``residual`` of every run, (runs, 6) [N·m]."""
    return np.array([residual(arm, run) for run in runs])


def size(run: str) -> np.ndarray:
    """Root mean square (6,) of the recorded model torque [N·m]."""
    return np.sqrt(np.mean(recording(run).tau.values ** 2, axis=0))
