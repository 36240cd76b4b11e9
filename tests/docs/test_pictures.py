"""The pictures of the pages are light, and each is shown somewhere."""

from __future__ import annotations

from tests.docs.pages import PAGES, ROOT, links

IMAGES = sorted((ROOT / "docs/images").iterdir())


def test_pictures_are_small_enough_to_open_on_the_road() -> None:
    assert {path.name: path.stat().st_size for path in IMAGES if path.stat().st_size > 600_000} == {}


def test_every_picture_is_shown() -> None:
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    assert [path.name for path in IMAGES if path.resolve() not in shown] == []
