"""``python -m hopfield_nav.cli``."""

import sys

from hopfield_nav.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
