"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="The whole arm feels: a map of its joint angles.",
    needs=("clearance", "isolation", "known_world"),
    methods={"navigator": "navigators", "belief": "strategies"},
)
