"""The strategy ``felt_points``: the places where a touch may have been, the least certain risked first."""

from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.strategies import ArmReport
from hopfield_nav.plugin import CollisionEvidence, Method


class FeltPoints:
    """Goes by certainties; a ``plugin.Belief``."""

    def believe(self, felt: ArmReport) -> CollisionEvidence:
        """What speaks against cells, surfaces included, and the places through which no step shall sweep.

        ``believed.against`` is ``collisions.evidence()``: nothing where the arm was.
        """
        collisions, at_last = felt.collisions, None
        if len(collisions.touches) >= numbers.PATIENCE and collisions.has_surfaces():
            at_last = collisions.evidence(surfaces=False)
        return CollisionEvidence(
            felt.believed.against, points=felt.points, weights=felt.weights, at_last=at_last
        )


METHOD = Method(
    "belief", "felt_points", FeltPoints,
    description="a touch blocks the cells where the arm would contain its places, as far as it must",
)  # fmt: skip
