"""Many runs: a sweep file, its axes and draws, the workers, the table of results.

Owns which run has which values and seed, that no row is lost, and the statistics of a table.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
