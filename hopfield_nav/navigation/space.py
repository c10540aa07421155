"""The owner of a kind of map: ``map.space`` of a world."""

from collections.abc import Iterable

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.navigation.map import Cells, make_map
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.world import GoalSection, World


class Space:
    """The owner of a kind of map; made without arguments by its ``Method``.

    What has an answer here is nothing. ``pages`` and ``film_panel`` are "module:attribute" of the
    extension's own pictures: a mapping from the names of files to functions of a ``Run``, drawn
    before those of signals, and a panel as in ``figures.run.film_panels``.
    """

    # whether a cell is a place of the tool: a record keeps marks and plans of these
    of_places = False
    pages = ""
    film_panel = ""

    def cells(self, world: World, arm: Arm) -> Cells:
        """The cells of a world's map, for an arm that starts as the world says."""
        raise NotImplementedError

    def navigator(self, world: World, arm: Arm, start: np.ndarray, hidden: bool) -> Navigator:
        """Who finds the way in a run that starts at joint angles (n,) [rad].

        Where friction hides the force with which the arm should slide (``hidden``), it follows the
        surface.
        """
        raise NotImplementedError

    def check_start(self, world: World, arm: Arm, tool: np.ndarray) -> None:
        """Refuse a tool (3,) that does not start on the map [m].

        Raises ``BadInput``: it does not.
        """

    def prepare(self, world: World) -> None:
        """Compile, or load, what the first replan calls, so that no clock counts it."""

    def is_random(self, world: World) -> bool:
        """Whether it draws random numbers of its own, so that a run depends on its seed."""
        return False

    def draws(self, world: World) -> list[str]:
        """What it draws, in words; by default its own numbers where ``is_random`` says so."""
        return ["the map's own numbers"] if self.is_random(world) else []

    def random_goal(self, world: World, generator: np.random.Generator) -> GoalSection:
        """A goal for a motion without obstacles, drawn."""
        raise NotImplementedError

    def self_distance(self, arm: Arm, angles: Iterable[np.ndarray]) -> float | None:
        """Least distance of the arm from itself [m] over joint angles, (m, n) each.

        None where it is not kept.
        """
        return None


def space_of(world: World) -> Space:
    """The owner of a world's map; of a record a stand-in, where that is not there.

    Raises ``BadInput``: its extension is not there, or a Python file may not be executed.
    """
    try:
        method = world.trust.find("navigator", world.map.space, world.folder)
    except BadInput:
        if not world.trust.record:
            raise
        return RecordedSpace(world.trust.of_places)
    space: Space = method.kernel()
    return space


class RecordedSpace(Space):
    """What is asked of the owner of a record's map where that is not there.

    It is whether it kept marks, and its cells.
    """

    def __init__(self, of_places: bool) -> None:
        self.of_places = of_places

    def cells(self, world: World, arm: Arm) -> Cells:
        """Those of a map of the tool."""
        grid, _ = make_map(world)
        return grid
