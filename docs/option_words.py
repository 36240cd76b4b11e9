"""A hook of mkdocs: an option of a command stays in one line, where a browser would break after its hyphens."""

from __future__ import annotations

import re
from typing import Any

CODE = re.compile(r"<code[^>]*>.*?</code>", re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z0-9-]*")
TAG = re.compile(r"(<[^>]*>)")


def on_page_content(html: str, **_: Any) -> str:
    """Wrap every option in code."""
    return CODE.sub(lambda code: "".join(_wrapped(part) for part in TAG.split(code[0])), html)


def _wrapped(part: str) -> str:
    return part if part.startswith("<") else OPTION.sub(r'<span class="option">\g<0></span>', part)
