"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="Methods beside each other: suites of worlds and conditions, and a page of what came out.",
    needs=("clearance", "recordings", "viewer"),
    provides={
        "list_suites": "loading:list_suites",
        "find_suite": "loading:find_suite",
        "load_suite": "loading:load_suite",
        "suite_schema": "suite_file:dump_suite_schema",
        "compare_worlds": "commands.bench:compare_worlds",
    },
    commands={
        "bench": "Put methods beside each other on families of worlds: a table, and a page to compare them.",
    },
)
