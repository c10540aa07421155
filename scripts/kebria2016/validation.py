"""Section V: the model cross-checked by controlling an arm that MuJoCo simulates."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from ledger import Row, judged
from scipy.spatial.transform import Rotation

from dynamics.files import mjcf_text
from hopfield_nav.figures import paper_style
from kebria2016.validation_figures import error_figure, picture_figure, tracking_figure
from kebria2016.validation_run import (
    DURATION,
    FIRST_ERROR,
    Followed,
    analytic_error,
    arm,
    follow,
    poles,
    smallest_singular_value,
)

TESTS = "tests/control/test_computed_torque.py::"
SETTLED = 4.2  # [s] after which the published poles leave less than 1 %


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
    return float(np.abs(run.q - run.q_ref - analytic_error(run.time)).max() / np.abs(FIRST_ERROR).max())


def pose_errors(run: Followed) -> tuple[np.ndarray, np.ndarray]:
    """Distance [m] and turn [rad] between simulated and desired tool, (k,) each."""
    away = np.linalg.norm(run.T[:, :3, 3] - run.T_ref[:, :3, 3], axis=1)
    turn = Rotation.from_matrix(run.T[:, :3, :3] @ run.T_ref[:, :3, :3].transpose(0, 2, 1)).magnitude()
    return away, turn


def torque_change_with_radius(radii: tuple[float, float] = (0.001, 0.2), count: int = 200) -> float:
    """Largest change of MuJoCo's inverse-dynamics torque between two link radii [N·m]."""
    states = np.random.default_rng(5).uniform(-3, 3, (count, 3, 6))
    torques = [_mujoco_torque(radius, states) for radius in radii]
    return float(np.abs(torques[0] - torques[1]).max())


def _mujoco_torque(radius: float, states: np.ndarray) -> np.ndarray:
    model = mujoco.MjModel.from_xml_string(mjcf_text(arm(), radius=radius))
    data, torques = mujoco.MjData(model), []
    for q, qd, qdd in states:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        torques.append(data.qfrc_inverse.copy())
    return np.array(torques)


def rows() -> list[Row]:
    """Claims of section V, and the one of IV.D on the links' radius."""
    return [*_error_rows(follow()), *_tool_rows(follow())]


def _error_rows(run: Followed) -> list[Row]:
    fitted, exact, settled = fitted_poles(run), np.array(poles()), settling_time(run)
    away, held = largest_difference(run), largest_difference(follow(hold=True))
    return [
        judged(
            "V",
            "poles of the error for K_P = K_D = 10",
            "-1.127, -8.873 1/s",
            f"{fitted[0]:.3f}, {fitted[1]:.3f} 1/s, fitted to the error on MuJoCo's arm",
            bool(np.all(np.abs(fitted / exact - 1) < 0.01)),
            "follow from (12); the document does not print them",
            TESTS + "test_poles_of_the_error_on_mujoco",
        ),
        judged(
            "V",
            "the error falls below 1 %",
            "after about 4.2 s, by (12)",
            f"after {settled:.2f} s",
            abs(settled - SETTLED) < 0.05,
            "",
            TESTS + "test_error_below_one_percent",
        ),
        judged(
            "V (12)",
            "with the right model the error obeys ë + K_D ė + K_P e = 0",
            "nonlinear terms eliminated",
            f"differs from the analytic solution by at most {away:.0e} of the first error",
            away < 1e-6,
            f"{100 * held:.1f} % with a torque held for 1 ms, as a computer would: the reference moves on",
            TESTS + "test_error_is_the_analytic_one",
        ),
    ]


def _tool_rows(run: Followed) -> list[Row]:
    away, turn = pose_errors(run)
    late, value, change = run.time > SETTLED, smallest_singular_value(), torque_change_with_radius()
    end = run.time > DURATION - 1
    return [
        judged(
            "V",
            "the profile is free of singularities",
            "singular free, in the workspace",
            f"smallest singular value of J along ours {value:.3f} (metres)",
            value > 0.05,
            "the document's profile is lost",
            TESTS + "test_profile_is_regular",
        ),
        judged(
            "V, figure 11",
            "position and orientation are tracked",
            "tracked, states stable",
            f"errors {1e3 * away[0]:.0f} mm, {np.degrees(turn[0]):.0f}° at first, at most "
            f"{1e3 * away[late].max():.1f} mm, {np.degrees(turn[late].max()):.2f}° after 4.2 s, "
            f"{1e3 * away[end].max():.4f} mm, {np.degrees(turn[end].max()):.4f}° in the last second",
            bool(away[end].max() < 1e-4 and turn[end].max() < 1e-3),
            "",
            TESTS + "test_tool_follows_the_profile",
        ),
        judged(
            "IV.D",
            "the links' radius has no effect on the dynamics",
            "no significant effect",
            f"radius 1 mm or 200 mm: torques differ by {change:.0e} N·m",
            change == 0.0,
            "shapes are for looking; bodies state their own inertia",
            "tests/dynamics/test_mjcf.py::test_radius_changes_no_torque",
        ),
    ]


def draw(folder: Path) -> list[Path]:
    """Figures 10 and 11, and the error beside the solution of (12)."""
    folder.mkdir(parents=True, exist_ok=True)
    run, written = follow(), []
    with paper_style():
        for name, make in (
            ("figure_10_arm", picture_figure),
            ("figure_11_tracking", tracking_figure),
            ("equation_12_error", error_figure),
        ):
            written.append(folder / f"{name}.png")
            make(run).savefig(written[-1])
    return written
