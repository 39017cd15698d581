"""``python -m nproc``."""

import sys

from nproc.cli import main

if __name__ == "__main__":
    sys.exit(main())
