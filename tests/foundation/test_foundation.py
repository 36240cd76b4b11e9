from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.children import module_command
from caos.foundation.execution.progress import QUIET, SILENT, Terminal
from caos.foundation.execution.threads import spare_the_cores
from caos.foundation.settings import Limits, read_json, read_record, resolve
from caos.foundation.storage.claims import claimed, locked
from caos.foundation.storage.files import (
    paths_below,
    read_jsonl,
    sha256,
    whole_file,
    write_json,
    write_jsonl,
    write_text,
)
from caos.foundation.storage.identity import FileHashes, Fingerprint, Numerics
from caos.foundation.storage.provenance import package_version, provenance


@dataclass(frozen=True)
class Options:
    epochs: int = 20
    rate: float = 0.02
    mode: Literal["a", "b"] = "a"
    sizes: tuple[int, ...] = (1, 2)
    place: Path | None = None


def test_flags_win_over_the_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('epochs = 3\nrate = 1\nsizes = [4, 5]\nplace = "x"\n')
    assert resolve(Options, file, {"epochs": 7, "mode": None}) == Options(7, 1.0, "a", (4, 5), Path("x"))
    assert resolve(Options, None, {}) == Options()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("epoch = 3", "unknown key 'epoch'; did you mean 'epochs'?"),
        ('epochs = "three"', "key 'epochs': 'three' is not of type int"),
        ("epochs = true", "key 'epochs': True is not of type int"),
        ('mode = "c"', "'c' is not one of a, b"),
        ("epochs = ", "is not valid TOML"),
    ],
)
def test_a_wrong_configuration_is_one_clear_line(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    with pytest.raises(CaosError, match="c.toml") as caught:
        resolve(Options, file, {})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_configuration_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="No such file"):
        resolve(Options, tmp_path / "none.toml", {})


