"""Learning set membership (dissertation, chapter 7): k pictures and a query as channels of one picture, yes or no.

The network of the thesis with the fewest layers, Conv-4: four blocks of a 3x3 convolution, batch norm, ReLU and max
pooling, then a linear projection to one logit; its first layer takes ``3 (k + 1)`` channels. Trained with SGD and
binary cross entropy, the rate divided by ten at half and at three quarters of the steps (90 epochs with steps at 45 and
66 there). Beside it stands what the thesis compares itself with: an embedding that was learnt elsewhere, and the
distance of the query to the mean of the set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from caos.studies.membership.crops import Crops

if TYPE_CHECKING:
    from torch import Tensor, nn

WIDTH: Final = 64
RATE: Final = 0.1
MOMENTUM: Final = 0.9
WEIGHT_DECAY: Final = 5e-4

Episodes = tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]
"""Sets and queries ``(n, k + 1, side, side, 3)``, the query last; and whether it belongs."""


def draw_episodes(crops: Crops, shots: int, count: int, rng: np.random.Generator) -> Episodes:
    """Sets of ``shots`` crops of one kind, each with a query: half of them another crop of it, half of another kind."""
    kinds = sorted(crops)
    pictures, belongs = [], []
    for number in range(count):
        kind = kinds[int(rng.integers(len(kinds)))]
        chosen = rng.choice(len(crops[kind]), shots + 1, replace=False)
        members = [crops[kind][i] for i in chosen]
        if number % 2:
            other = [name for name in kinds if name != kind][int(rng.integers(len(kinds) - 1))]
            members[-1] = crops[other][int(rng.integers(len(crops[other])))]
        pictures.append(np.stack(members))
        belongs.append(1.0 - number % 2)
    return np.stack(pictures), np.asarray(belongs, np.float32)


def conv4(shots: int) -> nn.Module:
    """The network, with random weights: ``(n, 3 (k + 1), side, side)`` to ``(n, 1)``."""
    from torch import nn

    blocks: list[nn.Module] = []
    channels = 3 * (shots + 1)
    for _ in range(4):
        blocks += [nn.Conv2d(channels, WIDTH, 3, padding=1), nn.BatchNorm2d(WIDTH), nn.ReLU(), nn.MaxPool2d(2)]
        channels = WIDTH
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(WIDTH, 1))


def stacked(pictures: npt.NDArray[np.uint8]) -> Tensor:
    """Sets and queries as channels, from -1 to 1."""
    import torch

    tensor = torch.from_numpy(pictures).permute(0, 1, 4, 2, 3).float() / 127.5 - 1
    return tensor.reshape(len(tensor), -1, *tensor.shape[-2:])


def learn(
    crops: Crops, shots: int, steps: int, batch: int, seed: int, advance: Callable[[str], None]
) -> Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]]:
    """A trained network, as a function from sets and queries to logits."""
    import torch
    from torch.nn import functional

    torch.manual_seed(seed)
    rng = np.random.default_rng((seed, shots))
    network = conv4(shots).train()
    optimizer = torch.optim.SGD(network.parameters(), RATE, MOMENTUM, weight_decay=WEIGHT_DECAY)
    milestones = [steps // 2, steps * 3 // 4]
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones, 0.1)
    for step in range(steps):
        pictures, belongs = draw_episodes(crops, shots, batch, rng)
        if step % 2:
            pictures = np.ascontiguousarray(pictures[:, :, :, ::-1])
        loss = functional.binary_cross_entropy_with_logits(network(stacked(pictures))[:, 0], torch.from_numpy(belongs))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        advance(f"loss {float(loss.detach()):.3f}")
    network.eval()

    @torch.inference_mode()
    def answer(sets: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        logits = [network(stacked(part))[:, 0].numpy() for part in _parts(sets, 256)]
        return np.asarray(np.concatenate(logits), np.float32)

    return answer


def embedded() -> Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]]:
    """The similarity of query and set by the encoder of the package, trained on ImageNet: a cosine of means."""
    import timm
    import torch
    from torch.nn import functional

    from caos.segmentation.models.encoders import bundled_state

    network = timm.create_model("tf_efficientnet_lite0", pretrained=False, num_classes=0)
    network.load_state_dict({k: v for k, v in bundled_state().items() if not k.startswith("classifier")})
    network.eval()

    @torch.inference_mode()
    def answer(sets: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        similar = []
        for part in _parts(sets, 32):
            flat = torch.from_numpy(part).reshape(-1, *part.shape[2:]).permute(0, 3, 1, 2).float() / 127.5 - 1
            features = functional.normalize(network(flat), dim=1).reshape(len(part), part.shape[1], -1)
            similar.append(functional.cosine_similarity(features[:, :-1].mean(1), features[:, -1]).numpy())
        return np.asarray(np.concatenate(similar), np.float32)

    return answer


def _parts(sets: npt.NDArray[np.uint8], size: int) -> Iterator[npt.NDArray[np.uint8]]:
    for start in range(0, len(sets), size):
        yield sets[start : start + size]


def best_threshold(values: npt.NDArray[np.float32], belongs: npt.NDArray[np.float32]) -> float:
    """The threshold with the highest accuracy on these answers.

    >>> best_threshold(np.float32([0.1, 0.4, 0.6, 0.9]), np.float32([0, 0, 1, 1]))
    0.5
    """
    order = np.sort(np.unique(values))
    between = np.concatenate([[order[0] - 1], (order[:-1] + order[1:]) / 2, [order[-1] + 1]])
    right = [float(np.mean((values > limit) == (belongs > 0.5))) for limit in between]
    return float(round(float(between[int(np.argmax(right))]), 6))


def accuracies(
    answer: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]],
    threshold: float,
    episodes: Sequence[Episodes],
) -> list[float]:
    """Accuracy on each of several draws of sets and queries."""
    return [float(np.mean((answer(sets) > threshold) == (belongs > 0.5))) for sets, belongs in episodes]
