"""Page of a look: every photograph under its overlay, to compare by sliding or holding; one file, no network."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from PIL import Image

from caos.foundation.storage.files import write_text
from caos.ood_scores.looking.overlay import heat_colors
from caos.ood_scores.looking.photographs import Picture, shrunk

WIDEST: Final = 1280
QUALITY: Final = 80
STOPS: Final = 8


@dataclass(frozen=True)
class PageRow:
    """A photograph on the page: what is said of it, and both pictures as data URLs."""

    title: str
    text: str
    photograph: str
    overlay: str

    @staticmethod
    def of(line: str, photograph: Picture, overlay: Picture) -> PageRow:
        """The row of one photograph; ``line`` begins with its name and a colon."""
        title, _, text = line.partition(": ")
        return PageRow(title, text, _data_url(photograph), _data_url(overlay))


def write_page(path: Path, rows: Sequence[PageRow], meaning: str) -> None:
    """Write the page.

    Args:
        path: The file.
        rows: The photographs in their order.
        meaning: What an outline says.
    """
    import jinja2

    parts = resources.files("caos.assets.pages")
    environment = jinja2.Environment(autoescape=True)
    template = environment.from_string((parts / "look.html.j2").read_text(encoding="utf-8"))
    style = (parts / "style.css").read_text(encoding="utf-8")
    write_text(path, template.render(rows=rows, meaning=meaning, style=style, scale=_scale()))


def _data_url(picture: Picture) -> str:
    buffer = io.BytesIO()
    Image.fromarray(shrunk(picture, WIDEST)).save(buffer, format="WEBP", quality=QUALITY, method=2)
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _scale() -> str:
    """The colours of the heat as a CSS gradient."""
    colors = heat_colors().astype(int)
    stops = [colors[round(i * (len(colors) - 1) / (STOPS - 1))].tolist() for i in range(STOPS)]
    return "linear-gradient(90deg, #555, " + ", ".join(f"rgb({r} {g} {b})" for r, g, b in stops) + ")"
