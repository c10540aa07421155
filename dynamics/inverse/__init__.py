"""Joint angles for a pose of the tool: every analytic solution, numeric ones, and along a path.

Owns the closed form of UR-like arms and its singular cases, the damped search for all other arms,
and joint paths that stay on one branch.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
