"""Section V: the model cross-checked by controlling an arm that MuJoCo simulates."""

import mujoco
import numpy as np
from ledger import Rows, judged
from reproduction import pictures_of
from scipy.spatial.transform import Rotation

from dynamics.files import mjcf_text
from kebria2016 import validation_figures, validation_run
from kebria2016.validation_run import DURATION, FIRST_ERROR, Followed, arm, follow, poles

RADII = (0.001, 0.2)  # [m] of the links
SETTLED = 4.2  # [s] after which the published poles leave less than 1 %
draw = pictures_of(validation_figures.__name__)


def settling_time(run: Followed, share: float = 0.01) -> float:
    """Time from which every joint's error stays below a share of its first value [s]."""
    left = np.abs(run.q - run.q_ref) / np.abs(FIRST_ERROR)
    return float(run.time[np.flatnonzero((left > share).any(axis=1))[-1] + 1])


def fitted_poles(run: Followed, spacing: float = 0.1) -> np.ndarray:
    """Both poles [1/s] from the error itself: e(t + 2 h) as a combination of e(t + h) and e(t)."""
    every = round(spacing / (run.time[1] - run.time[0]))
    e = (run.q - run.q_ref)[: round(3.0 / (run.time[1] - run.time[0])) : every]
    rows = np.column_stack([e[1:-1].ravel(), e[:-2].ravel()])
    first, second = np.linalg.lstsq(rows, e[2:].ravel(), rcond=None)[0]
    return np.sort(np.log(np.roots([1.0, -first, -second]).real) / spacing)[::-1]


def largest_difference(run: Followed) -> float:
    """Of the measured error from the solution of (12), over the largest first error."""
    return float(
        np.abs(run.q - run.q_ref - validation_run.analytic_error(run.time)).max()
        / np.abs(FIRST_ERROR).max()
    )


def pose_errors(run: Followed) -> tuple[np.ndarray, np.ndarray]:
    """Distance [m] and turn [rad] between simulated and desired tool, (k,) each."""
    away = np.linalg.norm(run.T[:, :3, 3] - run.T_ref[:, :3, 3], axis=1)
    turn = Rotation.from_matrix(
        run.T[:, :3, :3] @ run.T_ref[:, :3, :3].transpose(0, 2, 1)
    ).magnitude()
    return away, turn


def torque_change_with_radius(radii: tuple[float, float] = RADII, count: int = 200) -> float:
    """Largest change of MuJoCo's inverse-dynamics torque between two link radii [N·m]."""
    states = np.random.default_rng(5).uniform(-3, 3, (count, 3, 6))
    return float(np.abs(np.subtract(*(_mujoco_torque(radius, states) for radius in radii))).max())


def _mujoco_torque(radius: float, states: np.ndarray) -> np.ndarray:
    capsules = arm().capsules.copy()
    capsules[:, 7] = radius
    model = mujoco.MjModel.from_xml_string(mjcf_text(arm()._replace(capsules=capsules)))
    data, torques = mujoco.MjData(model), []
    for q, qd, qdd in states:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        torques.append(data.qfrc_inverse.copy())
    return np.array(torques)


def rows() -> Rows:
    run = follow()
    fitted, exact, settled = fitted_poles(run), np.array(poles()), settling_time(run)
    away, held = largest_difference(run), largest_difference(follow(hold=True))
    ours = f"{fitted[0]:.3f}, {fitted[1]:.3f} 1/s, fitted to the error on MuJoCo's arm"
    yield judged(
        "kebria2016.poles_of_the_error", ours, bool(np.all(np.abs(fitted / exact - 1) < 0.01))
    )
    yield judged(
        "kebria2016.error_below_one_percent",
        f"after {settled:.2f} s",
        abs(settled - SETTLED) < 0.05,
    )
    ours = f"differs from the analytic solution by at most {away:.0e} of the first error"
    yield judged("kebria2016.error_equation", ours, away < 1e-6, held=100 * held)
    away, turn = pose_errors(run)
    late, value, change = (
        run.time > SETTLED,
        validation_run.smallest_singular_value(),
        torque_change_with_radius(),
    )
    end = run.time > DURATION - 1
    ours = f"smallest singular value of J along ours {value:.3f} (metres)"
    yield judged("kebria2016.regular_profile", ours, value > 0.05)
    ours = (
        f"errors {1e3 * away[0]:.0f} mm, {np.degrees(turn[0]):.0f}° at first, at most "
        f"{1e3 * away[late].max():.1f} mm, {np.degrees(turn[late].max()):.2f}° after {SETTLED} s, "
        f"{1e3 * away[end].max():.4f} mm, {np.degrees(turn[end].max()):.4f}° in the last second"
    )
    yield judged(
        "kebria2016.tracking", ours, bool(away[end].max() < 1e-4 and turn[end].max() < 1e-3)
    )
    ours = f"radius {1e3 * RADII[0]:.0f} mm or {1e3 * RADII[1]:.0f} mm: torques differ by {change:.0e} N·m"
    yield judged("kebria2016.radius_of_the_links", ours, change == 0.0)
