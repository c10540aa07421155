"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="A run, a plan or a stream as one page for a browser.",
    needs=("clearance", "known_world", "network"),
    commands={
        "view": "Show a run or a plan in the browser: the arm in space, its signals and its map at one time."
    },
    provides={
        "RunView": "of_run:RunView",
        "describe_run": "of_run:describe_run",
        "LivePage": "template:LivePage",
    },
)
