"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="Where on the arm a touch was: link and place, from the torques of the joints.",
)
