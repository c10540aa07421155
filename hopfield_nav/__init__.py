"""A UR5 that cannot see, finding its way by touch with a Hopfield neural network.

What most programs need is imported from here; ``docs/architecture.md`` shows the rooms behind it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
