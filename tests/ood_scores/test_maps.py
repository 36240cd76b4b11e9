from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile
from PIL import Image

from caos.foundation.errors import CaosError
from caos.ood_scores.sources.score_maps import find_detectors, read_map, write_map
from caos.scenes.dataset.layout import Sample, open_dataset
from tests.ood_scores import little

SCORES = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)


def write_hdf5(path, scores):
    with h5py.File(path, "w") as file:
        file.create_dataset("value", data=scores[None], compression=9)


WRITERS = {
    "a.npy": lambda p: np.save(p, SCORES.astype(np.float64)),
    "a.npz": lambda p: np.savez(p, anything=SCORES),
    "b.npz": lambda p: np.savez(p, scores=SCORES, other=np.zeros(3)),
    "a.tif": lambda p: tifffile.imwrite(p, SCORES),
    "a.hdf5": lambda p: write_hdf5(p, SCORES),
    "a.h5": lambda p: write_hdf5(p, SCORES),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_numbers(tmp_path, name):
    WRITERS[name](tmp_path / name)
    assert np.array_equal(read_map(tmp_path / name, (6, 8)), SCORES)


def test_ours_are_read_back_exactly(tmp_path):
    write_map(tmp_path / "x" / "1.npz", SCORES)
    assert np.array_equal(read_map(tmp_path / "x" / "1.npz", (6, 8)), SCORES)


def test_16_bit_pictures_and_half_floats(tmp_path):
    whole = np.arange(48, dtype=np.uint16).reshape(6, 8) * 1000
    Image.fromarray(whole).save(tmp_path / "a.png")
    tifffile.imwrite(tmp_path / "a.tiff", whole)
    write_hdf5(tmp_path / "half.hdf5", SCORES.astype(np.float16))
    assert np.array_equal(read_map(tmp_path / "a.png", (6, 8)), whole)
    assert np.array_equal(read_map(tmp_path / "a.tiff", (6, 8)), whole)
    assert np.array_equal(read_map(tmp_path / "half.hdf5", (6, 8)), SCORES.astype(np.float16))


@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.uint16, np.uint32, np.int16, np.float32, np.float64])
def test_a_tiff_in_which_white_is_zero_ranks_by_displayed_intensity(tmp_path, kind):
    bits = np.random.default_rng(1).integers(0, 2, (6, 8))
    stored = bits.astype(bool) if kind is np.bool_ else (bits * 99 + np.arange(8)).astype(kind)
    for photometric in ("minisblack", "miniswhite"):
        tifffile.imwrite(tmp_path / f"{photometric}.tif", stored, photometric=photometric)
    plain, inverted = (read_map(tmp_path / f"{name}.tif", (6, 8)) for name in ("minisblack", "miniswhite"))
    assert np.array_equal(plain, stored.astype(np.float32))
    assert np.array_equal(np.argsort(inverted, axis=None, kind="stable"), np.argsort(-plain, axis=None, kind="stable"))
    if np.dtype(kind).kind == "u" and stored.itemsize <= 2:
        assert np.array_equal(inverted, np.iinfo(kind).max - stored.astype(np.float32))


def broken(path, kind):
    if kind == "size":
        np.save(path, SCORES[:5])
    elif kind == "nan":
        np.save(path, np.where(SCORES > 1, np.nan, SCORES))
    elif kind == "pickle":
        np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    elif kind == "colour":
        np.save(path, np.zeros((6, 8, 3)))
    elif kind == "complex":
        np.save(path, SCORES + 1j)
    else:
        path.write_bytes(b"not a map")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("size", "score map has shape 8x5 pixels but the image is 8x6 pixels"),
        ("nan", r"\d+ of 48 scores are NaN or infinite"),
        ("pickle", "cannot be read as a score map"),
        ("colour", r"score map has shape \(6, 8, 3\)"),
        ("complex", "scores must be real numbers, not complex"),
        ("garbage", "cannot be read as a score map"),
    ],
)
def test_a_bad_map_is_one_line_with_its_file(tmp_path, kind, words):
    path = tmp_path / "12.npy"
    broken(path, kind)
    with pytest.raises(CaosError, match=words) as caught:
        read_map(path, (6, 8))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", [".npz", ".tif", ".png", ".hdf5"])
def test_garbage_of_every_kind(tmp_path, suffix):
    path = tmp_path / f"12{suffix}"
    path.write_bytes(b"garbage")
    with pytest.raises(CaosError, match=f"{path}.*cannot be read as a score map"):
        read_map(path, (6, 8))


def test_unclear_files_are_refused(tmp_path):
    np.savez(tmp_path / "two.npz", a=SCORES, b=SCORES)
    with h5py.File(tmp_path / "two.hdf5", "w") as file:
        file["a"], file["b"] = SCORES, SCORES
    with pytest.raises(CaosError, match="must hold one array, or one called 'scores', not a, b"):
        read_map(tmp_path / "two.npz", (6, 8))
    with pytest.raises(CaosError, match="must hold one dataset, not 2"):
        read_map(tmp_path / "two.hdf5", (6, 8))
    with pytest.raises(CaosError, match=r"unknown kind of score map '\.mat'"):
        read_map(tmp_path / "a.mat", (6, 8))


