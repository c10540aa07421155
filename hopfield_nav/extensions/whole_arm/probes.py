"""Probes: the tool goes straight onto where the arm would be at its goal, near what was felt there.

Whether the arm fits at its goal is settled by touches inside the arm as it would stand there, and
ordinary paths seldom make one. So while the way is doubted the tool asks: from the fourth touch on,
and in turn with ordinary paths, it goes along a line of some 10 cm, by inverse kinematics, to a
point on an axis of the arm at its goal. The line crosses the surface that was felt nearby along its
normal, or tilted against it: no two probes that hit went in nearly the same direction, since an
error of place that all touches from one side share must not look like several. A probe *hits* where
it is touched inside the arm at its goal. After six that met nothing, or eight that were touched
beside that, none is made any more.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynamics import Arm, forward_kinematics, has_closed_form
from hopfield_nav.extensions.clearance import Scene, collides
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import JointGrid, solutions_at
from hopfield_nav.extensions.whole_arm.learning import (
    CollisionBelief,
    WholeArmLearning,
    inward_normals,
    point_distances,
)
from hopfield_nav.extensions.whole_arm.lines import tool_line
from hopfield_nav.extensions.whole_arm.search import CellPath, Query, Search
from hopfield_nav.geometry import LINK, arm_bodies, capsules_in_base
from hopfield_nav.plugin import CollisionEvidence


class Probe(NamedTuple):
    """One probe that was driven."""

    point: np.ndarray  # (3,) on an axis of the arm at its goal [m]
    direction: np.ndarray  # (3,) in which the tool went, of length 1
    goal: int  # number of that goal
    end: np.ndarray  # (3,) where the tool is at the end of its line [m]
    touch: int  # number of the touch that it makes, if it is touched at a place


class Question(NamedTuple):
    """Where a probe may go: its tip is to meet the surface at a point."""

    point: np.ndarray  # (3,) on an axis of the arm at its goal [m]
    direction: np.ndarray  # (3,) of the tool, of length 1
    felt: np.ndarray  # (3,) place of a surface nearby [m]
    normal: np.ndarray  # (3,) of that surface, into it
    far: float  # from that place to the point, and more where it is unsure [m]


class Probes:
    """Chooses probes, and remembers what came of them."""

    def __init__(self, arm: Arm, scene: Scene, grid: JointGrid, search: Search) -> None:
        self._arm, self._scene = arm, scene
        self._grid, self._search = grid, search
        links = arm_bodies(arm)[:, LINK]
        self._can_ask = has_closed_form(arm) and len(links) > 0
        # (b,) bool: the bodies on the last link that has any
        self._is_tool = links == links.max(initial=0.0)
        self._tip: np.ndarray = np.zeros(3)
        self._tip_radius = 0.0
        if self._can_ask:
            self._tip, self._tip_radius = _tip_of(arm)
        self._under_way: Probe | None = None
        self._driven: list[Probe] = []
        self._hits: list[Probe] = []
        self._kept_off: list[Probe] = []  # touched on their way to the line
        self._in_vain = self._beside = 0  # probes that met nothing, and that were touched elsewhere
        self._is_turn = True  # of a probe; else an ordinary path is driven first

    def move_to(self, grid: JointGrid, search: Search) -> None:
        """Go on with a finer map."""
        self._grid, self._search = grid, search

    def look_back(self, collisions: CollisionBelief) -> None:
        """At the end of a motion: what came of the probe that it was, if it was one.

        Where it was touched on its way to the line, nothing was asked.
        """
        probe, self._under_way = self._under_way, None
        if probe is None:
            return
        if len(collisions.touches) == probe.touch:
            self._in_vain += 1
        else:
            places, q = collisions.touches[probe.touch], collisions.configurations[probe.touch]
            if q is None or not self._is_on_line(q, probe):
                self._kept_off.append(probe)
                return
            inside = self._contained(places.points, self._search.ends[probe.goal])
            if places.weights @ inside >= numbers.COUNTED_WEIGHT:
                self._hits.append(probe)
            else:
                self._beside += 1
        self._driven.append(probe)

    def _is_on_line(self, q: np.ndarray, probe: Probe) -> bool:
        """Whether the tool is on the line of a probe at joint angles (n,) [rad]."""
        pose = forward_kinematics(self._arm, q)
        aside = np.cross(pose[:3, 3] - probe.end, probe.direction)
        is_along = pose[:3, 2] @ probe.direction > np.cos(numbers.OFF_LINE[1])
        return bool(is_along and np.linalg.norm(aside) < numbers.OFF_LINE[0])

    def next(self, path: CellPath, q: np.ndarray, felt: WholeArmLearning) -> CellPath | None:
        """The way of a probe from joint angles (n,) [rad], before ``path`` to the goal is driven.

        None where that path is not doubted and no probe has hit, where an ordinary path is to be
        driven first, or where nothing is left to ask.
        """
        collisions = felt.collisions
        count = len(collisions.touches)
        if not self._is_turn:
            self._is_turn = True
            return None
        questions = self._due(path, felt)
        points, weights, _ = collisions.places()
        evidence = CollisionEvidence(collisions.against, points=points, weights=weights)
        here = tuple(int(c) for c in path.cells[0])
        query = Query(here, q, felt.beliefs, evidence, set())
        chosen = list(itertools.islice(questions, numbers.PROBE_TRIES))
        likely = points[weights > numbers.EVEN_CHANCE]
        whose, lines = list[Question](), list[np.ndarray]()
        for question in chosen:
            some = self._lines(question, q, likely)
            whose += [question] * len(some)
            lines += some
        for certainty in numbers.PROBE_RISKS:
            way = self._search.onto(lines, query, certainty) if lines else None
            if way is not None:
                asked = whose[way.line]
                end = forward_kinematics(self._arm, lines[way.line][-1])[:3, 3]
                self._under_way = Probe(asked.point, asked.direction, path.goal, end, count)
                self._is_turn = False
                return way.path
        return None

    def wants_room(self, path: CellPath, q: np.ndarray, felt: WholeArmLearning) -> bool:
        """Whether a probe is due while the arm has no room for it at joint angles (n,) [rad].

        ``path`` is the one that it would drive otherwise.
        """
        if not self._is_turn or self.has_room(q, felt.collisions):
            return False
        return next(self._due(path, felt), None) is not None

    def has_room(self, q: np.ndarray, collisions: CollisionBelief) -> bool:
        """Whether the arm is so far from what was felt, at joint angles (n,) [rad], that it may turn."""
        points, weights, _ = collisions.places()
        likely = points[weights > numbers.EVEN_CHANCE]
        return not (point_distances(self._arm, q[None], likely) < numbers.ROOM).any()

    def _due(self, path: CellPath, felt: WholeArmLearning) -> Iterator[Question]:
        """What is to be asked before ``path`` is driven, if it were a probe's turn."""
        is_over = self._in_vain >= numbers.PROBES_IN_VAIN or self._beside >= numbers.PROBES_BESIDE
        is_early = len(felt.collisions.touches) < numbers.PROBES_FROM
        if is_early or is_over or not self._can_ask:
            return
        is_doubted = bool(self._hits) or self._is_doubted(path, felt.collisions)
        if not is_doubted and len(self._kept_off) >= numbers.PROBES_KEPT_OFF:
            return
        for question in self._questions(self._search.ends[path.goal], felt):
            if is_doubted or question.far < numbers.NEARBY:
                yield question

    def directions(self) -> dict[int, np.ndarray]:
        """By number of the touch that a probe made, on its way too: the direction (3,) in which it went."""
        return {probe.touch: probe.direction for probe in (*self._driven, *self._kept_off)}

    def _is_doubted(self, path: CellPath, collisions: CollisionBelief) -> bool:
        """Whether a path leads through doubted cells, or the arm at its goal would be in a likely place."""
        inner = collisions.against[tuple(path.cells[1:].T)]
        if (inner > -np.log(1.0 - numbers.EVEN_CHANCE)).any():
            return True
        points, weights, _ = collisions.places()
        likely = points[weights > numbers.EVEN_CHANCE]
        return bool(self._contained(likely, self._search.ends[path.goal]).any())

    def _twice_off(self) -> list[Probe]:
        """Probes that were touched on their way to the line, those to nearly the same line at least twice."""
        return [
            probe
            for k, probe in enumerate(self._kept_off)
            if any(_is_same(probe, other) for other in self._kept_off[:k])
        ]

    def _contained(self, points: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(k,) bool: the points (k, 3) that the arm contains at joint angles (n,) [rad]."""
        far = point_distances(self._arm, q[None], points)
        return np.asarray((far < -numbers.INSIDE).any(axis=(0, 1)))

    def _questions(self, goal: np.ndarray, felt: WholeArmLearning) -> Iterator[Question]:
        """Where surfaces that were felt would cross the arm at its goal, the surest first.

        A surface is believed to go on as a plane. Not asked is where the arm was, from where a probe
        was made before, or in a direction in which one hit.
        """
        collisions = felt.collisions
        inner, axes = self._axis_points(goal)
        if len(felt.passed):
            far = point_distances(self._arm, felt.passed, inner).min(axis=(0, 1))
            inner, axes = inner[far > 0.0], axes[far > 0.0]
        found: list[Question] = []
        for places, q in zip(collisions.touches, collisions.configurations, strict=True):
            if q is None:
                continue
            normals = -inward_normals(self._arm, q, places)
            for place, normal, weight in zip(places.points, normals, places.weights, strict=True):
                if weight < numbers.EVEN_CHANCE or not normal.any():
                    continue
                height = np.abs((inner - place) @ normal)
                aside = np.linalg.norm(np.cross(inner - place, normal), axis=1)
                near = (aside < numbers.FARTHEST) & (height < numbers.ACROSS + numbers.BENT * aside)
                cost = aside + 2.0 * height + numbers.UNSURE * (1.0 - min(weight, 1.0))
                for k in np.flatnonzero(near):
                    for tilt, direction in enumerate(_tilted(normal)):
                        across = 1.0 - abs(float(direction @ axes[k]))
                        far = cost[k] + numbers.TILTED * (tilt > 0) + numbers.ASKEW * across
                        found.append(Question(inner[k], direction, place, normal, float(far)))
        found.sort(key=lambda question: question.far)
        asked: list[Probe | Question] = [*self._driven, *self._twice_off()]
        for question in found:
            if any(_is_alike(question.direction, hit.direction) for hit in self._hits):
                continue
            if any(_is_same(question, other) for other in asked):
                continue
            asked.append(question)
            yield question

    def _lines(self, question: Question, q: np.ndarray, likely: np.ndarray) -> list[np.ndarray]:
        """Lines of the tool onto a point and behind it, (m, n) joint angles each [rad], those nearest to ``q`` first.

        Where they begin the arm is in none of the ``likely`` places (k, 3).
        """
        rotations = rotations_along(question.direction)
        tip = question.point - self._tip_radius * question.normal
        ends = tip - rotations @ self._tip + numbers.BEYOND * question.direction
        rows = solutions_at(self._arm, rotations, ends, self._grid)
        low, high = self._arm.position_limits.T
        rows = rows[((rows >= low) & (rows <= high)).all(axis=1)]
        rows = rows[self._is_tool_first(rows, question)] if len(rows) else rows
        rows = rows[~collides(self._arm, self._scene, rows)] if len(rows) else rows
        if not len(rows):
            return []
        rows = self._grid.beside(rows, q)
        order = np.argsort(np.abs(rows - q).sum(axis=1))[: numbers.PROBE_POSES]
        lines = [
            tool_line(self._arm, self._scene, row, numbers.PROBE_LENGTH) for row in rows[order]
        ]
        return [
            line
            for line in lines
            if len(line) > 1 and not (point_distances(self._arm, line[:1], likely) < 0.0).any()
        ]

    def _is_tool_first(self, rows: np.ndarray, question: Question) -> np.ndarray:
        """(k,) bool: whether the tool meets the surface of a question before the rest of the arm does.

        The surface is a plane about the point; the arm is at joint angles (k, n) [rad].
        """
        capsules = capsules_in_base(self._arm, rows)
        share = np.linspace(0.0, 1.0, numbers.PARTS_OF_AXIS)[:, None, None, None]
        axes = capsules[..., :3] + share * (capsules[..., 3:6] - capsules[..., :3])
        away = axes - question.point
        far = away @ question.normal + capsules[..., 6]
        is_near = np.linalg.norm(away, axis=-1) < numbers.PLANE_REACH
        others = np.where(is_near & ~self._is_tool, far, -np.inf).max(axis=(0, 2))
        tool = np.where(self._is_tool, far, -np.inf).max(axis=(0, 2))
        return np.asarray(tool - others > numbers.TOOL_FIRST)

    def _axis_points(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(k, 3) points on the axes of the outer links at joint angles (n,) [m], and the axis (3,) of each."""
        outer = arm_bodies(self._arm)[:, LINK] >= numbers.AXIS_LINK
        ends = capsules_in_base(self._arm, q)[outer, :6].reshape(-1, 2, 3)
        points, axes = list[np.ndarray](), list[np.ndarray]()
        for begin, end in ends:
            length = float(np.linalg.norm(end - begin))
            count = int(length / numbers.AXIS_STEP) + 2
            points.append(begin + np.linspace(0.0, 1.0, count)[:, None] * (end - begin))
            axes.append(np.tile((end - begin) / max(length, numbers.POINT), (count, 1)))
        return np.concatenate(points), np.concatenate(axes)


def _tip_of(arm: Arm) -> tuple[np.ndarray, float]:
    """Where in the tool's frame the middle of its round tip is (3,), and the radius of that [m]."""
    q = np.zeros(len(arm.dh))
    pose = forward_kinematics(arm, q)
    links = arm_bodies(arm)[:, LINK]
    capsules = capsules_in_base(arm, q)[links == links.max()]
    middles = (capsules[:, :6].reshape(-1, 3) - pose[:3, 3]) @ pose[:3, :3]
    radii = np.repeat(capsules[:, 6], 2)
    tip = int((middles[:, 2] + radii).argmax())
    return middles[tip], float(radii[tip])


def _is_alike(direction: np.ndarray, other: np.ndarray) -> bool:
    return bool(direction @ other > np.cos(numbers.PROBES_APART))


def _is_same(line: Probe | Question, other: Probe | Question) -> bool:
    """Whether two lines are nearly the same."""
    apart = float(np.linalg.norm(line.point - other.point))
    return apart < numbers.ONE_PLACE and _is_alike(line.direction, other.direction)


def _across(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two directions (3,) across one, and across each other."""
    first = np.cross(direction, np.eye(3)[np.abs(direction).argmin()])
    first /= np.linalg.norm(first)
    return first, np.cross(direction, first)


def _tilted(normal: np.ndarray) -> list[np.ndarray]:
    """A normal (3,), and directions about it that are tilted against it."""
    first, second = _across(normal)
    found = [normal]
    for turn in np.arange(numbers.TILTS) * 2.0 * np.pi / numbers.TILTS:
        aside = np.cos(turn) * first + np.sin(turn) * second
        found.append(np.cos(numbers.TILT) * normal + np.sin(numbers.TILT) * aside)
    return found


def rotations_along(direction: np.ndarray) -> np.ndarray:
    """(k, 3, 3) rotations of the tool whose axis z has a direction (3,), evenly turned about it."""
    first, second = _across(direction)
    turns = np.arange(numbers.PROBE_TURNS) * 2.0 * np.pi / numbers.PROBE_TURNS
    x = np.cos(turns)[:, None] * first + np.sin(turns)[:, None] * second
    return np.stack([x, np.cross(direction, x), np.broadcast_to(direction, x.shape)], axis=2)
