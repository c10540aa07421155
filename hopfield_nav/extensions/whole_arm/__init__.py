"""A map of joint angles: the whole arm feels its way over it.

It owns the grid over the joints, which of its cells a thing in space blocks, where on the arm a touch may have been,
and the navigator that plans with both. ``experiment`` and the rooms above may import from it.

To see how a path is chosen read, in the order of the calls: ``navigator`` (``_go_on``), ``arm_map`` (``next_step``),
``attempts`` (``choose_path``), ``search`` (``shortest``), ``cell_planners`` and ``step_checks``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
