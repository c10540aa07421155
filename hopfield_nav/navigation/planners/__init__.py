"""What plans over a map: the planners that a world may name, one a file, and whoever's own.

Algorithms on grids lie in ``planning``; here each has its name in a world and the interface of a
``Planner``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
