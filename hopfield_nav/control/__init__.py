"""The control computer: what it senses, and what it does in one control period.

Owns the step and what methods share; ``laws``, ``estimators`` and ``detectors`` hold one method a
file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
