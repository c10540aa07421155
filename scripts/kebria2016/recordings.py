"""The claim of accuracy, against recordings of a real UR5."""

from ledger import Rows, judged
from recorded_runs import MOVING, NO_ROTORS, STANDSTILL, residual, residuals, sets

from dynamics import load_arm


def rows() -> Rows:
    kebria, kufieta = load_arm("ur5_kebria2016"), sets()[NO_ROTORS]
    still, known = residual(kebria, STANDSTILL), residual(kufieta, STANDSTILL)
    moving, same = residuals(kebria, MOVING).max(), residuals(kufieta, MOVING).max()
    rotors = residuals(load_arm("ur5_controller"), MOVING).max()
    ours = (
        f"standing still joints 2, 3 are {still[1]:.2f}, {still[2]:.2f} N·m rms off "
        f"the torque that a UR5's controller computes; Kufieta's {known[1]:.3f}, {known[2]:.3f} N·m"
    )
    better = bool(still.max() <= known.max())
    yield judged(
        "kebria2016.most_accurate_model", ours, better, moving=moving, same=same, rotors=rotors
    )
