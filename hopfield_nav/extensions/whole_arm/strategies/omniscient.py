"""The strategy ``omniscient``: all obstacles are known (the navigator puts them in its scene).

It is the bound of what is possible, for comparison.
"""

from hopfield_nav.extensions.whole_arm.strategies.optimist import Optimist
from hopfield_nav.plugin import Method

METHOD = Method(
    "belief",
    "omniscient",
    Optimist,
    description="all obstacles are known: the bound of what is possible",
)
