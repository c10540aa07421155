"""The strategy ``felt_points``: the places where a touch may have been, the least certain risked first."""

from hopfield_nav.navigation.whole_arm.strategies.choice import ArmFelt
from hopfield_nav.plugin import Against, Method


class FeltPoints:
    """Goes by certainties; a ``plugin.Belief``."""

    def believe(self, felt: ArmFelt) -> Against:
        """What speaks against cells, and the places through which no step shall sweep; surfaces as long as they may."""
        felt_there = felt.believed.against
        cells = felt.collisions.with_surfaces(felt_there)
        return Against(cells, points=felt.points, weights=felt.weights, at_last=felt_there)


METHOD = Method(
    "belief", "felt_points", FeltPoints,
    description="a touch blocks the cells where the arm would contain its places, as far as it must",
)  # fmt: skip
