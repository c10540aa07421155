"""``python -m hopfield_nav``: the command line."""

import sys

from hopfield_nav.cli import main

if __name__ == "__main__":
    sys.exit(main())
