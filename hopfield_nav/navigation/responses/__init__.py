"""What follows a touch of the tool: the responses, one a file, and what they share.

``navigation.answer`` says what follows; a ``Response`` may replace a part of it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
