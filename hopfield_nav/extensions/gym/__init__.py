"""Learning: a world's arm as an environment of Gymnasium.

Owns observation, action, reward and end of an episode; needs the extra ``gym``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
