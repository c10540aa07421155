"""Solids as rows of numbers, the arm as capsules, and exact distances between them.

Owns the shapes; contact, isolation, planning and pictures read them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
