"""The record of a run: what is kept of it, labelled, saved, loaded and scored.

Owns ``Run``, its summary's quantities, its files, and its score against the simulated truth.
Pictures, pages, logs and live streams need nothing else of a run: how it came about is the business
of ``experiment``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
