"""Random boxes on the map of over_the_wall, some of which overlap, for the suite ``space``."""

from functools import partial

import numpy as np

from hopfield_nav.world.obstacles import Obstacle

ROOM = 0.07  # [m] kept free around start and goal
START, GOAL = np.array([0.203, 0.039, 0.0]), np.array([0.56, 0.02, 0.0])  # [m]


def boxes(world, seed, count):
    """The world with so many boxes, drawn from the seed."""
    generator, found = np.random.default_rng(seed), []
    while len(found) < count:
        centre = generator.uniform([0.26, -0.24, -0.04], [0.52, 0.26, 0.14])
        size = generator.uniform(0.04, 0.12, 3)
        gaps = [np.maximum(np.abs(place - centre) - size / 2, 0.0) for place in (START, GOAL)]
        if min(float(np.linalg.norm(gap)) for gap in gaps) > ROOM:
            box = {"center": centre.round(4).tolist(), "size": size.round(4).tolist()}
            found.append(Obstacle.model_validate({"box": box}))
    return world.with_changes(obstacles=tuple(found))


BOXES, MANY_BOXES = partial(boxes, count=12), partial(boxes, count=40)
