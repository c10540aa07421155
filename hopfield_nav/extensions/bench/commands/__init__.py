"""The commands of the extension ``bench``, one a file: bench."""
