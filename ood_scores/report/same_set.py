"""Whether results are of the set beside them: of the set that pages show, and of one set where they are ranked."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Progress
from caos.foundation.storage.identity import FileHashes
from caos.ood_scores.evaluation.dependencies import set_digests
from caos.ood_scores.results import Results
from caos.scenes.dataset.layout import Dataset, Sample


def check_shown_set(
    results: Results, dataset: Dataset, samples: Sequence[Sample], hashes: FileHashes, progress: Progress
) -> None:
    """Refuse to show images of a set that the results are not of; older results cannot be checked, which is said.

    Raises:
        CaosError: If labels or images have other content than those that were scored.
    """
    known = _digests(results)
    if None in known.values():
        progress.say(
            f"{results.folder} has no digest of its set (older version): whether it was measured on {dataset.root} "
            "cannot be checked"
        )
        return
    found = set_digests(dataset.labels, samples, hashes)
    for what, here in (("labels", found.labels), ("images", found.images)):
        if known[what] != here:
            raise CaosError(
                f"{results.folder} was measured on {what} with the digest {known[what]}, but those of {dataset.root} "
                f"have {here}: give the set that was scored with --dataset, or score this one"
            )


def check_one_set(found: Sequence[Results], protocol: str | None = None, *, unchecked: bool = False) -> None:
    """Refuse to rank results of different sets.

    Args:
        found: The results, one or more.
        protocol: The protocol by which the same pixels have to count; None where several are shown.
        unchecked: Take results of older versions, which have no digest of their set, for what their set is called.

    Raises:
        CaosError: If name, split, number of images, content of labels or images, or the pixels that count differ, or
            a digest is missing.
    """
    for one in found[1:]:
        _check_names(found[0], one)
        _check_digests(found[0], one, unchecked=unchecked)
        if protocol is not None:
            _check_pixels(found[0], one, protocol)


def check_sets_of_one_name(found: Sequence[Results], *, unchecked: bool = False) -> None:
    """Refuse results of different sets that have one name and split, and would be shown as one set.

    Raises:
        CaosError: As :func:`check_one_set`.
    """

    def name(results: Results) -> tuple[str, str]:
        return results.content.dataset.name, results.content.dataset.split

    for _, group in itertools.groupby(sorted(found, key=name), name):
        check_one_set(list(group), unchecked=unchecked)


def _digests(results: Results) -> dict[str, str | None]:
    about = results.content.dataset
    return {"labels": about.labels_digest, "images": about.images_digest}


def _check_names(first: Results, one: Results) -> None:
    theirs, ours = ((r.content.dataset.name, r.content.dataset.images, r.content.dataset.split) for r in (one, first))
    if theirs != ours:
        raise CaosError(
            f"{one.folder} has {theirs[1]} images of {theirs[0]!r}, split {theirs[2]}; {first.folder} has "
            f"{ours[1]} of {ours[0]!r}, split {ours[2]}: compare results on one set"
        )


def _check_digests(first: Results, one: Results, *, unchecked: bool) -> None:
    ours, theirs = _digests(first), _digests(one)
    for results, digests in ((first, ours), (one, theirs)):
        if None in digests.values() and not unchecked:
            raise CaosError(
                f"{results.folder} has no digest of its set (older version), so whether {first.folder} and "
                f"{one.folder} are of one set is unknown; score it again, or take it as it is with --unchecked"
            )
    for what, digest in ours.items():
        if None not in (digest, theirs[what]) and digest != theirs[what]:
            raise CaosError(
                f"{one.folder} and {first.folder} are of different sets of one name: the digest of their {what} is "
                f"{theirs[what]} and {digest}; compare results on one set"
            )


def _check_pixels(first: Results, one: Results, protocol: str) -> None:
    ours, theirs = (results.content.pixels.get(protocol) for results in (first, one))
    if ours is None or theirs is None or ours == theirs:
        return
    tables = (one.content.dataset.labels.name, first.content.dataset.labels.name)
    raise CaosError(
        f"{one.folder} counts {theirs.pixels - theirs.left_out} pixels by protocol {protocol!r}, {theirs.anomalous} of "
        f"them anomalous, but {first.folder} counts {ours.pixels - ours.left_out} and {ours.anomalous}: they read the "
        f"labels by the tables {tables[0]!r} and {tables[1]!r}; compare results by one table"
    )
