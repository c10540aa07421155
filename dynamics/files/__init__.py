"""Arm files: read and written as YAML and URDF, written as MJCF.

Owns what a file may say and every message about a faulty one; ``dynamics.load_arm`` is its usual
caller.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
