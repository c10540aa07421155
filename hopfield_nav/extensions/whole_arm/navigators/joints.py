"""The space ``joints``: a cell is a configuration of the whole arm."""

from collections.abc import Iterable

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.clearance import build_scene, clearance
from hopfield_nav.extensions.whole_arm.grid import grid_of
from hopfield_nav.navigation import Cells, Navigator, Space
from hopfield_nav.plugin import Method
from hopfield_nav.world import GoalSection, World

_TURN = 1.0  # [rad] of the joints to a goal on a map of joint angles
_PICTURES = "hopfield_nav.extensions.whole_arm.figures"


class JointSpace(Space):
    """The whole arm feels its way over a map of its joint angles."""

    pages = f"{_PICTURES}:PAGES"
    film_panel = f"{_PICTURES}:PlacesPanel"

    def cells(self, world: World, arm: Arm) -> Cells:
        """The map of joint angles at the start of a run."""
        return grid_of(world, arm, np.array(world.start.joints))

    def navigator(self, world: World, arm: Arm, start: np.ndarray, hidden: bool) -> Navigator:
        """Who finds the way; arguments as ``Space.navigator``."""
        # loads SciPy's interpolation
        from hopfield_nav.extensions.whole_arm.navigator import WholeArmNavigator

        return WholeArmNavigator(world, arm, start)

    def is_random(self, world: World) -> bool:
        """Whether it draws anything."""
        return bool(self.draws(world))

    def draws(self, world: World) -> list[str]:
        """Joint angles for a goal's place, where the tool may be turned in many ways; particles."""
        drawn = list[str]()
        if world.goal is not None and world.goal.position is not None:
            drawn.append("joint angles of the goal")
        if world.detection.place == "particles":
            drawn.append("particles of the contact filter")
        return drawn

    def random_goal(self, world: World, generator: np.random.Generator) -> GoalSection:
        """Joint angles near those of the start."""
        start = np.array(world.start.joints)
        return GoalSection(
            joints=tuple((start + generator.uniform(-_TURN, _TURN, start.size)).tolist())
        )

    def self_distance(self, arm: Arm, angles: Iterable[np.ndarray]) -> float:
        """Least distance of the arm from itself [m] over joint angles, (m, n) each."""
        scene = build_scene(arm)
        gaps = [clearance(arm, scene, np.nan_to_num(part)) for part in angles if len(part)]
        return float(min(distances.min() for distances in gaps))


METHOD = Method(
    "navigator", "joints", JointSpace, description="a cell is a configuration of the whole arm"
)
