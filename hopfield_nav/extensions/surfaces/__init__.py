"""Along what was felt: the responses ``follow`` and ``slide``, and the control law that slides with a given force.

It owns what an arm does at a surface; the core goes back from a touch and plans anew.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
