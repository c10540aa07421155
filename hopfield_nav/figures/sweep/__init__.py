"""The figures of a sweep: outcomes, lines, heat maps, Pareto fronts.

Owns how rows become axes and panels; commands and users may import it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
