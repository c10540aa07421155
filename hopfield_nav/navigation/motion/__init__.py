"""From a path over cells to the motion of the joints: poses, inverse kinematics, trajectory.

It owns what a motion is, its segments and its phases. Every response to a touch uses it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