def test_a_map_never_takes_its_scores_from_other_files(tmp_path):
    write_hdf5(tmp_path / "secret.h5", SCORES)
    SCORES.astype("<f4").tofile(tmp_path / "secret.bin")
    with h5py.File(tmp_path / "linked.h5", "w") as file:
        file["scores"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), next(iter(h5py.File(tmp_path / "secret.h5"))))
    with h5py.File(tmp_path / "outside.h5", "w") as file:
        file.create_dataset("scores", SCORES.shape, "<f4", external=str(tmp_path / "secret.bin"))
    with h5py.File(tmp_path / "virtual.h5", "w") as file:
        layout = h5py.VirtualLayout(SCORES.shape, "<f4")
        layout[:] = h5py.VirtualSource(str(tmp_path / "secret.h5"), "scores", SCORES.shape)
        file.create_virtual_dataset("scores", layout)
    with pytest.raises(CaosError, match="must hold one dataset, not 0"):
        read_map(tmp_path / "linked.h5", (6, 8))
    for name in ("outside.h5", "virtual.h5"):
        with pytest.raises(CaosError, match="its dataset lies in other files"):
            read_map(tmp_path / name, (6, 8))


def samples(*keys):
    return [Sample(key, "test", key.split("/")[1], None, None) for key in keys]


@pytest.mark.parametrize("name", ["test/t5/1", "t5/1", "t5_1", "test_t5_1", "1"])
def test_maps_are_found_by_any_usual_name(tmp_path, name):
    path = tmp_path / f"{name}.npy"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, SCORES)
    assert find_detectors(tmp_path, samples("test/t5/1")) == {tmp_path.name: {"test/t5/1": path}}


def test_a_repeated_file_name_is_not_guessed(tmp_path):
    np.save(tmp_path / "1.npy", SCORES)
    with pytest.raises(CaosError, match="holds no score map: none is named like 'test/t5/1'"):
        find_detectors(tmp_path, samples("test/t5/1", "test/t6/1"))


def test_a_folder_of_detectors(data, tmp_path):
    for name in ("ours", "theirs"):
        little.write_maps(tmp_path / name, data, lambda anomalous, _: anomalous.astype(np.float32))
    (tmp_path / "notes").mkdir()
    found = find_detectors(tmp_path, open_dataset(data).samples("test"))
    assert set(found) == {"ours", "theirs"}
    assert len(found["ours"]) == 6


def test_detectors_with_a_folder_for_each_set(data, tmp_path):
    for name in ("ours", "theirs"):
        little.write_maps(tmp_path / name / "our-set", data, lambda anomalous, _: anomalous.astype(np.float32))
    found = find_detectors(tmp_path, open_dataset(data).samples("test"))
    assert set(found) == {"ours", "theirs"}
    assert {path.parents[1] for path in found["ours"].values()} == {tmp_path / "ours" / "our-set"}


@pytest.mark.parametrize(
    "scores",
    [
        np.array([[1e-30, 0.5, 0.5 + 1e-12, 1e300]]),
        1e9 + np.arange(6.0).reshape(1, 6),
        2**60 + np.arange(6).reshape(1, 6),
        np.uint64(2**63) + np.arange(6, dtype=np.uint64).reshape(1, 6),
    ],
)
def test_wide_numbers_are_read_as_they_are(tmp_path, scores):
    np.save(tmp_path / "1.npy", scores)
    np.savez(tmp_path / "1.npz", scores)
    tifffile.imwrite(tmp_path / "1.tif", scores)
    write_hdf5(tmp_path / "1.h5", scores)
    for name in ("1.npy", "1.npz", "1.tif", "1.h5"):
        found = read_map(tmp_path / name, scores.shape)
        assert found.dtype == scores.dtype
        assert np.array_equal(found, scores)


def test_missing_maps_and_folders_are_named(data, tmp_path):
    little.write_maps(tmp_path / "a", data, lambda anomalous, _: anomalous.astype(np.float32))
    (tmp_path / "a" / "t6" / "3.npy").unlink()
    with pytest.raises(CaosError, match=r"lacks the score map of 'test/t6/3' \(missing: 1 of 6\)"):
        find_detectors(tmp_path / "a", open_dataset(data).samples("test"))
    with pytest.raises(CaosError, match="is not a folder; --maps takes a folder"):
        find_detectors(tmp_path / "nothing", samples("test/t5/1"))


@pytest.mark.parametrize(("one", "other"), [("1.npy", "1.npz"), ("1.tif", "1.png"), ("t5/1.npy", "1.npy")])
def test_two_maps_of_one_image_are_refused(tmp_path: Path, one: str, other: str) -> None:
    sample = Sample("test/t5/1", "test", "t5", Path("a"), Path("b"))
    for name in (one, other):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(CaosError, match="are both score maps of 'test/t5/1'; keep one of them") as caught:
        find_detectors(tmp_path, [sample])
    assert f"/{one} " in str(caught.value)
    assert f"/{other} " in str(caught.value)


def test_a_map_of_several_images_or_without_all_its_strips_is_refused(tmp_path: Path) -> None:
    scores = np.arange(48, dtype=np.float32).reshape(6, 8)
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        for part in (scores, scores[:3]):
            file.write(part)
    with pytest.raises(CaosError, match="a.tif holds 2 images"):
        read_map(tmp_path / "a.tif", (6, 8))
    tifffile.imwrite(tmp_path / "b.tif", scores, rowsperstrip=2)
    with tifffile.TiffFile(tmp_path / "b.tif") as file:
        tag = file.pages[0].tags["StripByteCounts"]
    data = bytearray((tmp_path / "b.tif").read_bytes())
    data[tag.valueoffset + 2 : tag.valueoffset + 4] = bytes(2)
    (tmp_path / "b.tif").write_bytes(data)
    with pytest.raises(CaosError, match="b.tif: [12] of its 3 strips or tiles are missing"):
        read_map(tmp_path / "b.tif", (6, 8))
