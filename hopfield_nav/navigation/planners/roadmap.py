"""The planner ``roadmap``: shortest paths over random points; it makes no steps from cell to cell."""

from dataclasses import dataclass

from hopfield_nav.planning import Plan, closed_cells, neighbourhood_of, plan_roadmap
from hopfield_nav.plugin import BelievedMap, Method


@dataclass(frozen=True)
class Roadmap:
    """A roadmap with the keys that a world has for it; a ``Planner``."""

    samples: int
    connections: int

    def plan(self, believed: BelievedMap) -> Plan:
        """The path to the first goal; both cells of a closed step are blocked."""
        near = neighbourhood_of(believed.blocked.shape, believed.radius)
        blocked = believed.blocked | closed_cells(believed.closed, near)
        goal = tuple(believed.goals[0].tolist())
        return plan_roadmap(blocked, believed.start, goal, self.samples, self.connections, believed.seed)


METHOD = Method(
    "planner", "roadmap", Roadmap,
    description="shortest paths over random points that see each other (Kavraki et al. 1996)",
)  # fmt: skip
