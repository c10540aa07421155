"""The strategy ``thompson``: of every touch one place, drawn anew for every path, is taken for certain."""

import numpy as np

from hopfield_nav.extensions.whole_arm.strategy import ArmReport
from hopfield_nav.plugin import CollisionEvidence, Method


class Thompson:
    """Goes by certainties of places that are drawn; a ``plugin.Belief``."""

    def __init__(self) -> None:
        self._generator: np.random.Generator | None = None

    def believe(self, felt: ArmReport) -> CollisionEvidence:
        """What speaks against cells if the drawn places are where it touched."""
        if self._generator is None:
            self._generator = np.random.default_rng(felt.believed.seed)
        drawn = felt.collisions.drawn(self._generator)
        points, weights, _ = drawn.places()
        return CollisionEvidence(drawn.risk(), points=points, weights=weights)


METHOD = Method(
    "belief", "thompson", Thompson,
    description="of every touch one of its places, drawn anew for every path, is taken for certain",
)  # fmt: skip
