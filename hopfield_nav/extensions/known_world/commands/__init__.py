"""The commands of the extension ``known_world``, one a file: plan, demo."""
