"""What a run plans with: nothing of it changes, but for the notes of its plans."""

from typing import NamedTuple

from dynamics import Arm
from hopfield_nav.navigation.map import ToolMap
from hopfield_nav.navigation.motion.plan_notes import PlanNotes
from hopfield_nav.navigation.motion.reachability import KnownSolids, known_solids
from hopfield_nav.navigation.motion.route import Paths
from hopfield_nav.world import World


class Means(NamedTuple):
    """What a run plans with."""

    world: World  # resolved
    arm: Arm  # the kinematics that the controller plans with
    paths: Paths  # what finds paths over the cells
    notes: PlanNotes  # every plan so far
    links: KnownSolids | None  # known obstacles that no link may touch; None: only the tool can

    @property
    def explores_reach(self) -> bool:
        """Whether cells that the arm turns out not to reach are excluded, one after the other."""
        return explores_reach(self.world)


def make_means(world: World, arm: Arm, map: ToolMap, paths: Paths) -> Means:
    """What a run over a map of the tool plans with, its notes still empty."""
    links_count = world.contact.bodies == "arm" and world.known and explores_reach(world)
    links = known_solids(arm, map.known.solids) if links_count else None
    return Means(world, arm, paths, PlanNotes(world), links)


def explores_reach(world: World) -> bool:
    """Whether a world's map is planned around what the arm turns out not to reach."""
    return world.planner.unreachable != "ignore"
