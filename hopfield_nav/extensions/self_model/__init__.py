"""The arm learns its own masses, friction and gears, by a wiggle at the start and on the way.

It owns ``controller.learn``: what is gathered in free motion, the fit, and what the model becomes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
