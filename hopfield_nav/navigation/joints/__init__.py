"""A map of joint angles: a grid over the joints, and which of its cells a thing in space blocks.

Owns the way from a point in space to the cells at which the arm would contain it; it knows nothing of
touches or paths.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
