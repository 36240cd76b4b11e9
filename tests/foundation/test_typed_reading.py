"""Typed reading: what a file may hold at most, and arrays that are checked before they are read."""

from __future__ import annotations

import contextlib
import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caos.foundation.errors import CaosError
from caos.foundation.settings import Below, parse_json, read_json, read_record, read_text, read_toml
from caos.foundation.storage.arrays import read_npy, read_npz
from caos.foundation.storage.files import read_jsonl


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 66 + "]" * 66, "nested more than 64 deep"),
        ("[" * 100_000, "is not valid JSON"),
        (str(2**63), "is not a finite number of 64 bits"),
        ("1" * 5000, "is not valid JSON"),
        ("[1e999]", "inf is not a finite number"),
        ("[NaN]", "NaN is not a JSON number"),
        ('{"a": 1, "a": 2}', "key 'a' occurs twice in one table"),
        ("{" + "".join(f'"{n}": 1, ' for n in range(100_000)) + '"99999": 2}', "key '99999' occurs twice in one table"),
        ('{"\\ud800": 1}', "is not text in Unicode"),
        ("", "is not valid JSON"),
    ],
)
def test_what_no_file_of_ours_holds_is_refused(text: str, words: str) -> None:
    with pytest.raises(CaosError, match="^x\\.json") as caught:
        parse_json(text, "x.json")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("../../etc/passwd", "leads outside the dataset"),
        ("/etc/passwd", "leads outside the dataset"),
        ("a/../../b", "leads outside the dataset"),
        ("", "is no path of a file"),
        ("a\\b", "is no path of a file"),
        ("a\nb", "is no path of a file"),
        ("x" * 256, "has a name of more than 255 bytes"),
    ],
)
def test_a_path_below_a_set_stays_there(path: str, words: str) -> None:
    with pytest.raises(CaosError, match=f"^here: .*{words}"):
        read_record(Annotated[str, Below()], path, "here")  # type: ignore[arg-type]
    assert read_record(Annotated[str, Below()], "a/b.png", "here") == "a/b.png"  # type: ignore[arg-type]
    with pytest.raises(CaosError, match="'a/b' is no name of a file"):
        read_record(Annotated[str, Below(is_name=True)], "a/b", "here")  # type: ignore[arg-type]


def test_the_largest_that_is_allowed_is_read() -> None:
    assert parse_json("[" * 64 + "]" * 64, "x") == json.loads("[" * 64 + "]" * 64)
    assert parse_json(f"[{2**63 - 1}, {-(2**63)}, 1e308]", "x") == [2**63 - 1, -(2**63), 1e308]


def test_a_mark_of_the_encoding_is_no_part_of_the_text_and_other_encodings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]", encoding="utf-8-sig")
    assert read_json(tmp_path / "a.json") == [1]
    (tmp_path / "b.json").write_text("[1]", encoding="utf-16")
    with pytest.raises(CaosError, match="is not UTF-8 text"):
        read_json(tmp_path / "b.json")
    (tmp_path / "b.json").write_text("[1]", encoding="utf-16-le")
    with pytest.raises(CaosError, match=r"b\.json: it is not UTF-8 text \(a byte is 0\)"):
        read_text(tmp_path / "b.json")
    (tmp_path / "a.toml").write_text("a = inf")
    with pytest.raises(CaosError, match="inf is not a finite number"):
        read_toml(tmp_path / "a.toml")


def test_lines_end_where_json_lines_end(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"name": "a\u2028b"}\n2\n', encoding="utf-8")
    assert read_jsonl(tmp_path / "a.jsonl") == [{"name": "a\u2028b"}, 2]
    (tmp_path / "b.jsonl").write_text("")
    assert read_jsonl(tmp_path / "b.jsonl") == []


class _Open(TypedDict, total=False):
    count: int


@dataclass(frozen=True)
class _Closed:
    size: tuple[int, int]
    open: _Open
    share: float = 0.5


