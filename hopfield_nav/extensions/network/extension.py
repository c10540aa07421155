"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="The network to play with, as one page for a browser.",
    commands={
        "network": "Open the network to play with in the browser: draw a wall, and it answers."
    },
)
