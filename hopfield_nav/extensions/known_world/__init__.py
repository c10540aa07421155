"""Planning where the surroundings are known.

A plan that is free before the arm moves (nowoczyn2023). Owns the tool on a line (``line``,
``graph``, ``shortest_path``, ``around``), the joints on a line (``direct_path``), any free path
(``sampling``), their time (``timing``) and the files of a plan (``planned``, ``robot_program``).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
