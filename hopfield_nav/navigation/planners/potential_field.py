"""The planner ``potential_field``: down a potential; it makes no steps from cell to cell."""

from dataclasses import dataclass

from hopfield_nav.planning import Plan, closed_cells, neighbourhood_of, plan_potential_field
from hopfield_nav.plugin import BelievedMap, Method


@dataclass(frozen=True)
class PotentialField:
    """A potential field with the keys that a world has for it; a ``Planner``."""

    random_walks: int

    def plan(self, believed: BelievedMap) -> Plan:
        """The path to the first goal; both cells of a closed step are blocked."""
        near = neighbourhood_of(believed.blocked.shape, believed.radius)
        blocked = believed.blocked | closed_cells(believed.closed, near)
        goal = tuple(believed.goals[0].tolist())
        return plan_potential_field(blocked, believed.start, goal, self.random_walks, believed.seed)


METHOD = Method(
    "planner", "potential_field", PotentialField,
    description="down a potential, with random walks out of its minima (Spong et al. 2006, 5.2)",
)  # fmt: skip
