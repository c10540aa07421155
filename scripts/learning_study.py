"""What an arm gains that learns itself: its model on recordings, and what learning costs.

python scripts/learning_study.py --out docs/lab/imperfections.md

On recordings of a real UR5 the model is learnt from windows of 0.2 s of one run, look by look, and
judged by its torque on another one. What its touches gain is in the suites ``learning`` and
``second`` of ``scripts/suites``.
"""

from itertools import permutations
from pathlib import Path

import numpy as np
import typer
from measured_part import table, tell
from recorded_runs import recording
from reproduction import processor_times

from dynamics import Arm, inverse_dynamics, load_arm
from dynamics.identification import base_parameters, base_regressor, ordinary
from hopfield_nav import load_world
from hopfield_nav.control import WINDOW
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.self_model import LinkLearning, Windows
from hopfield_nav.extensions.self_model.learner import LOOK_EVERY

RUNS = ("no1", "no8", "no5_free")
# of 8 ms in a window that is learnt from, and in one that is judged or fitted offline
SAMPLES, FEW = (25, 6)
LONGEST = 0.02  # [s] a sample: no1 lacks two of every four
# windows of a look; nothing touches the arm in the first, as in a wiggle
FREE = round(LOOK_EVERY / WINDOW)
OTHERS = {"masses 10 % too large": "ur5_controller", "those of ur5_kebria2016": "ur5_kebria2016"}
TIMES = 5  # of which the fastest counts


def windows_of(run: str, samples: int = FEW) -> Windows:
    """Means over windows of so many samples: the motion that was wanted, the torque of its own model."""
    data = recording(run)
    cut = len(data.time) // samples * samples
    good = np.ptp(data.time.values[:cut].reshape(-1, samples), axis=1) < LONGEST * samples
    signals = (getattr(data, name).values[:cut] for name in ("q_ref", "qd_ref", "qdd_ref", "tau"))
    means = [signal.reshape(-1, samples, 6).mean(axis=1)[good] for signal in signals]
    still = np.zeros_like(means[0])
    return Windows(*means, still, still, still)


def left(arm: Arm, test: Windows) -> float:
    """Root mean square error of an arm's torque [N·m]."""
    return float(
        np.sqrt(np.mean((inverse_dynamics(arm, test.q, test.qd, test.qdd) - test.tau) ** 2))
    )


def offline(arm: Arm, train: Windows, test: Windows) -> float:
    """The same of base parameters by least squares over all of the training run, rotors known."""
    base = base_parameters(arm)
    Y, held = (base_regressor(arm, base, w.q, w.qd, w.qdd) for w in (train, test))
    rotors, others = (w.tau - arm.rotor_inertia * w.qdd for w in (train, test))
    return float(np.sqrt(np.mean((held @ ordinary(Y, rotors) - others) ** 2)))


def recordings() -> str:
    """Each run learnt, each other one predicted."""
    rows = []
    for words, name in OTHERS.items():
        arm, true = load_arm(name), load_arm("ur5_controller")
        arm = arm._replace(rotor_inertia=true.rotor_inertia)
        if name == "ur5_controller":
            arm = arm._replace(mass=1.1 * arm.mass, inertia=1.1 * arm.inertia)
        for learnt, held in permutations(RUNS, 2):
            train, test, learning = windows_of(learnt, SAMPLES), windows_of(held), LinkLearning(arm)
            for begin in range(0, len(train.q), FREE):
                if begin:
                    learning.drift(LOOK_EVERY)
                learning.learn(Windows._make(signal[begin : begin + FREE] for signal in train))
            errors = (
                left(arm, test),
                left(learning.model(), test),
                offline(arm, windows_of(learnt), test),
            )
            rows.append((words, f"`{learnt}`", f"`{held}`", *(f"{e:.3f}" for e in errors)))
    head = (
        "believed before",
        "learnt on",
        "judged on",
        "before [N·m]",
        "learnt [N·m]",
        "offline fit [N·m]",
    )
    return table(head, rows)


def cost() -> str:
    """Time of whole runs with learning, as a share of that without, for one simulated second."""
    rows = []
    real = [
        "plant={dynamics: ur5_full, friction: arm, presliding: 2.0e4}",
        "controller.model=ur5_full",
    ]
    for words, change in (("default", []), ("`ur5_full` with friction and presliding", real)):
        seconds = {}
        for learn in ("false", "true"):
            slow = "trajectory.time_per_cell=3"  # so that most of the time it moves
            world = load_world(
                "empty", [*change, slow, f"controller.learn={learn}", "record.signals=none"]
            )
            runs = [Simulation(world) for _ in range(TIMES)]
            walls = [(processor_times(one.run, 1)[0], one.time) for one in runs]
            seconds[learn] = min(spent / simulated for spent, simulated in walls)
        ratio = f"{seconds['true'] / seconds['false']:.2f}"
        rows.append((words, *(f"{1e3 * s:.2f} ms" for s in seconds.values()), ratio))
    return table(("", "without", "with learning", "ratio"), rows)


def main(out: Path | None = None) -> None:
    """Print the tables, and write them to a page."""
    parts = {"Recordings of a real arm": recordings(), "Cost of a simulated second": cost()}
    tell("\n\n".join(f"### {title}\n\n{part}" for title, part in parts.items()), out, "learning")


if __name__ == "__main__":
    typer.run(main)
