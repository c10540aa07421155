"""Planning on a grid of any dimension: the Hopfield networks, and planners beside them.

Owns both networks, the climb to the goal, paths at any angle and plans that are repaired; it knows
no arm.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
