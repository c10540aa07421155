"""Pictures and films from the record alone: style, sheets of panels, the file of a film.

Owns how pictures look; what they show is in ``run``, ``sweep`` and ``solid``. Nothing is simulated.
"""

import lazy_loader

from dynamics.kernels.settings_here import matplotlib_as_it_comes

with matplotlib_as_it_comes():
    import matplotlib  # noqa: F401  (the rooms below draw with it)

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
