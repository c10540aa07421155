"""Wire: the real-time data exchange of Universal Robots arms, spoken by a simulated arm and listened to live.

Owns protocol, server, a client that only receives, and methods over its stream; the commands alone
import it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
