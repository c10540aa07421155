"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="What of the arm touches what: distances, and proof that a motion is free.",
)
