from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import open_dataset
from caos.scenes.labels import VOID
from caos.segmentation.augmentation.geometry import FILL
from caos.segmentation.data.loading import (
    BatchPlan,
    check_samples,
    prefetch,
    read_pair,
    training_batches,
)
from caos.segmentation.training.negatives import NEGATIVE
from tests.segmentation.little import tiny, write_set


def test_an_epoch_takes_every_picture_and_each_epoch_another_order() -> None:
    plan = BatchPlan(count=10, batch=4, epochs=2, seed=3)
    drawn = list(plan.pictures())
    assert (plan.steps_per_epoch, len(drawn)) == (3, 24)
    first, second = ([i for e, i in drawn if e == epoch] for epoch in (0, 1))
    assert set(first) == set(second) == set(range(10))
    assert first != second
    assert first[10:] == first[:2]


def test_a_plan_can_start_anywhere_and_be_split() -> None:
    plan = BatchPlan(count=10, batch=2, epochs=3, seed=0)
    assert list(plan.pictures(start=7)) == list(plan.pictures())[14:]
    halves = [list(BatchPlan(8, 2, 1, 0, rank, 2).pictures()) for rank in (0, 1)]
    assert sorted(i for half in halves for _, i in half) == list(range(8))


def test_batches_do_not_depend_on_workers_or_on_where_the_stream_starts(little_set) -> None:
    samples, plan = little_set.samples("train"), BatchPlan(12, 4, 2, 0)
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


def test_anomalies_are_void_or_negative_and_training_pictures_that_show_some_are_counted(tmp_path) -> None:
    dataset = write_set(tmp_path, {"train": 3, "test": 1}, exposed=2)
    for sample in (dataset.samples("test")[0], dataset.samples("train")[0]):
        truth = np.asarray(Image.open(sample.annotation)) == 14
        assert truth.any()
        _, labels = read_pair(sample, dataset.labels, None)
        assert np.array_equal(labels == VOID, truth)
        assert 13 not in labels
        _, marked = read_pair(sample, dataset.labels, None, NEGATIVE)
        assert np.array_equal(marked == NEGATIVE, truth)
    assert check_samples([*dataset.samples("train"), *dataset.samples("test")], dataset.labels) == 2


@pytest.mark.parametrize(("loss", "label"), [(None, VOID), ("max_entropy", NEGATIVE)])
def test_batches_mark_negatives_only_for_a_loss_that_wants_them(tmp_path, loss, label) -> None:
    dataset = write_set(tmp_path, {"train": 2}, exposed=2)
    config = tiny(augment=("flip",), negatives=loss)
    batch = next(training_batches(dataset.samples("train"), dataset.labels, config, BatchPlan(2, 2, 1, 0)))
    shown = sum((np.asarray(Image.open(s.annotation)) == 14).sum() for s in dataset.samples("train"))
    assert int((batch.labels == label).sum()) == shown
    assert set(batch.labels.unique().tolist()) <= {*range(13), label}


def test_an_epoch_of_a_number_of_steps_goes_through_one_pass_after_the_other() -> None:
    plan = BatchPlan(count=5, batch=2, epochs=3, seed=1, epoch_steps=4)
    drawn = list(plan.pictures())
    assert (plan.steps_per_epoch, plan.steps, len(drawn)) == (4, 12, 24)
    assert [turn for turn, _ in drawn] == [n // 5 for n in range(24)]
    for turn in range(4):
        assert {i for t, i in drawn if t == turn} == set(range(5))
    assert list(plan.pictures(start=7)) == drawn[14:]
    halves = [list(BatchPlan(5, 1, 3, 1, rank, 2, 4).pictures()) for rank in (0, 1)]
    assert [pair for both in zip(*halves, strict=True) for pair in both] == drawn


def test_whole_pictures_have_one_of_the_sides_in_each_batch_and_are_padded_with_void(tmp_path) -> None:
    dataset = write_set(tmp_path, {"train": 4}, width=96, height=64)
    config = tiny(augment=("flip",), sides=(32, 48, 60), longest_side=84)
    plan, samples = BatchPlan(4, 2, 12, 0), dataset.samples("train")
    sizes, again = (
        [tuple(batch.labels.shape[1:]) for batch in training_batches(samples, dataset.labels, config, plan, start)]
        for start in (0, 5)
    )
    assert set(sizes) == {(32, 48), (48, 72), (56, 84)}  # 60 would be 90 wide
    assert again == sizes[5:]
    for path in (samples[0].image, samples[0].annotation):
        Image.open(path).resize((64, 64), Image.Resampling.NEAREST).save(path)
    config = tiny(augment=(), sides=(32,), workers=0)
    [batch] = training_batches(samples, dataset.labels, config, BatchPlan(4, 4, 1, 0))
    assert batch.labels.shape == (4, 32, 48)
    [narrow] = [n for n in range(4) if (batch.labels[n, :, 32:] == VOID).all()]
    assert (batch.labels[narrow, :, :32] != VOID).all()
    assert (batch.pictures[narrow, :, 32:] == torch.tensor(FILL)).all()


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


def test_a_picture_that_would_fill_the_memory_is_one_line(tmp_path, monkeypatch) -> None:
    dataset = write_set(tmp_path / "set", {"train": 1})
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 64 * 64 // 2 - 1)
    with pytest.raises(CaosError, match=r"1\.png cannot be read as a picture: .*decompression bomb"):
        check_samples(dataset.samples("train"), dataset.labels)


def test_an_empty_folder_is_one_line(tmp_path) -> None:
    with pytest.raises(CaosError, match="holds no dataset"):
        open_dataset(tmp_path)


def test_pictures_of_different_sizes_need_a_crop(tmp_path) -> None:
    dataset = write_set(tmp_path / "a", {"train": 2})
    sample = dataset.samples("train")[0]
    for path in (sample.image, sample.annotation):
        Image.open(path).resize((96, 64), Image.Resampling.NEAREST).save(path)
    stream = training_batches(dataset.samples("train"), dataset.labels, tiny(augment=("flip",)), BatchPlan(2, 2, 1, 0))
    with pytest.raises(CaosError, match="different sizes; add crop"):
        next(stream)
