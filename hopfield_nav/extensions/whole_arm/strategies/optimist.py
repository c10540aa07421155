"""The strategy ``optimist``: a touch closes its own step alone."""

from hopfield_nav.extensions.whole_arm.strategies import ArmReport
from hopfield_nav.plugin import Method


class Optimist:
    """Believes nothing of cells; a ``plugin.Belief``."""

    def believe(self, felt: ArmReport) -> None:
        """Nothing but the steps."""


METHOD = Method("belief", "optimist", Optimist, description="a touch closes its own step, no more")
