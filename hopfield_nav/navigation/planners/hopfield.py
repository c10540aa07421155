"""The planner ``hopfield``: the network (ragazzon2012 chapter 6)."""

from dataclasses import dataclass

from hopfield_nav.planning import Plan, neighbourhood_of, replan
from hopfield_nav.plugin import BelievedMap, Method


@dataclass(frozen=True)
class Hopfield:
    """The network with the keys that a world has for it; a ``Planner``."""

    network: str
    beta: float | None
    activation: str
    ties: tuple[str, ...]

    def plan(self, believed: BelievedMap) -> Plan:
        """The path to the first goal."""
        near = neighbourhood_of(believed.blocked.shape, believed.radius, ties=self.ties)
        return replan(
            believed.blocked, believed.start, believed.goals[0], self.network, self.beta, near,
            closed=believed.closed, activation=self.activation,
        )  # fmt: skip


METHOD = Method(
    "planner", "hopfield", Hopfield,
    description="the network: shortest paths (limit), or as in the document (sum; ragazzon2012 chapter 6)",
)  # fmt: skip
