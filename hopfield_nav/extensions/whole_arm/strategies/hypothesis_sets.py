"""The strategy ``hypothesis_sets``: what speaks against a cell is its cost (Saund and Berenson)."""

import numpy as np

from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.strategy import ArmReport
from hopfield_nav.plugin import CollisionEvidence, Method


class HypothesisSets:
    """Goes by costs; a ``plugin.Belief``."""

    def believe(self, felt: ArmReport) -> CollisionEvidence:
        """``COST_OF_DOUBT`` times what speaks against every cell."""
        return CollisionEvidence(np.float32(numbers.COST_OF_DOUBT) * felt.believed.against, as_cost=True)


METHOD = Method(
    "belief", "hypothesis_sets", HypothesisSets,
    description="a touch blocks nothing: what speaks against a cell is its cost (Saund and Berenson)",
)  # fmt: skip
