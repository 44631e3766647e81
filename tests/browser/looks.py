"""Check pages with axe-core and by measurement: at desktop and phone width, light and dark.

In a walk of many pages, axe-core checks each page at its first width only. A walk opens one page at one width and the
next page at the other, so that the frame of all pages is checked at both. Each page is measured at each width.

Checking a page with all rules four times takes a second, mostly for contrast. So each style of text, and each
structure of elements, is only checked on the first page that has it.
"""

from collections import Counter
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SCRIPT = Axe().axe_script + Path(__file__).with_name("looks.js").read_text()
WIDTHS = (1280, 390)
HEIGHT = 860
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
TRIES = 3  # for a style whose contrast axe-core cannot measure: on another page nothing may cover the text


class Looks:
    """Check pages, one after another. `is_walk`: with axe-core at the first width of each page only."""

    def __init__(self, *, is_walk: bool = False) -> None:
        self._is_walk = is_walk
        self._styles: set[str] = set()
        self._structures: set[str] = set()
        self._unsure: Counter[str] = Counter()
        self._examinations = 0

    def problems(self, page: Page, widths: tuple[int, ...] = WIDTHS) -> list[str]:
        """Return the problems of the open page. The page keeps the last width."""
        if not page.evaluate("'looks' in window"):
            page.evaluate(SCRIPT)
        problems = []
        for number, width in enumerate(widths):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            schemes = () if self._is_walk and number else self._schemes()
            found = [one for scheme in schemes for one in self._examine(page, scheme, is_first=scheme == schemes[0])]
            found += page.evaluate("width => looks.measures(width)", width)
            problems += [f"{page.url} {width} {one}" for one in found]
        return problems

    def _schemes(self) -> tuple[Scheme, ...]:
        """Return the schemes. The first is the last of the previous time, which saves a change."""
        self._examinations += 1
        return SCHEMES if self._examinations % 2 else SCHEMES[::-1]

    def _examine(self, page: Page, scheme: Scheme, *, is_first: bool) -> list[str]:
        """is_first: also check the structure, which is the same in each scheme"""
        page.emulate_media(color_scheme=scheme)
        known = {"styles": list(self._styles), "structures": list(self._structures)}
        found: dict[str, Any] = page.evaluate(
            "asked => looks.examine(asked)", {"isDark": scheme == "dark", "isFirst": is_first, "known": known}
        )
        self._unsure.update(found["unsure"])
        self._styles.update(one for one in found["styles"] if self._unsure[one] in {0, TRIES})
        assert self._styles or self._unsure, "no text was examined"
        self._structures.add(found["structure"])
        return [f"{scheme}: {one}" for one in found["problems"]]
