"""The command line: words, exit status, progress.

Owns what a command says and prints; ``app`` says which file each is in. Nothing imports it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
