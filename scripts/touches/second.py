"""What is met on the way back: how soon a second obstacle is felt while the arm retreats from the first."""

from __future__ import annotations

import numpy as np

from dynamics import jacobian
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.geometry import capsule_distance, upright_cylinder

BACK = 0.02  # [m/s] of the tool against its first motion: so fast is the reference when the obstacle appears
AHEAD = (0.001, 0.004)  # [m] between it and the tool then
RADIUS = 0.03  # [m]
SOON = 0.03  # [s] within which it is to be felt
WAIT = 0.5  # [s] that it is waited for


def delay_of_second(generator: np.random.Generator, change: list[str]) -> float:
    """From the first touch of an obstacle that is put behind a retreating tool to the alarm [s].

    Args:
        generator: of the first obstacle's place, and of the second's beside the retreat.
        change: of the world.

    Returns:
        Infinite where no alarm came within 0.5 s of the touch; NaN where nothing was touched.
    """
    first = f"{{cylinder: {{center: [0.4, {generator.uniform(-0.12, -0.06):.4f}], radius: 0.05}}}}"
    obstacles = f"obstacles=[{first}, {{cylinder: {{center: [2, 2], radius: {RADIUS}}}}}]"
    simulation = Simulation(load_world("empty", [obstacles, *change]))
    while simulation.outcome is None and not simulation.detections:
        simulation.step(0.01)
    before = wanted_velocity(simulation)
    while simulation.outcome is None and wanted_velocity(simulation) @ before > -BACK * np.linalg.norm(
        before
    ):
        simulation.step(0.005)
    if simulation.outcome is not None:
        return np.nan
    put_behind(simulation, generator.uniform(*AHEAD))
    count, begun = len(simulation.detections), simulation.time
    while (
        simulation.outcome is None and len(simulation.detections) == count and simulation.time < begun + WAIT
    ):
        simulation.step(0.005)
    data = simulation.record().data
    place = data.tool_position.values[data.time.values > begun]
    lines = np.column_stack([place, place, np.zeros(len(place))])
    inside = capsule_distance(lines, simulation.plant.contact.solids[1:])[:, 0] < 0.0
    if not inside.any():
        return np.nan
    touched = float(data.time.values[data.time.values > begun][np.argmax(inside)])
    found = simulation.detections[count:]
    return found[0].time - touched if found else np.inf


def wanted_velocity(simulation: Simulation) -> np.ndarray:
    """(3,) of the reference's tool point [m/s]."""
    sensed = simulation.state.control.sensed
    return (jacobian(simulation.arm, sensed.q_ref) @ sensed.qd_ref)[:3]


def put_behind(simulation: Simulation, distance: float) -> None:
    """Put the second obstacle so far [m] behind the tool, where its reference leads."""
    velocity, tool = wanted_velocity(simulation)[:2], simulation.state.truth.tool[:2]
    contact = simulation.plant.contact
    centre = tool + (RADIUS + distance) * velocity / np.linalg.norm(velocity)
    contact.solids[1] = upright_cylinder(centre, RADIUS)
    contact.free[:] = -1.0
