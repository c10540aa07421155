"""One time step, and the compiled loop around it: plant, contact, trajectory, state, log.

Owns the simulated truth and its integration; the control computer sees of it what ``sense`` lets
through.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
