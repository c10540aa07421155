"""The command line: words, exit status, progress.

Owns what a command says and prints, one file a command; nothing imports it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
