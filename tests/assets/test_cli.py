"""Commands of ``caos assets``."""

from __future__ import annotations

import json

import trimesh
from typer.testing import CliRunner

from caos.assets.cli import app


def test_list_prints_json_with_the_promised_fields(monkeypatch, built):
    monkeypatch.setenv("CAOS_CACHE", str(built))
    monkeypatch.setenv("CAOS_LIBRARY", str(built / "none"))
    result = CliRunner().invoke(app, ["list", "--json", "--category", "nature"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert len(rows) >= 20
    assert {"name", "kind", "category", "source", "licence", "size_m", "triangles"} <= set(rows[0])
    assert {row["category"] for row in rows} == {"nature"}
    wrong = CliRunner().invoke(app, ["list", "--category", "natur"])
    assert "did you mean 'nature'" in str(wrong.exception)


def test_import_command_prints_its_report(tmp_path, monkeypatch):
    root = tmp_path / "meshes"
    root.mkdir()
    trimesh.creation.box((1, 1, 1)).export(root / "cube.ply")
    (root / "bad.stl").write_text("solid nothing")
    result = CliRunner().invoke(app, ["import", str(root), "--library", str(tmp_path / "shelf"), "--licence", "CC0"])
    assert result.exit_code == 0, result.output
    assert "1 objects imported" in result.stdout
    assert "folder:bad.stl:" in result.stdout
