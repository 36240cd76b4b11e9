"""Source of score maps from a frozen encoder: any vision transformer of timm, its weights in a file, nothing trained.

Features of DINOv2, DINOv3 and their kin tell ordinary streets from foreign things by distance alone: KNN, Mahalanobis
and cDNP without its energy. Each patch is one feature; maps of them are enlarged to the picture. An encoder says no
classes, so scorers that read logits are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError, unknown
from caos.foundation.storage.identity import FileHashes
from caos.ood_scores.scorer_interface.registry import scorer_names
from caos.ood_scores.scorer_interface.scorer import FEATURES, Outputs
from caos.ood_scores.scorer_interface.specifications import ScorerColumn, columns_of
from caos.ood_scores.sources.model import ModelSource
from caos.scenes.dataset.layout import Dataset, open_dataset

if TYPE_CHECKING:
    from torch import Tensor, nn

USUAL_SCORERS: Final = ("knn", "mahalanobis", "cdnp:energy=false")
"""What ``all`` means for an encoder."""
GIVEN: Final = frozenset({*FEATURES, "image"})
FIRST_TENSOR: Final = "patch_embed.proj.weight"
"""Every vision transformer has it, by timm's name and by the authors'."""


class EncoderSource(ModelSource):
    """Scorers on the features of a frozen encoder.

    Args:
        encoder: Name of a vision transformer of timm, such as ``vit_small_patch14_dinov2``.
        weights: File of its weights, safetensors or a torch state dict.
        scorers: Names, paths and settings, or ``all``.
        dataset: The set that is scored; its label table says what labels mean.
        fit_on: Folder of the set to fit on, if it is not the scored one.
        device: ``auto``, ``cpu``, ``cuda`` ...

    Raises:
        CaosError: If there is no such encoder or file, they do not fit, or a scorer needs more than features.
    """

    has_logits = False

    def __init__(
        self,
        encoder: str,
        weights: Path | None,
        scorers: str | Sequence[str],
        dataset: Dataset,
        *,
        fit_on: Path | None = None,
        device: str = "auto",
    ) -> None:
        from caos.segmentation.models.encoders import normalisation_of
        from caos.segmentation.training.devices import choose_device

        is_usual = isinstance(scorers, str) and scorers.strip() == "all"
        columns = columns_of(USUAL_SCORERS if is_usual else scorers)
        for column in columns:
            _check(column)
        fit_set = None if fit_on is None else open_dataset(fit_on)
        super().__init__(columns, (fit_set or dataset).labels, fit_set)
        self._skipped = _left_out() if is_usual else {}
        self._name, self._weights = encoder, _existing(encoder, weights)
        # Before the weights are read: what changes meanwhile must not pass for what was read.
        self._hash = FileHashes().of(self._weights)
        self._device = choose_device(device)
        self._encoder = load_encoder(encoder, self._weights).to(self._device)
        self._normalisation = normalisation_of(f"tu-{encoder}")

    def skipped(self) -> dict[str, str]:
        """See :class:`Source`."""
        return dict(self._skipped)

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        fit_on = {} if self.fit_set is None else {"fit_on": str(self.fit_set.root)}
        return {"kind": "encoder", "encoder": self._name, "weights": str(self._weights), **fit_on}

    def identity(self, hashes: FileHashes) -> Any:
        """See :class:`Source`."""
        columns = [column.identity() for column in self.scorer_columns]
        if None in columns:
            return None
        if FileHashes().of(self._weights) != self._hash:
            raise CaosError(f"{self._weights} changed while it was used; score again")
        from caos.foundation.storage.provenance import package_version

        return {
            "encoder": self._name,
            "weights": self._hash,
            "columns": columns,
            "device": self._device.type,
            "timm": package_version("timm"),
        }

    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """See :class:`ModelSource`; there are no logits."""
        import torch

        picture = torch.from_numpy(np.ascontiguousarray(image)).to(self._device).permute(2, 0, 1)[None].float() / 255
        mean, std = (
            torch.tensor(values, device=self._device).reshape(1, 3, 1, 1)
            for values in (self._normalisation.mean, self._normalisation.std)
        )
        height, width = image.shape[:2]
        with torch.inference_mode():
            features = encoded(self._encoder, (picture - mean) / std)
        patch = patch_of(self._encoder)

        def enlarge(values: Tensor) -> Tensor:
            covered = (values.shape[0] * patch[0], values.shape[1] * patch[1])
            whole = torch.nn.functional.interpolate(
                values[None, None].float(), covered, mode="bilinear", align_corners=False
            )
            return whole[0, 0, :height, :width]

        return Outputs(
            torch.empty((0, height, width)), features=features, enlarge=enlarge, image=picture[0].permute(1, 2, 0)
        )


def load_encoder(name: str, weights: Path) -> nn.Module:
    """A vision transformer of timm for pictures of any size, filled with the weights of a file.

    Raises:
        CaosError: If there is no such encoder, it is not a vision transformer, or the file does not fit it.
    """
    import timm

    from caos.segmentation.models.encoders import read_state

    if not timm.is_model(name.partition(".")[0]):
        raise CaosError(str(unknown("encoder", name, timm.list_models("*vit*"))).partition(" (known")[0])
    try:
        encoder: nn.Module = timm.create_model(name, pretrained=False, num_classes=0, dynamic_img_size=True)
    except (TypeError, RuntimeError, ValueError) as error:
        raise CaosError(f"encoder {name!r} is not a vision transformer that takes pictures of any size") from error
    if not hasattr(encoder, "forward_intermediates") or not hasattr(encoder, "patch_embed"):
        raise CaosError(f"encoder {name!r} is not a vision transformer")
    stored = _in_words_of_timm(encoder, _without_prefix(read_state(weights)))
    wanted = encoder.state_dict()
    wrong = [key for key in wanted if key not in stored or stored[key].shape != wanted[key].shape]
    if wrong:
        raise CaosError(
            f"{weights} does not fit encoder {name!r}: {len(wrong)} of {len(wanted)} tensors missing or of another "
            f"shape, first {wrong[0]!r}"
        )
    encoder.load_state_dict({key: stored[key] for key in wanted})
    return encoder.eval()


def encoded(encoder: nn.Module, signal: Tensor) -> Tensor:
    """Features ``(D, h', w')`` of a picture ``(1, 3, h, w)``, one a patch; its border is mirrored to whole ones.

    Raises:
        CaosError: If the encoder joins patches on its way.
    """
    from caos.segmentation.models.networks import widened

    _check_plain(encoder)
    vertical, horizontal = patch_of(encoder)
    bottom, right = -signal.shape[-2] % vertical, -signal.shape[-1] % horizontal
    whole = widened(signal, (signal.shape[-2] + bottom, signal.shape[-1] + right))
    forward: Any = encoder.forward_intermediates
    last: Tensor = forward(whole, indices=1, norm=True, intermediates_only=True, output_fmt="NCHW")[-1]
    return last[0].float()


def _check_plain(encoder: nn.Module) -> None:
    """Refuse a hierarchical encoder: timm lists another reduction for each of its stages.

    Raises:
        CaosError: If the stages have features of different sizes.
    """
    stages: Any = encoder.feature_info
    if len({stage["reduction"] for stage in stages}) > 1:
        raise CaosError(
            f"the encoder ({type(encoder).__name__}) joins patches on its way; a plain vision transformer is needed, "
            "which keeps one feature a patch (vit, deit, dinov2 ...)"
        )


def patch_of(encoder: nn.Module) -> tuple[int, int]:
    """``(height, width)`` of the patches."""
    embedding: Any = encoder.patch_embed
    height, width = embedding.patch_size
    return int(height), int(width)


def _existing(encoder: str, weights: Path | None) -> Path:
    if weights is None:
        raise CaosError(
            f"encoder {encoder!r} needs its weights: --encoder-weights FILE, .safetensors or .pth as timm or the "
            "authors publish them (nothing is downloaded)"
        )
    if not weights.is_file():
        raise CaosError(
            f"weights {str(weights)!r} of encoder {encoder!r} do not exist; give a file, .safetensors or .pth as timm "
            "or the authors publish them (nothing is downloaded)"
        )
    return weights


def _without_prefix(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors under their names within the encoder, where it was stored as a part (``backbone.``, ``module.`` ...)."""
    prefixes = [name.removesuffix(FIRST_TENSOR) for name in state if name.endswith(FIRST_TENSOR)]
    if not prefixes or prefixes[0] == "":
        return state
    return {name.removeprefix(prefixes[0]): tensor for name, tensor in state.items() if name.startswith(prefixes[0])}


def _in_words_of_timm(encoder: nn.Module, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Authors' names of tensors as timm's, and position embeddings at the size of the encoder's."""
    convert = getattr(sys.modules[type(encoder).__module__], "checkpoint_filter_fn", None)
    if convert is None or not state:
        return state
    try:
        found: dict[str, Tensor] = dict(convert(dict(state), encoder))
    except (KeyError, ValueError, RuntimeError, AttributeError, IndexError):
        return state  # the names that are missing are told by who asked
    return found


def _check(column: ScorerColumn) -> None:
    if lacking := sorted(column.scorer.needs - GIVEN):
        raise CaosError(f"scorer {column.name!r} needs {', '.join(lacking)}, which an encoder does not give")
    if column.scorer.reads_logits:
        hint = "; cdnp:energy=false does without" if column.info.name == "cdnp" else ""
        raise CaosError(f"scorer {column.name!r} reads logits, which an encoder does not give{hint}")


def _left_out() -> dict[str, str]:
    used = {name.partition(":")[0] for name in USUAL_SCORERS}
    return {name: "an encoder gives features alone" for name in scorer_names() if name not in used}
