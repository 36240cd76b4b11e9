"""Quality of the embedded renderer, as commands take it."""

from __future__ import annotations

from enum import Enum


class RenderQuality(str, Enum):
    """Quality of the embedded renderer."""

    draft = "draft"
    standard = "standard"
    plain = "plain"
    high = "high"
