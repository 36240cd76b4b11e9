"""Start of ``caos`` and of ``python -m caos``: Ctrl-C is one line from here on, before anything else is imported."""

import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C before it listens, or while it leaves, ends in a line as well."""
    try:
        from caos.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; run the same command again\n")
        sys.stderr.flush()
        os._exit(130)  # what is half imported cannot be taken down in order


if __name__ == "__main__":
    main()
