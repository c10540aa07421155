"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="Along what was felt: follow it from touch to touch, or slide on it with a given force.",
    methods={"response": "responses", "controller": "laws"},
)
