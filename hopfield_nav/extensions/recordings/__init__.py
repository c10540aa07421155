"""Logs: recordings of a real arm and of runs, in one labelled form.

Owns reading them, any estimator and detector over them, motor constants, and logs for
identification.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
