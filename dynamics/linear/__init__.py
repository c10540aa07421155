"""The arm as a linear system near a point or along a motion: matrices, Bode plots, Riccati equation.

Owns what follows from the derivatives of the dynamics; control laws and studies may import it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
