"""Which steps are proven free of what is known, and which sweep through likely places: all is remembered."""

import numpy as np

from dynamics import Arm
from hopfield_nav.clearance import Scene, build_scene, motion_is_free
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.navigation.map import Step

BALL = 0.01  # [m] radius of what a likely place is while steps are checked
Place = tuple[float, float, float]  # base axes [m]


class StepChecks:
    """Checks the motions of the arm of a scene."""

    def __init__(self, arm: Arm, scene: Scene) -> None:
        self._arm, self._scene = arm, scene
        self.barred: set[Step] = set()  # steps that touch what is known on the way
        self._balls: dict[frozenset[Place], Scene] = {}
        self._hits: dict[Step | None, set[Place]] = {}
        self._asked: dict[Step | None, set[Place]] = {}  # places with which a step was compared

    def are_free(self, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(k,) bool: whether the lines between joint angles (k, n) [rad] touch nothing known."""
        return motion_is_free(self._arm, self._scene, begin, end)

    def sweep(self, places: set[Place], begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(k,) bool: whether the lines between joint angles (k, n) [rad] sweep through one of the places."""
        key = frozenset(places)
        if key not in self._balls:
            balls = pack_primitives([sphere(np.array(place), BALL) for place in sorted(places)])
            self._balls[key] = build_scene(self._arm, balls)
        return ~motion_is_free(self._arm, self._balls[key], begin, end)

    def through(self, likely: set[Place]) -> set[Step]:
        """The steps of which it is known that they sweep through a likely place."""
        return {step for step, hit in self._hits.items() if step is not None and hit & likely}

    def touching(
        self, rows: np.ndarray, steps: list[Step | None], driven: set[Step], likely: set[Place]
    ) -> set[Step | None]:
        """Which steps between waypoints (k + 1, n) touch what is known, or sweep through a likely place.

        None stands for a last leg; what was ``driven`` sweeps through nothing.
        """
        bad = {steps[k] for k in np.flatnonzero(~self.are_free(rows[:-1], rows[1:]))}
        self.barred |= {step for step in bad if step is not None}
        self._note_swept(rows, steps, likely)
        return bad | {step for step in steps if step not in driven and self._hits.get(step, set()) & likely}

    def _note_swept(self, rows: np.ndarray, steps: list[Step | None], likely: set[Place]) -> None:
        """Note which steps sweep through which likely places, of those of which that is not known."""
        self._hits.pop(None, None)  # the last leg is another one every time
        new = np.array([k for k, s in enumerate(steps) if s is None or not likely <= self._asked.get(s, set())], int)
        if not likely or not len(new):
            return
        swept = new[self.sweep(likely, rows[new], rows[new + 1])]
        for k in new:
            self._asked.setdefault(steps[k], set()).update(likely)
        for place in likely if len(swept) else ():
            for k in swept[self.sweep({place}, rows[swept], rows[swept + 1])]:
                self._hits.setdefault(steps[k], set()).add(place)
