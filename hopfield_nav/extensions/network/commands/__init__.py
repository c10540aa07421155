"""The commands of the extension ``network``, one a file: network."""
