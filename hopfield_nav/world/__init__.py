"""The world file: what it may say, every message about a faulty one, and what is built from it.

Owns the schema with its units, ranges and defaults; everything above reads a ``World`` and nothing
else.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
