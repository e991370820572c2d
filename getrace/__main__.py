"""``python -m getrace``: the command line where its script is not on PATH."""

import sys

from getrace.cli import main

if __name__ == "__main__":
    sys.exit(main())
