"""A UR5 that cannot see, finding its way by touch with a Hopfield neural network.

What most programs need is imported from here; ``docs/architecture.md`` shows the rooms behind it.
"""

import os
import sys

_place = os.path.dirname(os.path.dirname(__file__))
if (
    sys.argv[:1] == ["-m"]
    and __name__ in sys.orig_argv
    and not (sys.flags.safe_path or sys.path[0] == _place)
):
    # python -m hopfield_nav: the current folder, where other modules of these names may lie
    del sys.path[0]

import lazy_loader  # noqa: E402

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
