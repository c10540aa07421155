"""What follows a touch of the tool: the responses, one a file, and what they share.

Each is an object that is given what was felt and gives the next motion (``replan.Replan``).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
