"""Where the arm is touched: which link, and which patch of its surface, explains an external torque.

Owns the arm's surface as patches and the fit of forces to them, at one instant and over time.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