def test_unknown_suggests_the_nearest_name() -> None:
    assert str(unknown("scorer", "zzz", ["msp"])) == "unknown scorer 'zzz' (known: msp)"


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(RuntimeError), whole_file(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_full_disk_is_a_clear_error(tmp_path: Path) -> None:
    with (
        pytest.raises(CaosError, match=r"cannot write .*a.txt: No space left on device"),
        whole_file(tmp_path / "a.txt"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_folder_that_is_gone_is_told_and_not_tried_for_ever(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for write in (lambda: write_text(Path("a.txt"), "a"), lambda: whole_file(Path("a.txt")).__enter__()):
        with pytest.raises(CaosError, match=r"cannot write a\.txt: No such file"):
            write()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CaosError, match="cannot write"):
        write_text(tmp_path / "file" / "a.txt", "x")


def test_json_round_trips_and_refuses_nan(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": [1.5]})
    assert read_json(tmp_path / "a.json") == {"a": [1.5], "b": 1}
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "b.json", float("nan"))
    write_jsonl(tmp_path / "a.jsonl", [{"k": 1}, {"k": 2}])
    assert read_jsonl(tmp_path / "a.jsonl") == [{"k": 1}, {"k": 2}]


def test_broken_json_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n{\n")
    with pytest.raises(CaosError, match="line 2"):
        read_jsonl(tmp_path / "a.jsonl")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(CaosError, match="not valid JSON"):
        read_json(tmp_path / "a.json")
    with pytest.raises(CaosError, match="cannot read"):
        read_json(tmp_path / "none.json")


def test_a_device_a_pipe_or_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe", tmp_path / "folder", tmp_path / "device", Path("/dev/stdout")):
        with pytest.raises(CaosError, match=f"cannot write {path}: it is not a file"):
            write_text(path, "x")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "device").is_char_device()


def test_sha256_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless", "."):
        with pytest.raises(CaosError, match="is not a file"):
            sha256(tmp_path / name)


def test_progress_in_a_log_is_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Terminal().task("rendering", 4, done=1) as task:
        task.advance(3, note="test/t5/3")
    text = capsys.readouterr().err
    assert text.startswith("rendering: 4/4, ")
    assert text.rstrip().endswith("test/t5/3")
    assert "\x1b" not in text


def test_quiet_and_silent_progress_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    token = QUIET.set(True)
    try:
        with Terminal().task("x", 1) as task:
            task.advance()
        Terminal().say("hello")
    finally:
        QUIET.reset(token)
    with SILENT.task("x", None) as task:
        task.advance()
    SILENT.say("x")
    assert capsys.readouterr() == ("", "")


def test_provenance_names_versions_seed_and_configuration() -> None:
    record = provenance({"a": 1}, seed=5)
    assert record["seed"] == 5
    assert record["configuration"] == {"a": 1}
    assert record["versions"]["numpy"] == package_version("numpy")
    assert package_version("no-such-package") == "not installed"


def work(place: Path, configuration: object) -> None:
    with claimed(place, "job.json", configuration, "job"):
        (place / "result.txt").touch()


def test_what_a_killed_process_left_half_written_is_gone_when_work_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".work.abc.part.json").write_text("{")
    with claimed(out, "work.json", {"a": 1}, "work"):
        (out / "deep").mkdir()
        (out / "deep" / ".0.xyz.part.png").write_bytes(b"half")
        (out / "deep" / "0.png").write_bytes(b"whole")
    with claimed(out, "work.json", {"a": 1}, "work"):
        assert sorted(path.name for path in out.rglob("*")) == [".lock", "0.png", "deep", "work.json"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".notes.part.json").write_text("mine")
    with pytest.raises(CaosError, match="is not empty"), claimed(tmp_path / "other", "work.json", {}, "work"):
        pass
    assert (tmp_path / "other" / ".notes.part.json").read_text() == "mine"


def test_a_folder_is_claimed_once(tmp_path: Path) -> None:
    place = tmp_path / "work"
    work(place, {"size": (2, 3)})
    work(place, {"size": [2, 3]})
    with pytest.raises(
        CaosError,
        match=r"work holds a job made with other settings \(size was \[2, 3\], is \[2, 4\]; see",
    ):
        work(place, {"size": [2, 4]})
    (tmp_path / "letter.txt").touch()
    with pytest.raises(CaosError, match="is not empty and holds no job to continue"):
        work(tmp_path, {})
    with pytest.raises(CaosError, match="letter.txt is not a folder"):
        work(tmp_path / "letter.txt", {})


def test_work_that_made_nothing_leaves_its_folder_to_other_work(tmp_path: Path) -> None:
    new, there = tmp_path / "new", tmp_path / "there"
    there.mkdir()
    for place in (new, there):
        with pytest.raises(KeyboardInterrupt), claimed(place, "job.json", {}, "job"):
            raise KeyboardInterrupt
    assert not new.exists()
    assert list(there.iterdir()) == []
    with pytest.raises(CaosError, match="no server"), claimed(new, "job.json", {}, "job"):
        (new / "result.txt").touch()
        raise CaosError("no server")
    assert sorted(path.name for path in new.iterdir()) == ["job.json", "result.txt"]


def test_a_folder_that_went_away_does_not_hide_why_work_failed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(CaosError, match="the disk is gone"), claimed(out, "job.json", {}, "job"):
        shutil.rmtree(out)
        raise CaosError("the disk is gone")
    assert not out.exists()


def test_a_long_list_of_names_is_not_printed_whole():
    text = str(unknown("object", "sofaa", [*(f"thing_{i:03d}" for i in range(600)), "sofa"]))
    assert "did you mean 'sofa'?" in text
    assert "601 are known" in text
    assert len(text) < 300


def test_algebra_has_one_thread_until_the_cores_are_given_back():
    import numpy as np  # noqa: F401 - brings the matrix library
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        before = threads()  # a library that was built for one thread has one
        give_back = spare_the_cores()
        assert threads() == {1}
        give_back()
        assert threads() == before >= {2}


_HOLD = """
import sys, time
from pathlib import Path
from caos.foundation.storage.claims import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_one_process_a_folder_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", _HOLD, str(tmp_path / "out")], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with (
            pytest.raises(CaosError, match="another process is working on the scoring in .*out"),
            locked(tmp_path / "out", "scoring"),
        ):
            pass
    finally:
        other.kill()
        other.communicate()
    with locked(tmp_path / "out", "scoring"):
        pass
    assert list((tmp_path / "out").iterdir()) == []


def test_other_work_is_replaced_only_when_asked(tmp_path: Path) -> None:
    place = tmp_path / "work"
    with claimed(place, "job.json", {"size": 1}, "job"):
        (place / "made" / "old").mkdir(parents=True)
    with claimed(place, "job.json", {"size": 2}, "job", overwrite=True):
        assert [path.name for path in place.iterdir() if path.name != ".lock"] == ["job.json"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    with (
        pytest.raises(CaosError, match="holds no job to continue"),
        claimed(tmp_path / "mine", "job.json", {}, "job", overwrite=True),
    ):
        pass
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "precious"


def hashed_long_ago(kept: Path) -> FileHashes:
    """The hashes saved at ``kept``, as if they had been made ten seconds after the last change of every file."""
    rows = json.loads(kept.read_text())
    kept.write_text(json.dumps({name: row | {"hashed_ns": row["hashed_ns"] + 10**10} for name, row in rows.items()}))
    return FileHashes(kept)


@pytest.mark.parametrize("how", ["written in place", "replaced", "swapped with another"])
def test_a_changed_file_has_another_hash_even_with_the_same_size_and_time(tmp_path: Path, how: str) -> None:
    file, other, kept = tmp_path / "map.npy", tmp_path / "other.npy", tmp_path / "inputs.json"
    file.write_bytes(b"one")
    other.write_bytes(b"two")
    for path in (file, other):
        os.utime(path, ns=(10**18, 10**18))
    hashes = FileHashes(kept)
    first = hashes.digest([file, None])
    hashes.save()
    if how == "written in place":
        file.write_bytes(b"two")
        os.utime(file, ns=(10**18, 10**18))
    elif how == "replaced":
        other.replace(file)
    else:
        file.rename(tmp_path / "aside")
        other.rename(file)
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (3, 10**18)
    assert hashed_long_ago(kept).digest([file, None]) != first


def saved_hashes(tmp_path: Path) -> tuple[Path, Path, str]:
    """A file, where its hash is saved, and the digest of it."""
    file, kept = tmp_path / "map.npy", tmp_path / "inputs.json"
    file.write_bytes(b"one")
    hashes = FileHashes(kept)
    first = hashes.digest([file])
    hashes.save()
    return file, kept, first


def test_an_unchanged_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, kept, first = saved_hashes(tmp_path)
    monkeypatch.setattr("caos.foundation.storage.identity.sha256", lambda path: pytest.fail(f"{path} was read"))
    assert hashed_long_ago(kept).digest([file]) == first


def test_without_a_change_time_every_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, kept, first = saved_hashes(tmp_path)
    monkeypatch.setattr("caos.foundation.storage.identity.HAS_CHANGE_TIME", False)
    read = []
    monkeypatch.setattr("caos.foundation.storage.identity.sha256", lambda path: read.append(path) or sha256(path))
    assert hashed_long_ago(kept).digest([file]) == first
    assert read == [file]


def test_a_fingerprint_has_versions_of_what_is_installed() -> None:
    made = Fingerprint({"labels": "ab"}, {"seed": 3}, (Numerics("one", 2, ("numpy", "no-such-package")),))
    plan = {"labels": "ab", "seed": 3, "numerics": {"one": 2}, "packages": {"numpy": np.__version__}}
    assert made.plan() == plan


@dataclass(frozen=True)
class Inner:
    name: str
    share: Annotated[float, Limits(0, 1)] = 0.5


@dataclass(frozen=True)
class Outer:
    parts: tuple[Inner, ...]
    size: tuple[int, int] = (1, 2)
    notes: Mapping[str, int] = field(default_factory=dict)
    where: Path | None = None


def test_a_record_is_read_into_its_dataclass() -> None:
    value = {"parts": [{"name": "a"}, {"name": "b", "share": 1}], "size": [3, 4], "notes": {"x": 1}, "where": "here"}
    read = read_record(Outer, value, "f.json")
    assert read == Outer((Inner("a"), Inner("b", 1.0)), (3, 4), {"x": 1}, Path("here"))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "f.json: key 'parts' is missing"),
        ({"parts": [{"nam": "a"}]}, "f.json: key 'parts'[0]: unknown key 'nam'; did you mean 'name'?"),
        ({"parts": [{"name": "a", "share": 2}]}, "key 'share': 2.0 is not a number from 0 to 1"),
        ({"parts": [{"name": "a", "share": float("nan")}]}, "key 'share': nan is not a finite number"),
        ({"parts": [], "size": [1]}, "key 'size': [1] has 1 members, not 2"),
        ({"parts": {}}, "key 'parts': {} is not a list"),
        ({"parts": [], "notes": {"x": "y"}}, "key 'notes'.x: 'y' is not of type int"),
        ([], "f.json: [] is not a table with the fields of Outer"),
    ],
)
def test_a_wrong_record_names_file_field_and_value(value: object, words: str) -> None:
    with pytest.raises(CaosError) as caught:
        read_record(Outer, value, "f.json")
    assert words in str(caught.value)


def test_what_is_no_file_or_no_text_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latin").write_bytes(b"\xff")
    (tmp_path / "nan.json").write_text("[NaN]")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for name, words in {"pipe": "not a file", "latin": "not UTF-8", "nan.json": "NaN", "deep.json": "JSON"}.items():
        with pytest.raises(CaosError, match=words):
            read_json(tmp_path / name)


def test_a_child_runs_nothing_of_the_folder_it_is_started_in(tmp_path: Path) -> None:
    for name in ("runpy", "json", "numpy", "caos"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('foreign code')")
    command = module_command("caos", "--version")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("caos "), done.stderr


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (FileNotFoundError(2, "No such file or directory"), "inner went away while .* was searched"),
        (PermissionError(13, "Permission denied"), "inner cannot be searched: Permission denied"),
    ],
)
def test_a_folder_that_goes_away_or_is_locked_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, told: str
) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.png").touch()
    assert list(paths_below(tmp_path, "*.png")) == [tmp_path / "inner" / "a.png"]
    assert list(paths_below(tmp_path / "nowhere")) == []
    look = os.scandir
    error.filename = str(tmp_path / "inner")

    def scan(place: str) -> object:
        if str(place).endswith("inner"):
            raise error
        return look(place)

    monkeypatch.setattr(os, "scandir", scan)
    with pytest.raises(CaosError, match=told):
        list(paths_below(tmp_path))
