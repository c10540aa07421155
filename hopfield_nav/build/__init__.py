"""From a world's words to numbers: its arms, its solids, and the methods that it names.

It owns what record, figures, navigation and clearance read of a world; what runs is put together in
``experiment``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
