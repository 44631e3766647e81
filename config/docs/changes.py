"""The page of changes: CHANGELOG.md. Source: docs/reference/running.md §8."""

import re
from functools import cache

from config.env import ROOT


@cache
def text() -> str:
    """Return the changelog in Markdown, without its title and the brackets of its versions."""
    text = (ROOT / "CHANGELOG.md").read_text().partition("\n")[2]
    return re.sub(r"^## \[(.+?)\]", r"## \1", text, flags=re.MULTILINE)
