"""Extraction of zip archives: nothing lands outside the folder, and any damage is an error."""

from __future__ import annotations

import contextlib
import stat
import zipfile
from types import SimpleNamespace

import pytest
import trimesh

from caos.assets.importing.archive import unpack
from caos.assets.importing.importer import ImportOptions, import_objects
from caos.foundation.errors import CaosError


def test_an_archive_cannot_write_outside_its_folder(tmp_path, worker):
    ply = trimesh.creation.box((1, 1, 1)).export(file_type="ply")
    archive = tmp_path / "things.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("good/cube.ply", ply)
        opened.writestr("../../escaped.ply", ply)
        opened.writestr("/tmp/absolute.ply", ply)
        link = zipfile.ZipInfo("link.ply")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        opened.writestr(link, "/etc/passwd")
    report = import_objects(archive, "folder", tmp_path / "shelf", ImportOptions(), worker=worker)
    assert report.imported == ["cube"]
    assert sorted(reason for _, reason in report.set_aside) == [
        "is a symbolic link",
        "its path leads outside the archive's folder",
        "its path leads outside the archive's folder",
    ]
    assert not list(tmp_path.rglob("escaped.ply"))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_any_damage_of_an_archive_is_an_error(tmp_path, method):
    archive, whole = tmp_path / "things.zip", tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w", method) as opened:
        opened.writestr("box/cube.off", b"OFF 8 12 0 and more of it " * 20)
    data = whole.read_bytes()
    for place in range(len(data)):
        archive.write_bytes(data[:place] + bytes([data[place] ^ 0x5A]) + data[place + 1 :])
        (tmp_path / str(place)).mkdir()
        with contextlib.suppress(CaosError):
            refused = unpack(archive, tmp_path / str(place))
            assert len(refused) <= 1


def test_unusable_members_are_skipped_and_the_others_extracted(tmp_path):
    archive = tmp_path / "things.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for name in (".", "a", "a/b.off", "x" * 300, "box\\cube.off"):
            opened.writestr(zipfile.ZipInfo(name), b"OFF")
    (tmp_path / "out").mkdir()
    refused = unpack(archive, tmp_path / "out")
    assert [reason for _, reason in refused] == [
        "has no name",
        "cannot be unpacked: File exists",
        "cannot be unpacked: File name too long",
    ]
    assert (tmp_path / "out/box/cube.off").read_bytes() == b"OFF"


def test_an_archive_larger_than_the_free_disk_space_is_refused(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "things.zip", "w") as opened:
        opened.writestr("cube.off", b"OFF" * 100)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=200))
    with pytest.raises(CaosError, match="unpacks to 0.0 GB, and .* has 0.0 GB left"):
        unpack(tmp_path / "things.zip", tmp_path)
