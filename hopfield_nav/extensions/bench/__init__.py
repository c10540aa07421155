"""Methods beside each other: a suite of worlds, conditions and methods, run on the sweep engine.

Owns which worlds count, the rows that come with the program, and the page that says which method
was better.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
