"""Take away from Python, and from every child it starts, what Windows lacks. Python imports this module when it starts.

``sys.platform`` stays what it is: other libraries choose their code by it, ours must look for what it needs.
"""

from __future__ import annotations

import multiprocessing.util  # noqa: F401 - it needs here what is taken away below
import os
import signal
import subprocess  # noqa: F401 - it takes a module msvcrt for a sign of Windows
import sys
import types
from typing import Any

SIGNALS = (
    "SIGHUP",
    "SIGQUIT",
    "SIGUSR1",
    "SIGUSR2",
    "SIGALRM",
    "pthread_kill",
    "pthread_sigmask",
    "setitimer",
    "alarm",
)
CALLS = (
    "fork", "forkpty", "getuid", "geteuid", "getgid", "getpgid", "killpg", "setsid", "sched_getaffinity", "statvfs",
    "getloadavg", "mkfifo", "nice", "chown", "sysconf",
)  # fmt: skip
MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "syslog", "pty")

for name in SIGNALS:
    vars(signal).pop(name, None)
for name in CALLS:
    vars(os).pop(name, None)
for name in MODULES:
    sys.modules[name] = None  # type: ignore[assignment]


def _no_links(*_: Any, **__: Any) -> None:
    raise OSError(1314, "A required privilege is not held by the client")


os.symlink = _no_links


def _locking(_handle: int, _mode: int, _bytes: int) -> None:
    """Grant every lock: no two processes of these tests want the same one."""


sys.modules["msvcrt"] = types.SimpleNamespace(locking=_locking, LK_NBLCK=2)  # type: ignore[assignment]
