"""Import of meshes into a library, and their export as a CARLA package."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.object_file import content_hash, read_index
from caos.assets.importing.carla_package import size_word, write_obj, write_package
from caos.assets.importing.hygiene import orientation, prepare
from caos.assets.importing.importer import ImportOptions, import_objects
from caos.assets.importing.job import ImportJob
from caos.assets.importing.reading import read_mesh_file
from caos.assets.importing.worker import Worker
from caos.foundation.errors import CaosError
from caos.foundation.storage.claims import locked

CSV_FIELDS = ["fullId", "category", "wnsynset", "wnlemmas", "up", "front", "unit", "aligned.dims", "name", "tags"]


# a synthetic ShapeNetSem


def _textured_box(folder: Path, model: str, size: tuple[float, float, float], map_line: str) -> None:
    x, y, z = size
    corners = [(a, b, c) for a in (0, x) for b in (0, y) for c in (0, z)]
    quads = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
    lines = [f"mtllib {model}.mtl", *(f"v {a} {b} {c}" for a, b, c in corners), "vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
    lines += ["usemtl wood", *("f " + " ".join(f"{v}/{k + 1}" for k, v in enumerate(q)) for q in quads)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{model}.obj").write_text("\n".join(lines) + "\n")
    (folder / f"{model}.mtl").write_text(f"newmtl wood\nKd 0.8 0.4 0.2\n{map_line}\n")


@pytest.fixture
def shapenetsem(tmp_path):
    root = tmp_path / "ShapeNetSem"
    models = root / "models-OBJ" / "models"
    _textured_box(models, "aaaa1111", (100, 40, 60), "map_Kd wood.jpg")
    _textured_box(models, "bbbb2222", (20, 30, 10), "")
    _textured_box(models, "cccc3333", (1, 1, 1), "")
    (root / "textures").mkdir()
    Image.fromarray(np.full((8, 8, 3), (200, 100, 50), np.uint8)).save(root / "textures" / "wood.jpg")
    rows = [
        # 100 x 40 x 60 units of 2 cm: y is up in this model and its front looks along +x
        ("wss.aaaa1111", "Chair,OfficeChair", r"0\,1\,0", r"1\,0\,0", "0.02", r"200\,80\,120"),
        # no unit: aligned dims in centimetres say 90 cm
        ("wss.bbbb2222", "Vase", "", "", "", r"60\,90\,30"),
        ("wss.cccc3333", "Car,Sedan", "", "", "0.01", ""),
        ("wss.dddd4444", "Tree", "", "", "0.01", ""),
        ("wss.room77", "", "", "", "0.01", ""),
        ("wss.eeee5555", "Lamp", "", "", "0.01", ""),
        ("wss.ffff6666", "Lamp", r"0\,broken", "", "0.01", ""),
    ]
    with (root / "metadata.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(CSV_FIELDS)
        for full_id, category, up, front, unit, dims in rows:
            writer.writerow([full_id, category, "", "", up, front, unit, dims, "a name", ""])
    _textured_box(models, "ffff6666", (1, 1, 1), "")
    return root


def test_shapenetsem_is_scaled_oriented_and_filtered(shapenetsem, tmp_path, worker):
    shelf = tmp_path / "shelf"
    report = import_objects(shapenetsem, "shapenetsem", shelf, ImportOptions(), worker=worker)
    assert sorted(report.imported) == ["office_chair_aaaa1111", "vase_bbbb2222"]
    assert report.left_out == {("car", "Car"): 1, ("vegetation", "Tree"): 1, ("whole scene", "Room"): 1}
    reasons = dict(report.set_aside)
    assert "eeee5555.obj is missing" in reasons["shapenetsem:wss.eeee5555"]
    assert "metadata is broken" in reasons["shapenetsem:wss.ffff6666"]
    library = Library.open(shelf, cache=tmp_path / "cache")
    chair = library.info("office_chair_aaaa1111")
    assert chair.size_m == pytest.approx((2.0, 1.2, 0.8))
    assert (chair.kind, chair.category, chair.source) == ("office_chair", "chair", "shapenetsem:wss.aaaa1111")
    assert chair.licence.startswith("ShapeNet terms")
    part = library.mesh("office_chair_aaaa1111").parts[0]
    assert part.material.texture is not None
    assert part.material.texture[0, 0] == pytest.approx((0.578, 0.127, 0.032), abs=0.02)
    assert max(library.info("vase_bbbb2222").size_m) == pytest.approx(0.9)
    told = json.loads((shelf / "import-report.json").read_text())
    assert {"training_class": "car", "category": "Car", "count": 1} in told["left_out"]


def test_a_model_in_two_files_is_skipped_and_a_broken_table_is_refused(shapenetsem, tmp_path, worker):
    shutil.copy(shapenetsem / "models-OBJ/models/bbbb2222.obj", shapenetsem / "bbbb2222.obj")
    report = import_objects(shapenetsem, "shapenetsem", tmp_path / "shelf", ImportOptions(), worker=worker)
    assert any(source == "shapenetsem:wss.bbbb2222" and "is in two files" in why for source, why in report.set_aside)
    table = shapenetsem / "metadata.csv"
    table.write_text(table.read_text() + "wss.x," + "y" * 200_000 + "\n")
    with pytest.raises(CaosError, match=r"metadata.csv, line \d+, is not a CSV row: field larger than"):
        import_objects(shapenetsem, "shapenetsem", tmp_path / "other", ImportOptions(), worker=worker)


def test_a_folder_without_metadata_is_refused(tmp_path, worker):
    with pytest.raises(CaosError, match=r"has no metadata.csv"):
        import_objects(tmp_path, "shapenetsem", tmp_path / "shelf", ImportOptions(), worker=worker)


def test_orientation_maps_front_to_x_and_up_to_z():
    matrix = orientation((0, 1, 0), (1, 0, 0))[:3, :3]
    assert matrix @ (1, 0, 0) == pytest.approx((1, 0, 0))
    assert matrix @ (0, 1, 0) == pytest.approx((0, 0, 1))
    assert np.linalg.det(matrix) == pytest.approx(-1)


# any folder


@pytest.fixture
def messy(tmp_path):
    """Good meshes of every format among broken ones."""
    root = tmp_path / "messy"
    (root / "toys").mkdir(parents=True)
    ball = trimesh.creation.icosphere(radius=0.5)
    for suffix in ("ply", "stl", "off", "glb", "obj"):
        ball.export(root / "toys" / f"ball {suffix}.{suffix}")
    trimesh.creation.box((400, 300, 200)).export(root / "crate_mm.stl")
    (root / "empty.obj").write_text("")
    (root / "noise.ply").write_bytes(os.urandom(600))
    (root / "cut.glb").write_bytes((root / "toys" / "ball glb.glb").read_bytes()[:200])
    (root / "nan.obj").write_text("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (root / "bad_index.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 9\n")
    (root / "flat.obj").write_text(
        "".join(f"v {x} {y} 0\n" for x in range(4) for y in range(4)) + "f 1 2 5\nf 2 6 5\nf 6 7 10\nf 3 7 6\n"
    )
    (root / "readme.txt").write_text("not a mesh")
    return root


def test_broken_meshes_do_not_stop_the_import_of_others(messy, tmp_path, worker):
    shelf = tmp_path / "shelf"
    report = import_objects(messy, "folder", shelf, ImportOptions(licence="CC-BY-4.0"), worker=worker)
    good = ["ball_glb", "ball_obj", "ball_off", "ball_ply", "ball_stl", "crate_mm"]
    assert sorted(report.imported) == good
    bad = ("empty.obj", "noise.ply", "cut.glb", "nan.obj", "bad_index.off", "flat.obj")
    assert {source for source, _ in report.set_aside} == {f"folder:{name}" for name in bad}
    assert all(reason for _, reason in report.set_aside)
    library = Library.open(shelf, cache=tmp_path / "cache")
    assert {library.info(n).kind for n in good if n.startswith("ball")} == {"toys"}
    assert all(library.info(n).size_m == pytest.approx((1, 1, 1), abs=0.02) for n in good[:-1])
    assert library.info("crate_mm").size_m == pytest.approx((0.3, 0.4, 0.2))
    assert ("folder:crate_mm.stl", "size guessed: units taken as millimetres, longest side 0.40 m") in report.notes
    assert all(o.licence == "CC-BY-4.0" for o in read_index(shelf))
    assert all(_outward(library.mesh(n)) for n in good)


def _outward(mesh) -> bool:
    total = 0.0
    for part in mesh.parts:
        a, b, c = (part.vertices[part.faces[:, k]].astype(np.float64) for k in range(3))
        total += float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())
    return total > 0


def test_importing_again_replaces_and_never_duplicates(messy, tmp_path, worker):
    shelf = tmp_path / "shelf"
    import_objects(messy, "folder", shelf, ImportOptions(limit=2), worker=worker)
    import_objects(messy, "folder", shelf, ImportOptions(size_m=2.0), worker=worker)
    index = read_index(shelf)
    assert len(index) == 6
    assert all(max(o.size_m) == pytest.approx(2.0, abs=0.02) for o in index)


def test_an_import_does_not_replace_a_built_in_object(tmp_path, worker):
    root = tmp_path / "meshes"
    root.mkdir()
    trimesh.creation.box((1, 1, 1)).export(root / "sofa_01.ply")
    report = import_objects(root, "folder", tmp_path / "shelf", ImportOptions(), worker=worker)
    assert report.imported == ["sofa_01_2"]


def test_implausible_sizes_are_skipped(tmp_path, worker):
    root = tmp_path / "meshes"
    root.mkdir()
    trimesh.creation.box((1, 1, 1)).export(root / "cube.ply")
    report = import_objects(root, "folder", tmp_path / "shelf", ImportOptions(unit="1000"), worker=worker)
    assert report.set_aside == [("folder:cube.ply", "implausible size 1000 x 1000 x 1000 m; give --unit or --size")]
    with pytest.raises(CaosError, match="unknown unit 'miles'"):
        import_objects(root, "folder", tmp_path / "shelf", ImportOptions(unit="miles"), worker=worker)


# hygiene


def _job(tmp_path, **changes) -> ImportJob:
    names = dict.fromkeys(("name", "kind", "category", "source", "licence"), "x")
    return ImportJob(str(tmp_path), str(tmp_path), str(tmp_path), **names, **changes)


def test_duplicate_degenerate_and_inverted_faces_are_repaired(tmp_path):
    cube = trimesh.creation.box((1, 1, 1))
    inverted = cube.faces[:, ::-1]
    faces = np.concatenate([inverted, inverted[:2], cube.faces[:3], [[0, 0, 1]]])
    trimesh.Trimesh(cube.vertices, faces, process=False).export(tmp_path / "cube.ply")
    mesh, _ = read_mesh_file(tmp_path / "cube.ply", tmp_path)
    clean, notes = prepare(mesh, _job(tmp_path, unit_m=1.0), ".ply")
    assert clean.triangles == 12
    assert _outward(clean)
    assert "1 degenerate faces removed" in notes
    assert "5 duplicate faces removed" in notes


def test_decimation_keeps_shape_and_texture(tmp_path):
    t, p = np.meshgrid(np.linspace(0, np.pi, 90), np.linspace(0, 2 * np.pi, 180), indexing="ij")
    points = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], -1).reshape(-1, 3)
    index = np.arange(90 * 180).reshape(90, 180)
    a, b, c, d = index[:-1, :-1].ravel(), index[:-1, 1:].ravel(), index[1:, 1:].ravel(), index[1:, :-1].ravel()
    faces = np.concatenate([np.stack([a, c, b], 1), np.stack([a, d, c], 1)])
    uv = np.stack([p / (2 * np.pi), 1 - t / np.pi], -1).reshape(-1, 2)
    picture = Image.fromarray(np.tile(np.linspace(0, 255, 64).astype(np.uint8)[:, None, None], (1, 64, 3)))
    visual = trimesh.visual.TextureVisuals(uv=uv, image=picture)
    trimesh.Trimesh(points, faces, visual=visual, process=False).export(tmp_path / "ball.glb")
    mesh, _ = read_mesh_file(tmp_path / "ball.glb", tmp_path)
    small, notes = prepare(mesh, _job(tmp_path, budget=2000), ".glb")
    assert small.triangles <= 2000
    assert any("decimated" in note for note in notes)
    assert small.size_m == pytest.approx((2, 2, 2), abs=0.03)
    (part,) = small.parts
    assert part.material.texture is not None
    assert part.uv is not None
    # glTF's y is up: in our axes v follows what the file called z, now one of the two level axes.
    axis = max(range(3), key=lambda k: abs(np.corrcoef(part.vertices[:, k], part.uv[:, 1])[0, 1]))
    height = part.vertices[:, axis] - (part.vertices[:, axis].max() + part.vertices[:, axis].min()) / 2
    expected = 1 - np.arccos(np.clip(height, -1, 1)) / np.pi
    error = np.minimum(np.abs(part.uv[:, 1] - expected), np.abs(1 - part.uv[:, 1] - expected))
    assert float(np.median(error)) < 0.02


# nothing outside the import folder


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "secret.png"
    Image.fromarray(np.full((4, 4, 3), 250, np.uint8)).save(file)
    return file


def test_a_texture_outside_the_folder_is_not_read(tmp_path, secret, worker):
    root = tmp_path / "meshes"
    paths = {"up": "../secret.png", "absolute": str(secret), "backslash": "..\\secret.png", "link": "link.png"}
    for name, path in paths.items():
        _textured_box(root, name, (1, 1, 1), f"map_Kd {path}")
    (root / "link.png").symlink_to(secret)
    report = import_objects(root, "folder", tmp_path / "shelf", ImportOptions(unit="m"), worker=worker)
    assert sorted(report.imported) == sorted(paths)
    refused = {source for source, note in report.notes if "lies outside the import folder" in note}
    assert refused == {f"folder:{name}.obj" for name in paths}
    library = Library.open(tmp_path / "shelf", cache=tmp_path / "cache")
    assert all(part.material.texture is None for name in paths for part in library.mesh(name).parts)


def test_a_reader_that_crashes_or_hangs_is_replaced(tmp_path):
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "cube.ply")
    job = _job(tmp_path, unit_m=1.0)
    with Worker(timeout_s=30) as child:
        good = replace(job, file=str(tmp_path / "cube.ply"), out=str(tmp_path / "cube.npz"))
        first = child.run(good)
        assert first.reason is None
        child._child.kill()
        assert "its reader crashed" in child.run(good).reason
        assert child.run(good).info == first.info
        child._child.send_signal(signal.SIGSTOP)
        child._timeout_s = 0.3
        assert child.run(good).reason == "took longer than 0 s to read"


def test_a_link_to_a_mesh_outside_the_folder_is_skipped(tmp_path, worker):
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "outside.ply")
    root = tmp_path / "meshes"
    root.mkdir()
    (root / "link.ply").symlink_to(tmp_path / "outside.ply")
    (root / "dangling.ply").symlink_to(tmp_path / "nowhere.ply")
    report = import_objects(root, "folder", tmp_path / "shelf", ImportOptions(), worker=worker)
    assert report.set_aside == [
        ("folder:dangling.ply", "is a broken link"),
        ("folder:link.ply", "is a link to a file outside the import folder"),
    ]


def test_a_path_that_is_no_folder_is_refused(tmp_path, worker):
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(CaosError, match="neither a folder nor a zip archive"):
        import_objects(tmp_path / "x.txt", "folder", tmp_path / "shelf", ImportOptions(), worker=worker)


def test_package_has_the_layout_that_carla_imports(library, tmp_path):
    written = write_package(library, ["chair_01", "sofa_01", "cow_01"], tmp_path, package="hazards")
    told = json.loads((tmp_path / "hazards" / "hazards.json").read_text())
    assert told["maps"] == []
    assert [p["name"] for p in told["props"]] == ["chair_01", "sofa_01", "cow_01"]
    for prop in told["props"]:
        assert set(prop) == {"name", "size", "source", "tag"}
        assert prop["tag"] == "Dynamic"
        assert (tmp_path / "hazards" / prop["source"]).is_file()
    assert [size_word(library.info(n)) for n in ("chair_01", "sofa_01")] == ["medium", "big"]
    assert written.props == 3
    assert "cow_01\tcow\tcaos\tMIT" in (tmp_path / "hazards" / "LICENCES.tsv").read_text()
    with pytest.raises(CaosError, match="tag is 'Car'"):
        write_package(library, ["chair_01"], tmp_path, tag="Car")


def test_a_written_obj_is_read_back_equal(library, tmp_path):
    write_obj(library.mesh("armchair_01"), tmp_path / "armchair.obj")
    mesh, notes = read_mesh_file(tmp_path / "armchair.obj", tmp_path)
    assert notes == []
    back, _ = prepare(mesh, _job(tmp_path, unit_m=1.0, up=(0.0, 0.0, 1.0), front=(1.0, 0.0, 0.0)), ".obj")
    assert back.size_m == pytest.approx(library.info("armchair_01").size_m, abs=1e-3)
    assert content_hash(back) != ""
    assert sum(p.material.texture is not None for p in back.parts) >= 1


def test_files_of_one_name_in_two_folders_are_two_objects(tmp_path, worker):
    shelf = tmp_path / "shelf"
    for folder, side in (("first", 1.0), ("second", 2.0)):
        (tmp_path / folder).mkdir()
        trimesh.creation.box((side, side, side)).export(tmp_path / folder / "crate_x.ply")
        import_objects(tmp_path / folder, "folder", shelf, ImportOptions(unit="m"), worker=worker)
    assert {o.name: o.size_m[0] for o in read_index(shelf)} == {"crate_x": 1.0, "crate_x_2": 2.0}
    import_objects(tmp_path / "first", "folder", shelf, ImportOptions(unit="m", size_m=0.5), worker=worker)
    assert {o.name: o.size_m[0] for o in read_index(shelf)} == {"crate_x": 0.5, "crate_x_2": 2.0}


def test_two_imports_do_not_share_a_library(tmp_path, worker):
    (tmp_path / "meshes").mkdir()
    shelf = tmp_path / "shelf"
    with locked(shelf), pytest.raises(CaosError, match="another process is working on the library"):
        import_objects(tmp_path / "meshes", "folder", shelf, ImportOptions(), worker=worker)


@pytest.mark.parametrize("unit", ["nan", "inf", "0", "-1", "1e30"])
def test_a_unit_is_a_length(unit):
    with pytest.raises(CaosError, match="it must be from 1e-06 to 10000"):
        ImportOptions(unit=unit).unit_m()
