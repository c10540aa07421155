"""The figures and the film of a plan where the surroundings are known.

Owns the pages of paths found and of plans that stopped; commands and users may import it.
"""

import lazy_loader

import hopfield_nav.figures  # noqa: F401  (first: it loads Matplotlib without the settings of the user)

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
