"""Write down what each of our extensions adds, for the line that names one that is not installed.

    python scripts/comes_with.py

A world or a command may ask for what comes with an extension that is not there, and cannot be
asked. So ``hopfield_nav/plugin/comes_with.json`` holds what every extension declares; a test
compares.
"""

import json

from hopfield_nav.plugin import Extension, extensions
from hopfield_nav.plugin.extension import COMES_WITH_FILE


def added_by(extension: Extension) -> list[str]:
    """The methods of an extension, ``kind name``, and what it provides."""
    methods = [
        f"{kind} {name}" for kind in extension.methods for name in extension.method_names(kind)
    ]
    return sorted([*methods, *extension.provides])


def declared() -> dict[str, list[str]]:
    """What each of our extensions adds to the program, by its name."""
    added = {extension.name: added_by(extension) for extension in extensions() if extension.is_ours}
    return {name: words for name, words in sorted(added.items()) if words}


def main() -> None:
    """Write the file."""
    COMES_WITH_FILE.write_text(json.dumps(declared(), indent=1) + "\n", encoding="utf-8")
    print(COMES_WITH_FILE)


if __name__ == "__main__":
    main()
