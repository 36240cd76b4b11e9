"""Driving simulator behind the genuine ``carla`` client: a real CARLA server, or the embedded server."""

from caos.foundation.execution.home import ensure_home

ensure_home()  # the carla client reads HOME while it is imported, and crashes (SIGSEGV) where it is not set
