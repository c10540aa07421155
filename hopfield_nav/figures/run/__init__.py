"""The figures and the film of a run.

Owns maps, signals, snapshots and their pages; commands and users may import it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
