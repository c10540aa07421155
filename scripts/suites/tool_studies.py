"""What the studies of the tool draw and believe beforehand, besides what the suites that come along do."""

import numpy as np

from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.bench.suites.tool import BOXES, MANY_BOXES, MEASURES, watched, with_obstacles
from hopfield_nav.extensions.surfaces import Follow

__all__ = ["BOXES", "MANY_BOXES", "MEASURES", "gap", "slow", "walls", "watched"]
PLANE = np.array([0.20, 0.04]), np.array([0.60, -0.09])  # start and goal on the document's map [m]
WALL_COUNT, THIN, KEPT = 5, 0.012, 0.045  # number, radius [m], kept free around start and goal [m]


def slow(world, seed):
    """Segments along a surface that are shorter than a cell take as long as it, as those to a centre do."""
    simulation = watched(world, seed)
    if isinstance(simulation.navigator.response, Follow):
        simulation.navigator.response.least_time = 1.0
    return simulation


def walls(world, seed):
    """Five straight walls of any direction in the plane."""
    generator, found = np.random.default_rng(seed), []
    while len(found) < WALL_COUNT:
        middle, angle = generator.uniform([0.24, -0.2], [0.58, 0.2]), generator.uniform(0.0, np.pi)
        half = generator.uniform(0.04, 0.11) * np.array([np.cos(angle), np.sin(angle)])
        ends = middle - half, middle + half
        if min(_from_line(place, *ends) for place in PLANE) > KEPT:
            first, last = (end.round(4).tolist() for end in ends)
            found.append({"wall": {"from": first, "to": last, "radius": THIN}})
    return watched(with_obstacles(world, found), seed)


def gap(world, seed):
    """A wall with one gap of a cell, which is wrongly believed to be occupied."""
    generator = np.random.default_rng(seed)
    column, free = int(generator.integers(5, 14)), int(generator.integers(0, 20))
    x = round(0.1501 + 0.0263 * column, 4)
    places = [[x, round(-0.2499 + 0.0263 * k, 4)] for k in range(20) if k != free]
    wall = [{"cylinder": {"center": place, "radius": 0.02}} for place in places]
    simulation = Simulation(with_obstacles(world, wall), seed)
    simulation.navigator.beliefs.believe_occupied((column, free), float(generator.uniform(0.3, 0.95)))
    return simulation


def _from_line(place, begin, end):
    """Distance from a place (2,) to a line [m]."""
    along = end - begin
    share = np.clip((place - begin) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(place - begin - share * along))
