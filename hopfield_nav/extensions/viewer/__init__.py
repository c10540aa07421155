"""A run, a plan or a live stream as one page for a browser.

The arm in space, signals, map, one time cursor. Owns the page, the numbers on it, and the copy of
three.js that draws it; only commands import it, and of the pictures it takes the colours and the
classes of cells. Nothing is simulated, and the page asks no network.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
