"""From a touch to a new motion: map, marks, reaction, planner, joint trajectory.

Owns what is believed of the surroundings and where the arm goes next; it never sees the simulated
truth.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
