"""The responses of the extension ``surfaces``, one a file: ``follow`` and ``slide``."""
