"""A hook of mkdocs for screen readers and keyboards: the bar at the top is a landmark, and wide tables can be scrolled.

The theme has neither. ``docs/tables.js`` makes a stop for the tab key of each table that is wider than its place.
"""

from __future__ import annotations

from typing import Any

BAR = '<div class="navbar fixed-top'


def on_page_content(html: str, **_: Any) -> str:
    """Put each table into a place of its own, which scrolls in the table's stead."""
    return html.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def on_post_page(output: str, **_: Any) -> str:
    """Name the bar of a page."""
    return _with_named_bar(output)


def on_post_template(output_content: str, *, template_name: str, **_: Any) -> str:
    """Name the bar of the page that is shown where no page is."""
    return _with_named_bar(output_content) if template_name == "404.html" else output_content


def _with_named_bar(html: str) -> str:
    found = html.count(BAR)
    if found != 1:
        raise ValueError(
            f"the theme has {found} bars that begin {BAR!r}, expected one: docs/landmarks.py is out of date"
        )
    return html.replace(BAR, BAR.replace("<div", '<div role="navigation" aria-label="Documentation"'))
