"""Options of a scoring run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.components import OBSTACLE_TRACK, Track
from caos.ood_scores.measuring.noticing import StoppingRules
from caos.ood_scores.measuring.protocols import PROTOCOLS, Protocol, default_protocol, frame_protocol
from caos.scenes.dataset.layout import Split
from caos.scenes.labels import LabelTable


@dataclass(frozen=True)
class JudgingOptions:
    """How hazards and components are judged.

    Attributes:
        track: Size limits for components.
        false_alarm_rates: Shares of ordinary pixels that may be flagged.
        stopping: For sequences: what a car needs to stop, and how many false alarms per hour it may have.
    """

    track: Track = OBSTACLE_TRACK
    false_alarm_rates: tuple[float, ...] = (0.01, 0.05)
    stopping: StoppingRules = field(default_factory=StoppingRules)


@dataclass(frozen=True)
class ScoringOptions:
    """Settings of a scoring run.

    Attributes:
        protocols: Definitions to report; empty for that of the set, see :func:`default_protocol`.
        frames: The definition of single images; :meth:`on` chooses it.
        split: Which images.
        workers: Processes; each loads the networks once.
        ray: Address of a Ray cluster (``host:port``, ``auto`` or ``local``) to spread the work over, or None.
        seed: For what is drawn: fits, dropout masks, bootstrap.
        save_maps: Keep the score maps as ``maps/<scorer>/<key>.npz``.
        previews: Write what the pages show: coded score maps of at most ``preview_px`` pixels a side.
        preview_px: See ``previews``.
        judging: How hazards and components are judged; None leaves that out, and its temporary files with it.
    """

    protocols: tuple[Protocol, ...] = ()
    frames: Protocol = PROTOCOLS["caos"]
    split: Split = "test"
    workers: int = 1
    ray: str | None = None
    seed: int = 0
    save_maps: bool = False
    previews: bool = True
    preview_px: int = 640
    judging: JudgingOptions | None = field(default_factory=JudgingOptions)

    def __post_init__(self) -> None:
        for name, least in (("workers", 1), ("seed", 0), ("preview_px", 1)):
            if getattr(self, name) < least:
                raise CaosError(f"{name} is {getattr(self, name)!r}; it must be at least {least}")

    def on(self, labels: LabelTable, *, leaves_void_out: bool) -> ScoringOptions:
        """The same with the protocols as they apply to sets with this label table.

        Args:
            labels: The label table.
            leaves_void_out: Whether void is left out on the set unless a protocol says otherwise.
        """
        asked = self.protocols or (default_protocol(leaves_void_out=leaves_void_out),)
        protocols = tuple(protocol.on(labels.name) for protocol in asked)
        return replace(self, protocols=protocols, frames=frame_protocol(protocols, leaves_void_out=leaves_void_out))

    @property
    def is_spread(self) -> bool:
        """Whether other processes do the work."""
        return self.workers > 1 or self.ray is not None

    @property
    def per_image(self) -> tuple[Protocol, ...]:
        """The protocols measured image by image, that of single images first."""
        return tuple({p.name: p for p in (self.frames, *self.protocols) if not p.is_pooled}.values())
