"""One experiment: a world is simulated from event to event and becomes a run.

Owns what happens between a world and its record: the loop of events, what the arm does after an
alarm, the checks before a run, and the summary. The record itself lies in ``record``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
