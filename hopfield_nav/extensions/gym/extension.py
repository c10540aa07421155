"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(package=__package__, description="A world as an environment of Gymnasium.")
