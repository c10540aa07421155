"""The map of the tool, and what is known and believed on it.

Cells, steps, marks, facts and beliefs. Geometry and bookkeeping; where the arm goes because of it
is said elsewhere in ``navigation``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
