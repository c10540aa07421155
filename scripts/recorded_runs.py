"""The recorded UR5 (Kufieta 2014), run by run, for the chapters that compare parameter sets with it."""

import numpy as np
from benches import suite_module

from dynamics import Arm, inverse_dynamics, load_arm

recording = suite_module("recordings").recording
RUNS = ("no1", "no8", "no5_free", "no5_pushed", "no10_standstill_force_sensor_fx")
STANDSTILL = RUNS[-1]
MOVING = RUNS[:-1]
GRAVITY_9_82 = "ur5_controller, g = 9.82 m/s²"
NO_ROTORS = "ur5_controller without rotor inertia"


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
    left = data.tau.values - inverse_dynamics(
        arm, data.q_ref.values, data.qd_ref.values, data.qdd_ref.values
    )
    return np.sqrt(np.mean(left**2, axis=0))


def residuals(arm: Arm, runs: tuple[str, ...] = RUNS) -> np.ndarray:
    """``residual`` of every run, (runs, 6) [N·m]."""
    return np.array([residual(arm, run) for run in runs])


def size(run: str) -> np.ndarray:
    """Root mean square (6,) of the recorded model torque [N·m]."""
    return np.sqrt(np.mean(recording(run).tau.values ** 2, axis=0))
