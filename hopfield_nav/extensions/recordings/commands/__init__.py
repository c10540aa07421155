"""The commands of the extension ``recordings``, one a file: replay, tune, explain, identify."""
