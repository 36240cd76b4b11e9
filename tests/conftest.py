"""Threads of the tests: several processes of pytest share the cores, so that nobody spins while it waits."""

from caos.foundation.execution.threads import wait_passively

wait_passively()
