"""Child process that imports one mesh after another, so that a crash or hang does not stop the import."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from caos.assets.catalogue.object_file import describe, write_object
from caos.assets.importing.job import ImportJob, Outcome, UnusableMeshError
from caos.foundation.errors import CaosError
from caos.foundation.execution.children import module_command
from caos.foundation.settings import parse_json, read_record

TIMEOUT_S = 180.0
START_S = 60.0
MEMORY_BYTES = 12 * 2**30


class Worker:
    """Child process that imports meshes; restarted after a crash or a timeout."""

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._child: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def run(self, job: ImportJob) -> Outcome:
        """Import one mesh: read, clean, write its object file."""
        try:
            child = self._started()
            assert child.stdin is not None
            child.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            child.stdin.flush()
            answer = self._line(self._timeout_s)
        except (OSError, TimeoutError) as error:
            return self._lost(job, error)
        if not answer:
            return self._lost(job, None)
        try:
            outcome = read_record(Outcome, parse_json(answer.decode(), "its reader"), "its reader")
        except (CaosError, UnicodeDecodeError) as error:
            return self._lost(job, error)
        # Ignore the answer to an earlier job whose wait was interrupted.
        return outcome if outcome.source == job.source else self._lost(job, None)

    def _lost(self, job: ImportJob, error: Exception | None) -> Outcome:
        code = None if self._child is None else self._child.poll()
        self._stop()
        if isinstance(error, TimeoutError):
            return Outcome(job.source, reason=f"took longer than {self._timeout_s:.0f} s to read")
        return Outcome(job.source, reason=f"its reader crashed{'' if code is None else f' (exit {code})'}")

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            self._child = subprocess.Popen(
                module_command("caos.assets.importing.worker"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            self._line(START_S)
        return self._child

    def _line(self, timeout_s: float) -> bytes:
        """Read the next line from the child; empty bytes if it has exited."""
        child = self._child
        assert child is not None
        assert child.stdout is not None
        while b"\n" not in self._rest:
            ready, _, _ = select.select([child.stdout], [], [], timeout_s)
            if not ready:
                raise TimeoutError
            data = os.read(child.stdout.fileno(), 65536)
            if not data:
                child.wait(5)
                return b""
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    def _stop(self) -> None:
        child, self._child, self._rest = self._child, None, b""
        if child is None:
            return
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()


def import_one(job: ImportJob) -> Outcome:
    """Read, clean and write one mesh in the current process."""
    from caos.assets.importing.hygiene import prepare
    from caos.assets.importing.reading import read_mesh_file

    file = Path(job.file)
    try:
        mesh, notes = read_mesh_file(file, Path(job.root))
        mesh, more = prepare(mesh, job, file.suffix.lower())
    except UnusableMeshError as error:
        return Outcome(job.source, reason=str(error))
    except MemoryError:
        return Outcome(job.source, reason="needs too much memory")
    named = {key: getattr(job, key) for key in ("name", "kind", "category", "source", "licence", "origin")}
    info, stored = describe(mesh, **named)
    write_object(Path(job.out), info, stored)
    return Outcome(job.source, info, notes=notes + more)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not available on Windows; the timeout still applies
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def main() -> None:
    """Read one job (JSON) per line of standard input; write one outcome (JSON) per line of standard output."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Native readers may print to standard output: redirect it to standard error and keep the pipe for answers.
    os.dup2(2, 1)
    _limit_memory()
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        job = read_record(ImportJob, parse_json(line, "job"), "job")
        try:
            outcome = import_one(job)
        except Exception as error:  # noqa: BLE001 - one mesh must not stop the import
            outcome = Outcome(job.source, reason=f"cannot be used: {type(error).__name__}: {str(error)[:160]}")
        answers.write(json.dumps(asdict(outcome)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
