"""The commands of the extension ``live``, one a file: serve, watch."""
