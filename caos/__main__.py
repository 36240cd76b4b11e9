"""``python -m caos``."""

from caos.cli import main

main()
