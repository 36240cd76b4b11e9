from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from foundation.errors import CaosError
from scenes.labels import VOID
from scenes.layout import open_dataset
from segmentation.data import Plan, check_samples, prefetch, read_pair, training_batches
from tests.segmentation.little import tiny, write_set


def test_an_epoch_takes_every_picture_and_each_epoch_another_order() -> None:
    plan = Plan(count=10, batch=4, epochs=2, seed=3)
    drawn = list(plan.pictures())
    assert (plan.steps_per_epoch, len(drawn)) == (3, 24)
    first, second = ([i for e, i in drawn if e == epoch] for epoch in (0, 1))
    assert set(first) == set(second) == set(range(10))
    assert first != second
    assert first[10:] == first[:2]


def test_a_plan_can_start_anywhere_and_be_split() -> None:
    plan = Plan(count=10, batch=2, epochs=3, seed=0)
    assert list(plan.pictures(start=7)) == list(plan.pictures())[14:]
    halves = [list(Plan(8, 2, 1, 0, rank, 2).pictures()) for rank in (0, 1)]
    assert sorted(i for half in halves for _, i in half) == list(range(8))


def test_batches_do_not_depend_on_workers_or_on_where_the_stream_starts(little_set) -> None:
    samples, plan = little_set.samples("train"), Plan(12, 4, 2, 0)
    streams = [
        list(training_batches(samples, little_set.labels, tiny(workers=workers), plan, start))
        for workers, start in ((0, 0), (3, 0), (2, 4))
    ]
    assert len(streams[0]) == 6
    for one, other in zip(streams[0] + streams[0][4:], streams[1] + streams[2], strict=True):
        assert torch.equal(one.pictures, other.pictures)
        assert torch.equal(one.labels, other.labels)
    assert not torch.equal(streams[0][0].pictures, streams[0][3].pictures)


def test_prefetch_keeps_order_and_raises_what_a_worker_raised() -> None:
    assert list(prefetch(lambda n: n * n, range(20), workers=3, ahead=5)) == [n * n for n in range(20)]

    def fail(n: int) -> int:
        if n == 3:
            raise CaosError("picture 3 is broken")
        return n

    with pytest.raises(CaosError, match="picture 3 is broken"):
        list(prefetch(fail, range(9), workers=2, ahead=2))


def test_anomalies_are_void_outside_training_and_refused_in_it(little_set, tmp_path) -> None:
    _, labels = read_pair(little_set.samples("test")[0], little_set.labels, None)
    assert (labels == VOID).any()
    assert 13 not in labels
    broken = write_set(tmp_path, {"train": 2})
    values = np.asarray(Image.open(broken.samples("train")[1].annotation)).copy()
    values[:3, :3] = 14
    Image.fromarray(values).save(broken.samples("train")[1].annotation)
    with pytest.raises(CaosError, match="9 anomalous pixels in a training picture"):
        check_samples(broken.samples("train"), broken.labels)


def test_bad_pairs_are_named(tmp_path) -> None:
    dataset = write_set(tmp_path / "set", {"train": 3})
    first, second, third = dataset.samples("train")
    Image.fromarray(np.ones((64, 32), np.uint8)).save(first.annotation)
    with pytest.raises(CaosError, match=r"1\.png is 64x64 but its labels .*1\.png are 32x64"):
        check_samples(dataset.samples("train"), dataset.labels)
    Image.fromarray(np.full((64, 64), 77, np.uint8)).save(first.annotation)
    with pytest.raises(CaosError, match="label value 77 is not in table 'streethazards'"):
        check_samples(dataset.samples("train"), dataset.labels)
    second.image.unlink()
    with pytest.raises(CaosError, match=r"2\.png does not exist"):
        check_samples(dataset.samples("train"), dataset.labels)
    third.image.write_bytes(b"not a picture")
    with pytest.raises(CaosError, match="cannot be read as a picture"):
        check_samples([third], dataset.labels)


def test_an_empty_folder_is_one_line(tmp_path) -> None:
    with pytest.raises(CaosError, match="holds no dataset"):
        open_dataset(tmp_path)


def test_pictures_of_different_sizes_need_a_crop(tmp_path) -> None:
    dataset = write_set(tmp_path / "a", {"train": 2})
    sample = dataset.samples("train")[0]
    for path in (sample.image, sample.annotation):
        Image.open(path).resize((96, 64), Image.Resampling.NEAREST).save(path)
    stream = training_batches(dataset.samples("train"), dataset.labels, tiny(augment=("flip",)), Plan(2, 2, 1, 0))
    with pytest.raises(CaosError, match="different sizes; add crop"):
        next(stream)
