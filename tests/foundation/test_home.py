"""A process without HOME, as in containers and services."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

WITHOUT_HOME = {name: value for name, value in os.environ.items() if name != "HOME"}
NO_SUCH_USER = "import pwd\ndef none(uid): raise KeyError(uid)\npwd.getpwuid = none\n"


def printed(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=WITHOUT_HOME, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_the_carla_client_is_imported_without_home() -> None:
    pytest.importorskip("carla")
    assert printed("import caos.simulator, carla; print(carla.Location(x=1).x)") == "1.0"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no user database in pwd")
def test_home_is_that_of_the_user_database() -> None:
    import pwd

    assert printed("from caos.foundation.execution.home import home; print(home())") == pwd.getpwuid(os.getuid()).pw_dir


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no user database in pwd")
def test_a_user_unknown_to_the_system_has_the_temporary_folder() -> None:
    code = NO_SUCH_USER + "from caos.foundation.storage.cache import cache_root; print(cache_root())"
    assert printed(code) == str(Path(tempfile.gettempdir()) / ".cache/caos")
