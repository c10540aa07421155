"""Do the 95 % intervals of an identification cover the truth? 200 repeated noisy experiments.

Run with ``python scripts/identification_coverage.py [repeats]``: about 3 minutes on 2 cores. A UR5e with
rotors and friction, an optimised Fourier trajectory, noise on torques and angles.
"""

from __future__ import annotations

import sys

import numpy as np

from dynamics import Arm, load_arm
from dynamics.identification import Coverage, Experiment, FourierTrajectory, coverage, excite, limits_of

ROTORS = [1.9, 1.9, 1.9, 0.16, 0.16, 0.16]  # [kg·m²] as the UR5's controller has them
COULOMB = [5.0, 6.0, 4.0, 1.5, 1.2, 1.0]  # [N·m]
VISCOUS = [8.0, 9.0, 6.0, 2.0, 1.5, 1.2]  # [N·m·s/rad]
TORQUE_NOISE = [1.0, 1.0, 1.0, 0.2, 0.2, 0.2]  # [N·m] a sample, white
ANGLE_NOISE = 5e-6  # [rad] a sample, white


def the_arm() -> Arm:
    """A UR5e with rotors."""
    return load_arm("ur5e")._replace(rotor_inertia=np.array(ROTORS))


def the_trajectory(arm: Arm, iterations: int = 15) -> FourierTrajectory:
    """An optimised trajectory of 10 s at half the arm's speed."""
    rng = np.random.default_rng(0)
    return excite(arm, limits_of(arm, 0.5), rng, period=10.0, iterations=iterations).trajectory


def experiment(motion: FourierTrajectory | None = None) -> Experiment:
    """The experiment that is repeated, along its optimised trajectory unless another is given."""
    arm = the_arm()
    friction = np.column_stack([COULOMB, VISCOUS])
    return Experiment(arm, motion or the_trajectory(arm), friction, np.array(TORQUE_NOISE), ANGLE_NOISE)


def report(found: Coverage) -> str:
    """Pooled shares, and every unknown out of bounds with its bias."""
    low, high = found.pooled_interval()
    shares = found.inside.mean(axis=0)
    rows = [
        f"{len(found.inside)} experiments, {len(found.names)} unknowns",
        f"pooled coverage {found.pooled:.2%} (95 % interval {low:.2%} to {high:.2%})",
        f"taking the residual as white {found.white_inside.mean():.2%}",
        f"single unknowns from {shares.min():.1%} to {shares.max():.1%}",
    ]
    rows += [
        f"{name}: {share:.1%}, bias {bias:+.2f} deviations"
        for name, (share, bias) in found.outliers().items()
    ]
    return "\n".join(rows)


def main() -> None:
    """Print the shares."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(report(coverage(experiment(), repeats, np.random.default_rng(1))))


if __name__ == "__main__":
    main()
