"""Check pages with axe-core and by measurement: at desktop and phone width, light and dark.

In a walk of many pages, a page has the light scheme at one width and the dark scheme at the other. The next page has
them the other way round, so that the frame of all pages is checked in both schemes at each width.

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
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TRIES = 3  # for a style whose contrast axe-core cannot measure: on another page nothing may cover the text


class Looks:
    """Check pages, one after another. `in_turns`: with one scheme at each width."""

    def __init__(self, *, in_turns: bool = False) -> None:
        self._in_turns = in_turns
        self._styles: set[str] = set()
        self._structures: set[str] = set()
        self._unsure: Counter[str] = Counter()
        self._pages = 0

    def problems(self, page: Page, widths: tuple[int, ...] = WIDTHS) -> list[str]:
        """Return the problems of the open page. The page keeps the last width."""
        page.evaluate(SCRIPT)
        problems = []
        for number, width in enumerate(widths, start=self._pages if self._in_turns else 0):
            page.set_viewport_size({"width": width, "height": 860})
            # The first scheme of each width is the last of the previous one.
            for scheme in SCHEMES[number % 2 :: 2] if self._in_turns else SCHEMES[:: 1 - 2 * (number % 2)]:
                page.emulate_media(color_scheme=scheme)
                found = self._examine(page, width, is_dark=scheme == "dark")
                problems += [f"{page.url} {width} {scheme}: {one}" for one in found]
        self._pages += 1
        return problems

    def _examine(self, page: Page, width: int, *, is_dark: bool) -> list[str]:
        known = {"styles": list(self._styles), "structures": list(self._structures)}
        found: dict[str, Any] = page.evaluate(
            "asked => looks.examine(asked)", {"width": width, "isDark": is_dark, "known": known}
        )
        self._unsure.update(found["unsure"])
        self._styles.update(one for one in found["styles"] if self._unsure[one] in {0, TRIES})
        assert self._styles or self._unsure, "no text was examined"
        self._structures.add(found["structure"])
        return list(found["problems"])
