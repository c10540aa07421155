"""The planner ``a_star``: shortest paths over cells."""

from dataclasses import dataclass

from hopfield_nav.planning import Plan, plan_a_star
from hopfield_nav.plugin import BelievedMap, Method


@dataclass(frozen=True)
class AStar:
    """A*; a ``Planner``."""

    def plan(self, believed: BelievedMap) -> Plan:
        """The path to the first goal."""
        return plan_a_star(
            believed.blocked, believed.start, believed.goals[0], believed.radius, believed.closed
        )


METHOD = Method(
    "planner",
    "a_star",
    AStar,
    description="shortest paths over cells (Hart, Nilsson and Raphael 1968)",
)
