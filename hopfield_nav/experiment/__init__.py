"""One experiment: a world is simulated from event to event and becomes a run.

Owns outcome, summary and record of a run, and the score of a run against the simulated truth.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
