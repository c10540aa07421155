"""A map of joint angles: the whole arm feels its way over it.

It owns the grid over the joints, which of its cells a thing in space blocks, where on the arm a
touch may have been, and the navigator that plans with both. ``experiment`` and the rooms above may
import from it.

How a path is chosen, in the order of the calls. A motion has ended: ``navigator`` (``_go_on``) asks
what comes next. ``arm_map`` answers (``ArmMap.next_step``): it asks a strategy what speaks against
cells and places (``path_by_belief``), and makes attempts, each more daring than the one before
(``choose_path``, the table ``ATTEMPTS``). ``search`` finds the path of one attempt
(``Search.shortest``): the network plans, every step of its path is checked exactly
(``step_checks``), what does not pass is closed, and the network plans again (``_proven``).
``navigator`` drives the path (``_drive``), along straight lines where nothing speaks against one
(``Shortener``).

Before a path is driven that is doubted, the arm may ask whether it fits at its goal at all
(``probes``); ``separation`` says whether what was touched there settles it.

What the attempts go by, from a touch on: ``localization`` (torque to places), ``learning`` (places
to cells, and what else is closed), ``blocking`` (at which cells the arm would be in a place).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
