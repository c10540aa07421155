"""What touches block, or make dear, on a map of joint angles: the strategies of a world, one a file.

Each is a ``plugin.Belief``: it is asked before every path, and what it answers is what the search goes by.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
