"""The commands of the extension ``viewer``, one a file: view."""
