"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="Other plants for the loop: elastic joints, and MuJoCo.",
    methods={"engine": "plants"},
)
