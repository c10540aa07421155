"""What touches what: the bodies of the arm, which pairs of them can meet, distances, and proof that a motion is free.

It owns every check of the arm against itself and against solids; who plans or navigates asks it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
