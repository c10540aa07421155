"""Solids as rows of numbers, the arm as capsules, and exact distances between them.

Owns the shapes; contact, isolation, planning and pictures read them. Arrays of other shapes than a
function says are refused with ``BadInput``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
