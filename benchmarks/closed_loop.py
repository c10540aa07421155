"""The closed loop of the main experiment against the same loop written with Pinocchio and with MuJoCo.

Run with ``python benchmarks/closed_loop.py``; needs ``pip install hopfield-nav[test]``. The task:
the first trajectory of ``ragazzon2012`` at 1 ms, through the first contact and on, pressed against
the cylinders (the detector listens but never fires), with inverse-dynamics control, contact, force
estimate and logging. Peers get the reference as a table for nothing and are called from a Python
loop, as their users do. All three must end at the same tool position. Runs alternate in one
process; the table gives medians in simulated seconds a second, and ratios to ours.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))
from oracles import mujoco_model, pinocchio_model
from timing import asked, table, tell

from dynamics import forward_kinematics
from hopfield_nav import Simulation, load_world
from hopfield_nav.build import endless_cylinders
from hopfield_nav.loop import evaluate

DURATION, STEP, REPEATS = 5.0, 0.001, 5
NO_ALARM = ["detection.threshold=1e6"]


def our_simulation(integrator: str) -> Simulation:
    """The task as a world; 5 s long, a detector that never fires."""
    return Simulation(load_world("ragazzon2012", [*NO_ALARM, f"plant.integrator={integrator}"]))


class Peer:
    """What the two loops in Python share: reference, gains, contact, log, and RK4 over ``accelerate``."""

    def __init__(self, simulation: Simulation, integrator: str) -> None:
        self.integrate = self.rk4 if integrator == "rk4" else self.semi_implicit_euler
        self.plant, self.omega = simulation.plant, simulation.controller.law.parameters[:6]
        cylinders = endless_cylinders(simulation.world)
        self.centres, self.radii = cylinders[:, :2], cylinders[:, 2]
        count = round(DURATION / STEP)
        self.reference = [evaluate(simulation.trajectory, k * STEP) for k in range(count)]
        self.start = np.array(simulation.world.start.joints)
        self.log = np.zeros((count, 45))

    def contact(self, p: np.ndarray) -> np.ndarray | None:
        """Force of all cylinders on a tool at p, or None."""
        away = p[:2] - self.centres
        squared = (away * away).sum(axis=1)
        inside = squared < self.radii**2
        if not inside.any():
            return None
        distance = np.sqrt(squared[inside])
        depth = self.radii[inside] - distance
        force = (self.plant.contact.law.stiffness * depth / distance) @ away[inside]
        return np.array([force[0], force[1], 0.0])

    def run(self) -> np.ndarray:
        """Simulate; returns the joint angles at the end."""
        q, qd = self.start.copy(), np.zeros(len(self.start))
        for k, (q_ref, qd_ref, qdd_ref) in enumerate(self.reference):
            error, acceleration = q - q_ref, self.omega**2 * (q - q_ref)
            wrench = self.estimate(q, acceleration)
            tau = self.inverse(q, qd, qdd_ref - acceleration - 2 * self.omega * (qd - qd_ref))
            a1, force = self.accelerate(q, qd, tau)
            self.log[k] = np.concatenate([q, qd, q_ref, qd_ref, error, tau, force, wrench])
            q, qd = self.integrate(q, qd, tau, a1)
        return q

    def rk4(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, a1: np.ndarray) -> tuple:
        v2 = qd + STEP / 2 * a1
        a2, _ = self.accelerate(q + STEP / 2 * qd, v2, tau)
        v3 = qd + STEP / 2 * a2
        a3, _ = self.accelerate(q + STEP / 2 * v2, v3, tau)
        v4 = qd + STEP * a3
        a4, _ = self.accelerate(q + STEP * v3, v4, tau)
        return q + STEP / 6 * (qd + 2 * v2 + 2 * v3 + v4), qd + STEP / 6 * (
            a1 + 2 * a2 + 2 * a3 + a4
        )

    def semi_implicit_euler(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, a1: np.ndarray
    ) -> tuple:
        qd = qd + STEP * a1
        return q + STEP * qd, qd


class PinocchioLoop(Peer):
    """Pinocchio: rnea, aba, frame Jacobians."""

    def __init__(self, simulation: Simulation, integrator: str) -> None:
        super().__init__(simulation, integrator)
        self.model, self.data = pinocchio_model(self.plant.arm)
        self.tool, self.zero = self.model.getFrameId("tool"), np.zeros(6)
        self.weightless, self.other = pinocchio_model(self.plant.arm._replace(gravity=np.zeros(3)))

    def inverse(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return pin.rnea(self.model, self.data, q, qd, qdd)

    def estimate(self, q: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        torque = pin.rnea(self.weightless, self.other, q, self.zero, acceleration)
        return np.linalg.solve(self._jacobian(q).T, torque)

    def accelerate(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        pin.framesForwardKinematics(self.model, self.data, q)
        force = self.contact(self.data.oMf[self.tool].translation)
        if force is None:
            return pin.aba(self.model, self.data, q, qd, tau), self.zero[:3]
        return pin.aba(self.model, self.data, q, qd, tau + self._jacobian(q)[:3].T @ force), force

    def _jacobian(self, q: np.ndarray) -> np.ndarray:
        return pin.computeFrameJacobian(
            self.model, self.data, q, self.tool, pin.LOCAL_WORLD_ALIGNED
        )


class MujocoLoop(Peer):
    """MuJoCo: mj_forward in every stage, mj_mulM for the control law and the estimate."""

    def __init__(self, simulation: Simulation, integrator: str) -> None:
        super().__init__(simulation, integrator)
        self.model, self.data = mujoco_model(self.plant.arm)
        self.linear, self.angular, self.product = np.zeros((3, 6)), np.zeros((3, 6)), np.zeros(6)

    def estimate(self, q: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        self.data.qpos[:] = q
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_mulM(self.model, self.data, self.product, acceleration)
        mujoco.mj_jacSite(self.model, self.data, self.linear, self.angular, 0)
        return np.linalg.solve(np.vstack([self.linear, self.angular]).T, self.product)

    def inverse(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        self.data.qvel[:] = qd  # positions are those of the estimate
        mujoco.mj_fwdVelocity(self.model, self.data)
        mujoco.mj_mulM(self.model, self.data, self.product, qdd)
        return self.product + self.data.qfrc_bias

    def accelerate(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        data = self.data
        data.qpos[:], data.qvel[:] = q, qd
        mujoco.mj_fwdPosition(self.model, data)
        force = self.contact(data.site_xpos[0])
        data.qfrc_applied[:] = tau
        if force is not None:
            mujoco.mj_jacSite(self.model, data, self.linear, self.angular, 0)
            data.qfrc_applied += self.linear.T @ force
        mujoco.mj_fwdVelocity(self.model, data)
        mujoco.mj_fwdActuation(self.model, data)
        mujoco.mj_fwdAcceleration(self.model, data)
        return data.qacc_smooth.copy(), np.zeros(3) if force is None else force


def ours(simulation: Simulation) -> np.ndarray:
    """Run our loop from a fresh start; returns the joint angles at the end."""
    simulation.step(DURATION)
    return simulation.state.q.copy()


def timed(
    prepare: Callable[[], object], run: Callable[[object], np.ndarray]
) -> tuple[float, np.ndarray]:
    """Simulated seconds a second of one run, and where it ended."""
    thing = prepare()
    started = time.perf_counter()
    end = run(thing)
    return DURATION / (time.perf_counter() - started), end


def fresh(simulation: Simulation) -> Simulation:
    """The simulation, reset: building it is not part of the loop."""
    simulation.reset()
    return simulation


def main() -> None:
    """Print the table, a column for each integrator."""
    out = asked(__doc__)
    columns = [compare(integrator) for integrator in ("rk4", "semi_implicit_euler")]
    first, *peers = columns[0]
    rows = [[first, *(f"{column[first]:.0f}" for column in columns)]]
    for name in peers:
        slower = [column[first] / column[name] for column in columns]
        words = (f"({slower[0]:.0f}× slower)", f"({slower[1]:.0f}×)")
        rows.append([name, *(f"{c[name]:.0f} {w}" for c, w in zip(columns, words, strict=True))])
    head = ["loop", "RK4, simulated s a second", "semi-implicit Euler"]
    tell(table(head, rows), out, "closed_loop")


def compare(integrator: str) -> dict[str, float]:
    """Alternating runs of the three loops with one integrator: simulated seconds a second, medians."""
    simulation = our_simulation(integrator)
    pinocchio, mujoco_loop = (
        PinocchioLoop(simulation, integrator),
        MujocoLoop(simulation, integrator),
    )
    loops: dict[str, Callable[[], tuple[float, np.ndarray]]] = {
        "hopfield-nav": lambda: timed(lambda: fresh(simulation), ours),
        "the same loop with Pinocchio from Python": lambda: timed(lambda: pinocchio, Peer.run),
        "the same loop with MuJoCo from Python": lambda: timed(lambda: mujoco_loop, Peer.run),
    }
    results: dict[str, list[tuple[float, np.ndarray]]] = {name: [] for name in loops}
    for _ in range(REPEATS):
        for name, loop in loops.items():
            results[name].append(loop())
    reference = forward_kinematics(simulation.arm, results["hopfield-nav"][0][1])[:3, 3]
    for name, runs in results.items():
        apart = np.linalg.norm(forward_kinematics(simulation.arm, runs[0][1])[:3, 3] - reference)
        print(f"{integrator}, {name}: the tool ends {apart:.1e} m from ours")
    return {name: statistics.median(speed for speed, _ in runs) for name, runs in results.items()}


if __name__ == "__main__":
    main()
