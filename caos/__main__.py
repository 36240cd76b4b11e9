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


def _leave_working_directory() -> None:
    """Take the working directory off the path, where ``python -m`` put it first.

    A file ``./json.py`` there would run in place of the library. A checkout that is itself the working directory stays.
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - nothing is imported yet
    if not getattr(sys.flags, "safe_path", False) and sys.path and sys.path[0] != home:
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_directory()
    main()