def test_an_open_table_checks_what_it_declares_and_keeps_the_rest() -> None:
    read = read_record(_Closed, {"size": [1, 2], "open": {"count": 3, "more": [None]}}, "x")
    assert read == _Closed((1, 2), {"count": 3, "more": [None]})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(CaosError, match="x: key 'open': key 'count': '3' is not of type int"):
        read_record(_Closed, {"size": [1, 2], "open": {"count": "3"}}, "x")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=5), inside, max_size=4),
    max_leaves=12,
)
_near = st.fixed_dictionaries({"size": _json, "open": _json}, optional={"share": _json, "other": _json})


@settings(max_examples=200, deadline=None)
@given(value=_json | _near)
def test_whatever_stands_in_a_file_becomes_the_dataclass_or_one_line(value: Any) -> None:
    try:
        read: Any = read_record(_Closed, parse_json(json.dumps(value), "f.json"), "f.json")
    except CaosError as error:
        read = str(error)
    if isinstance(read, str):
        assert read.startswith("f.json")
        assert "\n" not in read
    else:
        assert all(type(side) is int for side in read.size)
        assert type(read.share) is float


def _declaring(shape: tuple[int, ...], held: bytes, dtype: str = "<f8") -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": dtype, "fortran_order": False, "shape": shape})
    return out.getvalue() + held


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    first, second = np.arange(6, dtype=np.int16).reshape(2, 3), np.asfortranarray(np.eye(3))
    np.savez_compressed(tmp_path / "a.npz", first=first, second=second, none=np.zeros((0, 4)))
    read = read_npz(tmp_path / "a.npz")
    assert set(read) == {"first", "second", "none"}
    np.testing.assert_array_equal(read["first"], first)
    np.testing.assert_array_equal(read["second"], second)
    assert read["none"].shape == (0, 4)
    np.save(tmp_path / "b.npy", second)
    np.testing.assert_array_equal(read_npy(tmp_path / "b.npy"), second)


def test_what_declares_more_than_it_holds_is_refused_before_it_is_read(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.npz"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.npy", _declaring((800_000_000,), b""))
    with pytest.raises(CaosError, match="more than it holds"):
        read_npz(bomb)
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.npy", _declaring((500_000,), bytes(4_000_000)))
    with pytest.raises(CaosError, match="declares 4000128 bytes of arrays, more than 1000000"):
        read_npz(bomb, most_bytes=1_000_000)
    (tmp_path / "a.npy").write_bytes(_declaring((2**40, 2**40), b""))
    with pytest.raises(CaosError, match="more than it holds"):
        read_npy(tmp_path / "a.npy")


def test_damaged_arrays_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, a=np.arange(100), b=np.array([object()], object))
    with pytest.raises(CaosError, match="holds Python objects"):
        read_npz(path)
    with pytest.raises(CaosError, match="cannot read .*a.npz: 'c'"):
        read_npz(path, ("c",))
    whole = path.read_bytes()
    for number in range(0, len(whole), 7):
        path.write_bytes(whole[:number])
        with pytest.raises(CaosError):
            read_npz(path, ("a",))
        path.write_bytes(whole[:number] + bytes([whole[number] ^ 0xFF]) + whole[number + 1 :])
        with contextlib.suppress(CaosError):
            read_npz(path, ("a",))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_archives_are_one_line_however_they_are_packed(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.npy", _declaring((100,), bytes(range(200)) * 4))
    whole = path.read_bytes()
    assert read_npz(path)["a"].shape == (100,)
    for number in range(len(whole)):
        path.write_bytes(whole[:number] + bytes([whole[number] ^ 0x5A]) + whole[number + 1 :])
        with contextlib.suppress(CaosError):
            read_npz(path, ("a",))


@pytest.mark.parametrize("read", [read_npz, read_npy, read_json, read_toml, read_jsonl])
def test_a_pipe_is_not_waited_for(tmp_path: Path, read: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CaosError, match="it is not a file"):
        read(tmp_path / "pipe")
