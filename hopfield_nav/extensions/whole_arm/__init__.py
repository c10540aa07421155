"""A map of joint angles: the whole arm feels its way over it.

It owns the grid over the joints, which of its cells a thing in space blocks, where on the arm a touch may have been,
and the navigator that plans with both. ``experiment`` and the rooms above may import from it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
