"""The strategy ``felt_points``: the places where a touch may have been, the least certain risked first."""

from hopfield_nav.navigation.whole_arm.strategies.choice import ArmFelt
from hopfield_nav.plugin import Against, Method

PATIENCE = 10  # touches after which surfaces are let go before more than an even chance is risked


class FeltPoints:
    """Goes by certainties; a ``plugin.Belief``."""

    def believe(self, felt: ArmFelt) -> Against:
        """What speaks against cells, surfaces included, and the places through which no step shall sweep."""
        places_alone = felt.believed.against
        cells = felt.collisions.with_surfaces(places_alone)
        at_last = places_alone if len(felt.collisions.touches) >= PATIENCE else None
        return Against(cells, points=felt.points, weights=felt.weights, at_last=at_last)


METHOD = Method(
    "belief", "felt_points", FeltPoints,
    description="a touch blocks the cells where the arm would contain its places, as far as it must",
)  # fmt: skip
