"""Source of score maps for mask transformers: Mask2Former, EoMT and their kin of ``transformers``.

    model = MaskTransformer("weights/mask2former")          # a folder, a file beside its config.json, or a hub's name
    score_model(model, "data", scorers=("rba", "eam", "mask2anomaly", "msp"), out="results")

A network of that library can be given as it is, too. Scorers on queries read its queries, every other scorer its
semantic map.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from caos.foundation.errors import CaosError, first_line
from caos.foundation.settings import read_json
from caos.foundation.storage.identity import FileHashes
from caos.ood_scores.scorer_interface.scorer import FEATURES, Outputs
from caos.ood_scores.scorer_interface.specifications import ScorerColumn
from caos.ood_scores.sources.class_names import (
    BACKGROUND_PART,
    background_id,
    names_in_config,
    names_in_table,
    why_no_background,
    without_background,
)
from caos.ood_scores.sources.model import ModelSource
from caos.ood_scores.sources.network_identity import network_digest
from caos.ood_scores.sources.source import Scored
from caos.ood_scores.sources.torch_model import evaluating
from caos.scenes.labels import PHOTOGRAPHS, LabelTable
from caos.segmentation.models.encoders import Normalisation, quick_hub, read_state
from caos.segmentation.models.mask_transformer import quiet
from caos.segmentation.models.networks import widened
from caos.segmentation.models.queries import Queries

MULTIPLE: Final = 32
"""Both sides of a picture are padded to multiples of this."""
HEADS: Final = ("ForUniversalSegmentation", "ForInstanceSegmentation")
"""How the library's classes end whose outputs are queries."""
GIVEN: Final = frozenset({"queries", "outlier class", *FEATURES, "image", BACKGROUND_PART})
SETTINGS_FILE: Final = "config.json"
PICTURES_FILE: Final = "preprocessor_config.json"
ALTERNATIVES: Final = (
    "give the folder that save_pretrained wrote, a file of weights beside its config.json, or the network itself"
)


@dataclass(frozen=True, eq=False)
class MaskLook:
    """What a mask transformer says about one picture.

    Attributes:
        queries: Its queries, whose masks become as large as the picture.
        features: ``(D, h', w')`` of the picture, where the network has some.
        enlarge: A map ``(h', w')`` like the features to the size of the picture.
    """

    queries: Queries
    features: Tensor | None
    enlarge: Callable[[Tensor], Tensor]


