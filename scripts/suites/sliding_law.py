"""How well the law of the suite ``sliding_law`` keeps its force, judged from 1 s after the first touch on."""

import numpy as np

from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.surfaces import felt_normal
from hopfield_nav.plugin import Measures

CENTER, FORCE, SETTLED = np.array([0.2663, 0.0130]), 10.0, 1.0  # [m], [N], [s]
COLUMNS = {
    "warned": "1", "force_error_rms_N": "N", "contact_lost": "1", "angle_median_deg": "1",
    "angle_max_deg": "1", "speed_mm_s": "1",
}  # fmt: skip
MEASURES = Measures(lambda run: {name: run.summary[name] for name in COLUMNS}, COLUMNS)


def slide(world, seed):
    """A row of true force, place and believed normal, each millisecond."""
    simulation, rows, touched = Simulation(world, seed), [], np.inf
    while simulation.outcome is None:
        simulation.step(0.001)
        touched = min(touched, simulation.time) if simulation.force.any() else touched
        place, normal = (
            simulation.controller.work.tool[:2, 3],
            felt_normal(simulation.controller.law)[1][:2],
        )
        if simulation.time > touched + SETTLED:
            rows.append([*simulation.force[:2], *place, *(normal / np.linalg.norm(normal))])
    return {
        "outcome": simulation.outcome,
        **how_it_slid(np.array(rows).reshape(-1, 6), simulation.warnings),
    }


def how_it_slid(rows, warnings):
    """What force (2), place (2) and normal (2) of every millisecond come to."""
    off = rows[:, 2:4] - CENTER
    normal = off / np.linalg.norm(off, axis=1)[:, None]
    across = np.einsum("ki,ki->k", rows[:, :2], normal)
    angle = np.degrees(np.arccos(np.clip(np.einsum("ki,ki->k", rows[:, 4:6], normal), -1.0, 1.0)))
    way = np.linalg.norm(np.diff(rows[:, 2:4], axis=0), axis=1).sum()
    return {
        "warned": int(any("joint friction hides" in words for words in warnings)),
        "force_error_rms_N": float(np.sqrt(np.mean((across - FORCE) ** 2))),
        "contact_lost": float(np.mean(~rows[:, :2].any(axis=1))),
        "angle_median_deg": float(np.median(angle)),
        "angle_max_deg": float(angle.max()),
        "speed_mm_s": float(1e6 * way / len(rows)),
    }
