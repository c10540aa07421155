"""Other plants for the closed loop: an arm with elastic joints, and MuJoCo.

An engine advances the state in the place of the compiled loop, from event to event.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
