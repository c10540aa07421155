"""Section 5.2: a force from the joint error with the mass matrix, and with a constant for each joint.

Random wrenches press on the tool at random poses until the loop rests. From the joint error that is
left the wrench is estimated with M(q), as the document does, and with the best constants, fitted by
least squares to contacts at other poses.
"""

from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from measured_part import table
from reproduction import picture, pictures_of

from dynamics import jacobian, load_arm, mass_matrix
from hopfield_nav.control.constant_gains import fit_gain, sample_contacts, settled_error
from hopfield_nav.figures import COLOURS

ARMS = {"ur5_ragazzon2012": "without rotors", "ur5_controller": "with rotors"}
OMEGA = np.array([22.5, 22.5, 37.5, 60, 67.5, 75])  # [rad/s] of the document
START_POSE = (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905)  # [rad] of chapter 7
CONTACTS, SPREAD = 2000, 0.5  # half of them to fit; [rad] about the start pose
COLOUR = {"M(q)": COLOURS.goal, "constants": COLOURS.planned}


@cache
def errors(name: str) -> dict[str, np.ndarray]:
    """The error (k,) of a force with M(q) and with constants, as a share of it, at poses that no fit has seen."""
    arm = load_arm(name)
    q, wrench = sample_contacts(arm, CONTACTS, SPREAD, START_POSE)
    seen, fresh = np.split(np.arange(CONTACTS), 2)
    gain = np.maximum(fit_gain(arm, q[seen], wrench[seen], OMEGA), 0.0)
    q, wrench = q[fresh], wrench[fresh]
    rest = settled_error(arm, q, wrench, OMEGA)
    torques = {
        "M(q)": np.einsum("kij,kj->ki", mass_matrix(arm, q), OMEGA**2 * rest),
        "constants": gain * rest,
    }
    down = jacobian(arm, q).transpose(0, 2, 1)
    found = {
        kind: np.linalg.solve(down, torque[..., None])[..., 0] for kind, torque in torques.items()
    }
    size = np.linalg.norm(wrench[:, :3], axis=1)
    return {
        kind: np.linalg.norm((estimate - wrench)[:, :3], axis=1) / size
        for kind, estimate in found.items()
    }


def error_table() -> str:
    """Markdown: median and nine in ten of the force's error, a row an arm and estimate."""
    rows = [
        [
            f"`{name}`, {rotors}",
            kind,
            *(f"{share:.0f} %" for share in np.percentile(100 * shares, [50, 90])),
        ]
        for name, rotors in ARMS.items()
        for kind, shares in errors(name).items()
    ]
    return table(["arm", "estimate with", "error of the force, median", "nine in ten below"], rows)


@picture("mass_matrix", 3.4, 2.4)
def shares_below(figure: Figure, ax: Axes) -> None:
    """Share of the contacts below an error."""
    for (name, rotors), dash in zip(ARMS.items(), ("-", "--"), strict=True):
        for kind, shares in errors(name).items():
            # the other line at 0
            below = {"lw": 3.0, "alpha": 0.35} if dash == "-" and kind == "M(q)" else {}
            how = {"ls": dash, "color": COLOUR[kind], "label": f"{kind}, {rotors}", **below}
            ax.plot(100 * np.sort(shares), np.linspace(0, 1, len(shares)), **how)
    ax.set(
        xlabel="error of the force [%]", ylabel="share of contacts", xlim=(-3, 150), ylim=(0, 1.02)
    )
    ax.legend(loc="lower right")


draw = pictures_of(__name__)
