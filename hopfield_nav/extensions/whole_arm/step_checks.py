"""Which steps may be driven: proven free of what is known, and past likely places as far as a certainty is risked.

What was checked is remembered. What parts two free centres by something known parts others beside them as well, but
the network knows of such a step only once a path led over it: a thin wall would be met step by step, with a new path
each time. So the steps around one that touches are checked along with it, some in every round. They are closed for
what they are, and every path is the one that would be found without this.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene, build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.navigation.map import LIKELY, Step
from hopfield_nav.plugin import CollisionEvidence

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
            balls = pack_primitives([sphere(np.array(place), numbers.PLACE_RADIUS) for place in sorted(places)])
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


class Walls:
    """The known walls of a map with bool ``blocked`` cells, as far as ``checks`` have found them."""

    def __init__(self, checks: StepChecks, grid: JointGrid, blocked: np.ndarray) -> None:
        self._checks, self._grid, self._blocked = checks, grid, blocked
        self._seen, self._edge = set[int](), list[int]()  # numbers of steps; those whose neighbours are to be checked

    def grow(self, touching: set[Step], q: np.ndarray) -> set[Step]:
        """Other steps that touch, near these and those of earlier calls; ``q`` (n,) [rad] is for axes of one cell."""
        n, touched, left = len(q), set[Step](), numbers.MOST_STEPS
        cells = np.array([step.cell for step in touching], int).reshape(-1, n)
        first = self._numbers(cells, np.array([step.axis for step in touching], int))
        self._edge += [number for number in first if number not in self._seen]
        self._seen.update(first)
        while self._edge and left > 0:
            batch, self._edge = self._edge[:left], self._edge[left:]
            cells, axes = self._beside(np.array(batch))
            left -= max(len(cells), 1)
            several = np.array(self._grid.shape) > 1
            ends = (cells, cells + np.eye(len(q), dtype=int)[axes])
            bad = ~self._checks.are_free(*(np.where(several, self._grid.centre(c), q) for c in ends))
            cells, axes = cells[bad], axes[bad]
            touched.update(Step(tuple(cell), axis) for cell, axis in zip(cells.tolist(), axes.tolist(), strict=True))
            self._edge += self._numbers(cells, axes)
        self._checks.barred |= touched
        return touched

    def _beside(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cells (m, n) and axes (m,) of the steps beside others that join free cells and were not checked yet."""
        shape, unit = np.array(self._grid.shape), np.eye(len(self._grid.shape), dtype=int)
        flat, own = np.divmod(numbers, len(shape))
        at, along, cells, axes = np.stack(np.unravel_index(flat, shape), axis=1), unit[own], [], []
        for other in np.flatnonzero(shape > 1):
            aside, turned = unit[other], np.full_like(own, other)
            around = [(at + aside, own), (at - aside, own), (at, turned), (at - aside, turned),
                      (at + along, turned), (at + along - aside, turned)]  # fmt: skip
            cells += [c[own != other] for c, _ in around]
            axes += [a[own != other] for _, a in around]
        near, axis = np.concatenate(cells), np.concatenate(axes)
        there = self._is_open(near) & self._is_open(near + unit[axis])
        new = [k for k in dict.fromkeys(self._numbers(near[there], axis[there])) if k not in self._seen]
        self._seen.update(new)
        flat, axis = np.divmod(np.array(new, int), len(shape))
        return np.stack(np.unravel_index(flat, shape), axis=1), axis

    def _is_open(self, cells: np.ndarray) -> np.ndarray:
        shape = np.array(self._grid.shape)
        inside = ((cells >= 0) & (cells < shape) | np.array(self._grid.periodic)).all(axis=1)
        return inside & ~self._blocked[tuple((cells % shape).T)]

    def _numbers(self, cells: np.ndarray, axes: np.ndarray) -> list[int]:
        shape = self._grid.shape
        flat = np.ravel_multi_index(tuple((cells % np.array(shape)).T), shape)
        return (flat * len(shape) + axes).tolist()


def doubtful(against: np.ndarray, certainty: float) -> np.ndarray:
    """Whether more than a certainty, one of ``CERTAINTY_LEVELS``, speaks against each cell, as -ln(1 - certainty)."""
    least = max(-np.log1p(-certainty), numbers.NO_DOUBT) if certainty < 1.0 else np.inf
    return np.asarray(against > least)


def likely_places(evidence: CollisionEvidence, certainty: float) -> set[Place]:
    """The places of more weight than a certainty that may be risked, and than ``LIKELY``."""
    heavy = evidence.points[evidence.weights > max(LIKELY, certainty)] if certainty < 1.0 else evidence.points[:0]
    return {(float(x), float(y), float(z)) for x, y, z in heavy}
