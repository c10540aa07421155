"""How soon a second obstacle is felt that is put behind a tool which retreats from a first one."""

import numpy as np

from dynamics import jacobian
from hopfield_nav.experiment import Simulation
from hopfield_nav.geometry import capsule_distance, upright_cylinder
from hopfield_nav.plugin import Measures
from hopfield_nav.world.obstacles import Obstacle

# [m/s] of the tool against its first motion: so fast is the reference when the obstacle appears
BACK = 0.02
AHEAD = (0.001, 0.004)  # [m] between it and the tool then
RADIUS = 0.03  # [m]
WAIT = 0.5  # [s] that it is waited for
MEASURES = Measures(lambda run: {"delay_s": run.summary["delay_s"]}, {"delay_s": "s"})


def second(world, seed):
    """A row of ``delay``."""
    return {"delay_s": delay(world, np.random.default_rng(seed), seed)}


def delay(world, generator, seed=None):
    """From the second touch to its alarm [s]; infinite where none came, None without a touch."""
    first = {
        "cylinder": {"center": [0.4, round(generator.uniform(-0.12, -0.06), 4)], "radius": 0.05}
    }
    both = [first, {"cylinder": {"center": [2, 2], "radius": RADIUS}}]
    simulation = Simulation(
        world.with_changes(obstacles=tuple(map(Obstacle.model_validate, both))), seed
    )
    _go_on(simulation, lambda: not simulation.detections, 0.01)
    before = wanted_velocity(simulation)
    _go_on(
        simulation,
        lambda: wanted_velocity(simulation) @ before > -BACK * np.linalg.norm(before),
        0.005,
    )
    if simulation.outcome is not None:
        return None
    put_behind(simulation, generator.uniform(*AHEAD))
    count, begun = len(simulation.detections), simulation.time
    _go_on(
        simulation,
        lambda: len(simulation.detections) == count and simulation.time < begun + WAIT,
        0.005,
    )
    data = simulation.record().data
    since = data.time.values > begun
    place = data.tool_position.values[since]
    lines = np.column_stack([place, place, np.zeros(len(place))])
    inside = capsule_distance(lines, simulation.plant.contact.solids[1:])[:, 0] < 0.0
    if not inside.any():
        return None
    found = simulation.detections[count:]
    return found[0].time - float(data.time.values[since][np.argmax(inside)]) if found else np.inf


def _go_on(simulation, while_, slice_):
    while simulation.outcome is None and while_():
        simulation.step(slice_)


def wanted_velocity(simulation):
    """(3,) of the reference's tool point [m/s]."""
    sensed = simulation.state.control.sensed
    return (jacobian(simulation.arm, sensed.q_ref) @ sensed.qd_ref)[:3]


def put_behind(simulation, distance):
    """Put the second obstacle so far [m] behind the tool, where its reference leads."""
    velocity, tool = wanted_velocity(simulation)[:2], simulation.state.truth.tool[:2]
    contact = simulation.plant.contact
    centre = tool + (RADIUS + distance) * velocity / np.linalg.norm(velocity)
    contact.solids[1] = upright_cylinder(centre, RADIUS)
    contact.free[:] = -1.0
