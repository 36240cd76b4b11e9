"""A hook of mkdocs: what reStructuredText marks in docstrings becomes what a page shows.

Docstrings name things as ``:class:`Results``` and announce code with two colons; readers of the page want neither.
"""

import re
from typing import Any

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):(?=<code>)")
_ANNOUNCED_CODE = re.compile(r"::(</p>\s*<div class=\"highlight\">|</p>\s*<pre>)")


def on_page_content(html: str, **_: Any) -> str:
    """The page without the marks."""
    return _ANNOUNCED_CODE.sub(r":\1", _ROLE.sub("", html))
