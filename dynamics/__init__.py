"""The arm, and nothing but the arm: parameters, kinematics and dynamics of serial revolute arms.

It knows no experiment and draws nothing. Public functions are imported from here or from its rooms
``files``, ``inverse``, ``linear`` and ``identification``; kernels from the file that holds them.
Every one raises ``BadInput`` for arrays of other shapes than it says.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
