"""Dependencies of a scoring: everything its numbers follow from, so that no result is taken for another one's.

They are written to ``plan.json``. A result is reused, and an unfinished run resumed, only if they are all the same.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.storage.claims import first_difference
from caos.foundation.storage.files import real_path
from caos.foundation.storage.identity import FileHashes, Fingerprint, digest_of
from caos.ood_scores import results
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.measuring import published
from caos.ood_scores.numerics import NUMERICS
from caos.ood_scores.sources.source import Source
from caos.scenes import numerics as scenes
from caos.scenes.dataset.layout import Dataset, Sample
from caos.scenes.labels import LabelTable

PLAN: Final = "plan.json"
INPUTS: Final = "inputs.json"
IDENTITY: Final = "source identity"
NOT_NUMBERS: Final = ("workers", "ray")
"""Options that say how the work is done, not what comes out."""


@dataclass(frozen=True)
class SetDigests:
    """Hashes that tell the images of a set from those of others, wherever the set lies.

    Attributes:
        labels: Of the images' keys, their label and instance files by content, and the anomalous label values.
        images: Of the keys and the image files by content.
    """

    labels: str
    images: str

    @staticmethod
    def of(files: Mapping[str, Any]) -> SetDigests:
        """The digests of files as the plan of a scoring has them."""
        truth = [files[name] for name in ("keys", "annotations", "instances", "anomalies")]
        return SetDigests(digest_of(truth), digest_of([files["keys"], files["pictures"]]))


def set_digests(labels: LabelTable, samples: Sequence[Sample], hashes: FileHashes) -> SetDigests:
    """The digests of some images of a set with this label table.

    Raises:
        CaosError: If a file cannot be read.
    """
    return SetDigests.of({**_files(tuple(samples), hashes), "anomalies": _anomalies(labels)})


@dataclass(frozen=True)
class Dependencies:
    """What a scoring depends on.

    Attributes:
        plan: All of it, JSON-ready.
        is_identified: Whether the source can be told from others. One that cannot gets a number of its own in the
            plan, which is never used again.
    """

    plan: dict[str, Any]
    is_identified: bool

    @property
    def digests(self) -> SetDigests:
        """What tells the set from others."""
        return SetDigests.of(self.plan["dataset"])

    def refuse_old_results(self, out: Path) -> None:
        """Refuse a folder with results if it cannot be told whether they are of the same source.

        Raises:
            CaosError: If it holds results.
        """
        if not self.is_identified and (out / PLAN).is_file():
            raise CaosError(
                f"{out} already holds results, and CAOS cannot tell whether the same model made them: a plain "
                "function has no identity, a torch.nn.Module has; choose another folder, or overwrite=True"
            )

    def refuse_change(self, now: Dependencies, where: Path) -> None:
        """Refuse results of inputs that changed meanwhile.

        Raises:
            CaosError: If something changed.
        """
        own = {key: value for key, value in self.plan.items() if key != IDENTITY or self.is_identified}
        difference = first_difference(own, {key: value for key, value in now.plan.items() if key in own})
        if difference:
            raise CaosError(f"{where} or its scorers changed during scoring ({difference}); score it again")


def dependencies(dataset: Dataset, source: Source, options: ScoringOptions, hashes: FileHashes) -> Dependencies:
    """Everything the results of a scoring depend on.

    Raises:
        CaosError: If a file cannot be read.
    """
    chosen = {key: value for key, value in asdict(options).items() if key not in NOT_NUMBERS}
    identity = source.identity(hashes)
    inputs = {
        "dataset": _dataset(dataset, dataset.samples(options.split), hashes),
        "fitted on": _files(source.fitted_on(dataset), hashes),
        IDENTITY: uuid.uuid4().hex if identity is None else identity,
        "published results": hashes.of(published.FILE),
    }
    settings = {
        "schema": results.SCHEMA,
        "source": source.describe(),
        "columns": list(source.columns),
        "options": chosen,
    }
    rooms = (NUMERICS, scenes.NUMERICS, *source.numerics())
    return Dependencies(Fingerprint(inputs, settings, rooms).plan(), identity is not None)


def _dataset(dataset: Dataset, samples: tuple[Sample, ...], hashes: FileHashes) -> dict[str, Any]:
    manifest = dataset.root / "manifest.jsonl"
    return {
        "root": str(real_path(dataset.root)),
        "name": dataset.name,
        "labels": dataset.labels.digest,
        "anomalies": _anomalies(dataset.labels),
        **_files(samples, hashes),
        "manifest": hashes.of(manifest) if manifest.is_file() else None,
    }


def _anomalies(labels: LabelTable) -> list[int]:
    return sorted(labels.png_values("anomaly"))


def _files(samples: tuple[Sample, ...], hashes: FileHashes) -> dict[str, Any]:
    return {
        "images": len(samples),
        "keys": digest_of([[sample.key, sample.town] for sample in samples]),
        "pictures": hashes.digest(sample.image for sample in samples),
        "annotations": hashes.digest(sample.annotation for sample in samples),
        "instances": hashes.digest(sample.instances for sample in samples),
    }
