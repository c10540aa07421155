"""The network to play with, as one page for a browser: draw a wall, and the network answers.

Owns the page, the networks in its own language, and what of a world or a run is put on it; only its
command and the page of a run import it. Nothing is simulated, and the page asks no network.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
