"""Public names of the package, loaded when they are first used; ``__init__.pyi`` is the one list of them."""

from pathlib import Path
from typing import Any

import lazy_loader

from caos.foundation.command_line.extras import DISTRIBUTION, naming_extras

_load, _, _NAMES = lazy_loader.attach_stub("caos", str(Path(__file__).with_name("__init__.py")))


def public_name(name: str) -> Any:
    """What ``caos.NAME`` is.

    Raises:
        AttributeError: If there is no such name.
        MissingExtraError: If what it needs is not installed.
    """
    if name == "__all__":
        return _NAMES
    if name == "__version__":
        from caos.foundation.storage.provenance import package_version

        return package_version(DISTRIBUTION)
    with naming_extras():
        return _load(name)
