"""The arm and its surroundings on axes: in space, from one side, and as a map from above.

Owns projection, faces and the layers of a map; the pictures of runs and plans are made of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