class MaskTransformer(nn.Module):
    """A mask transformer, ready for pictures of any size; called like any segmenter, it gives its semantic map.

    A network of one size (EoMT) sees pictures shrunk or enlarged to fit into its square, the rest filled up.

    Args:
        weights: A folder of ``save_pretrained``, a file of weights with ``config.json`` beside it, a name on the model
            hub, or a network of ``transformers`` whose outputs are queries.
        size: ``(width, height)`` that pictures are brought to first; None for their own.
        normalisation: What the network expects; None for what stands beside the weights, or ImageNet's.
        has_outlier_class: Whether the last class before "no object" is one of outliers, as UNO trains it.

    Raises:
        CaosError: If the weights cannot be had, or are those of another kind of network.
    """

    def __init__(
        self,
        weights: str | Path | nn.Module,
        *,
        size: tuple[int, int] | None = None,
        normalisation: Normalisation | None = None,
        has_outlier_class: bool = False,
    ) -> None:
        super().__init__()
        self.network: Any = weights if isinstance(weights, nn.Module) else load_network(str(weights))
        if not is_mask_network(self.network):
            kind = type(self.network).__name__
            raise CaosError(
                f"{kind} is not a mask transformer of the library transformers (for universal segmentation)"
            )
        self.size, self.has_outlier_class = size, has_outlier_class
        found = normalisation or _normalisation_beside(weights)
        self.mean: Tensor
        self.std: Tensor
        for name in ("mean", "std"):
            self.register_buffer(name, torch.tensor(getattr(found, name)).reshape(1, 3, 1, 1), persistent=False)
        settings: Any = self.network.config
        side, is_fixed = getattr(settings, "image_size", None), str(settings.model_type).startswith("eomt")
        self.side = int(side) if is_fixed and isinstance(side, int) else None

    @property
    def num_classes(self) -> int:
        """Ordinary classes."""
        return int(self.network.config.num_labels) - int(self.has_outlier_class)

    def forward(self, pictures: Tensor) -> Tensor:
        """Semantic maps ``(n, K, h, w)`` of pictures ``(n, 3, h, w)``, floats 0..1."""
        return torch.stack([self.look(picture[None]).queries.semantic for picture in pictures])

    def look(self, picture: Tensor) -> MaskLook:
        """What the network says about one picture ``(1, 3, h, w)``, floats 0..1.

        Raises:
            CaosError: If the network gives no queries.
        """
        size = (picture.shape[-2], picture.shape[-1])
        said = self.network(pixel_values=self._prepared(picture))
        classes, masks = (getattr(said, name, None) for name in ("class_queries_logits", "masks_queries_logits"))
        if classes is None or masks is None:
            raise CaosError(f"{type(self.network).__name__} does not return class and mask logits of queries")

        def enlarge(logits: Tensor) -> Tensor:
            return self._enlarged(logits, self._working(size)[1], size)

        return MaskLook(Queries(classes[0], masks[0], self.num_classes, enlarge), *self._features(said, size))

    def _enlarged(self, maps: Tensor, covered: tuple[int, int], size: tuple[int, int]) -> Tensor:
        """Maps ``(n, h', w')`` of the ``covered`` part of what the network saw, at the size of the picture."""
        height, width = self._working(size)[0]
        whole = nn.functional.interpolate(maps[None].float(), covered, mode="bilinear", align_corners=False)
        cut = whole[..., :height, :width]
        if (height, width) != size:
            cut = nn.functional.interpolate(cut, size, mode="bilinear", align_corners=False)
        return cut[0]

    def _working(self, size: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
        """The ``(height, width)`` that a picture is brought to, and that it is padded to."""
        height, width = size if self.size is None else (self.size[1], self.size[0])
        if self.side is None:
            return (height, width), (-(-height // MULTIPLE) * MULTIPLE, -(-width // MULTIPLE) * MULTIPLE)
        factor = self.side / max(height, width)
        fitting = (max(round(height * factor), 1), max(round(width * factor), 1))
        return fitting, (self.side, self.side)

    def _prepared(self, picture: Tensor) -> Tensor:
        """Normalised, at the working size, mirrored at the right and bottom to whole cells."""
        (height, width), padded = self._working((picture.shape[-2], picture.shape[-1]))
        signal = (picture - self.mean) / self.std
        if signal.shape[-2:] != (height, width):
            signal = nn.functional.interpolate(
                signal, (height, width), mode="bilinear", align_corners=False, antialias=True
            )
        return widened(signal, padded)

    def _features(self, said: Any, size: tuple[int, int]) -> tuple[Tensor | None, Callable[[Tensor], Tensor]]:
        """The features of the picture without its padding, and how maps like them are enlarged to it."""
        (height, width), padded = self._working(size)
        whole = self._feature_map(said)
        if whole is None:
            return None, lambda values: values
        strides = (padded[0] // whole.shape[-2], padded[1] // whole.shape[-1])
        rows, columns = -(-height // strides[0]), -(-width // strides[1])
        covered = (rows * strides[0], columns * strides[1])
        return whole[:, :rows, :columns], lambda values: self._enlarged(values[None], covered, size)[0]

    def _feature_map(self, said: Any) -> Tensor | None:
        """The pixel decoder's map ``(D, h', w')``, or the tokens of EoMT's patches as one; None if there is neither."""
        decoded = getattr(said, "pixel_decoder_last_hidden_state", None)
        if isinstance(decoded, Tensor) and decoded.ndim == 4:
            return decoded[0].float()
        grid = getattr(self.network, "grid_size", None)
        tokens = getattr(said, "last_hidden_state", None)
        if grid is None or not isinstance(tokens, Tensor):
            return None
        patches = tokens[0, -grid[0] * grid[1] :]
        return patches.T.reshape(-1, *grid).float()


class MaskTransformerSource(ModelSource):
    """Scorers on a mask transformer.

    Its classes may be others than the set's: hazards are scored all the same, but its predictions are not kept then.

    Args:
        model: The mask transformer.
        columns: The scorers.
        labels: What the set's labels mean.
        device: Where the pictures are put.

    Raises:
        CaosError: If a scorer needs what a mask transformer does not give.
    """

    def __init__(
        self, model: MaskTransformer, columns: Sequence[ScorerColumn], labels: LabelTable, *, device: str = "cpu"
    ) -> None:
        names = names_in_config(model.network)
        own = None if names is None else names[: model.num_classes]
        self._knows_labels = _are_of_table(own, model.num_classes, labels)
        if own is None and self._knows_labels:
            own = names_in_table(labels)
        self._background_id, self._skipped = background_id(own, labels), dict[str, str]()
        if self._background_id is None:
            columns, self._skipped = without_background(columns, why_no_background(own))
        super().__init__(columns, labels)
        self._model, self._device = model.to(device), device
        for column in columns:
            self._check(column)

    def _check(self, column: ScorerColumn) -> None:
        needs = column.scorer.needs
        if lacking := sorted(needs - GIVEN):
            raise CaosError(
                f"scorer {column.name!r} needs {', '.join(lacking)}, which a mask transformer does not give"
            )
        if "outlier class" in needs and not self._model.has_outlier_class:
            raise CaosError(
                f"scorer {column.name!r} needs an outlier class; if the network has one, pass has_outlier_class=True"
            )

    def skipped(self) -> dict[str, str]:
        """See :class:`Source`."""
        return dict(self._skipped)

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        return {
            "kind": "mask transformer",
            "model": type(self._model.network).__name__,
            "classes": self._model.num_classes,
        }

    def identity(self, hashes: FileHashes) -> Any:
        """See :class:`Source`."""
        columns = [column.identity() for column in self.scorer_columns]
        if None in columns:
            return None
        return {"network": network_digest(self._model), "columns": columns, "device": self._device}

    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """See :class:`ModelSource`."""
        picture = torch.from_numpy(np.ascontiguousarray(image)).to(self._device).permute(2, 0, 1)[None].float() / 255
        with evaluating(self._model):
            look = self._model.look(picture)
        return Outputs(
            look.queries.semantic,
            background_id=self._background_id,
            features=look.features,
            enlarge=look.enlarge,
            image=picture[0].permute(1, 2, 0),
            queries=look.queries,
        )

    def score_outputs(
        self, outputs: Outputs, image: npt.NDArray[np.uint8], seconds: Mapping[str, float] | None = None
    ) -> Scored:
        """See :class:`ModelSource`; classes of another table are not kept."""
        scored = super().score_outputs(outputs, image, seconds)
        return scored if self._knows_labels else replace(scored, prediction=None)


def _are_of_table(names: tuple[str, ...] | None, number: int, labels: LabelTable) -> bool:
    """Whether so many classes of a network, with these names where they are known, are those of a label table."""
    if labels == PHOTOGRAPHS or number != labels.num_classes:
        return False
    return names is None or [name.casefold() for name in names] == [row.name.casefold() for row in labels.trained]


def as_mask_transformer(model: object) -> MaskTransformer | None:
    """A model that is one, or a network of ``transformers`` that can be made one; None for every other model."""
    if isinstance(model, MaskTransformer):
        return model
    return MaskTransformer(model) if isinstance(model, nn.Module) and is_mask_network(model) else None


def is_mask_network(model: object) -> bool:
    """Whether a network of ``transformers`` is one whose outputs are queries; nothing is imported to tell."""
    names = (kind.__name__ for kind in type(model).__mro__ if kind.__module__.startswith("transformers."))
    return any(name.endswith(HEADS) for name in names)


def load_network(weights: str) -> nn.Module:
    """A mask transformer from a folder, a file with ``config.json`` beside it, or the model hub.

    Raises:
        CaosError: If there is none.
    """
    path = Path(weights)
    if path.is_file():
        return _from_file(path)
    if path.is_dir() and not (path / SETTINGS_FILE).is_file():
        raise CaosError(f"{path} holds no {SETTINGS_FILE}, so it is not a mask transformer; {ALTERNATIVES}")
    if not path.is_dir() and (path.is_absolute() or weights.startswith(".") or path.suffix):
        raise CaosError(f"{path} does not exist; {ALTERNATIVES}")
    return _pretrained(weights, is_local=path.is_dir())


def _pretrained(name: str, *, is_local: bool) -> nn.Module:
    from transformers import AutoModelForUniversalSegmentation

    try:
        with quick_hub(), quiet():
            network: nn.Module = AutoModelForUniversalSegmentation.from_pretrained(
                name, local_files_only=is_local, trust_remote_code=False
            )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        reason = first_line(error) if is_local else type(error).__name__
        where = f"{name} cannot be read" if is_local else f"cannot get mask transformer {name!r} from the model hub"
        raise CaosError(f"{where} ({reason}); {ALTERNATIVES}") from error
    return network.eval()


def _from_file(path: Path) -> nn.Module:
    """The network that ``config.json`` describes, filled with the tensors of a file."""
    from transformers import AutoConfig, AutoModelForUniversalSegmentation

    settings = path.parent / SETTINGS_FILE
    if not settings.is_file():
        raise CaosError(f"{path} has no {SETTINGS_FILE} beside it to describe the network; {ALTERNATIVES}")
    read_json(settings)
    state = read_state(path)
    try:
        with quiet():
            network: nn.Module = AutoModelForUniversalSegmentation.from_config(
                AutoConfig.from_pretrained(settings, trust_remote_code=False), trust_remote_code=False
            )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CaosError(f"{settings} does not describe a mask transformer: {first_line(error)}") from error
    wanted = network.state_dict()
    wrong = [key for key in wanted if key not in state or state[key].shape != wanted[key].shape]
    if wrong:
        raise CaosError(
            f"{path} does not fit {settings}: {len(wrong)} of {len(wanted)} tensors are missing or misshapen, first "
            f"{wrong[0]!r}"
        )
    network.load_state_dict({key: state[key] for key in wanted})
    return network.eval()


def _normalisation_beside(weights: str | Path | nn.Module) -> Normalisation:
    """What the picture settings beside the weights say, or ImageNet's."""
    if isinstance(weights, nn.Module):
        return Normalisation()
    path = Path(weights)
    file = (path if path.is_dir() else path.parent) / PICTURES_FILE
    if not file.is_file():
        return Normalisation()
    stored = read_json(file)
    usual = Normalisation()
    try:
        return Normalisation(tuple(stored.get("image_mean", usual.mean)), tuple(stored.get("image_std", usual.std)))
    except (AttributeError, TypeError) as error:
        raise CaosError(f"{file} holds no picture settings") from error
