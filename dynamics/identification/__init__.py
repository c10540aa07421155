"""Identifying an arm's dynamics from its logs (madsen2020): from the regressor to an arm file.

Owns base parameters, the fits with their intervals, and how a fit is judged.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
