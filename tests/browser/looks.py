"""Check pages with axe-core and by measurement: at desktop and phone width, light and dark.

Checking a page with all rules four times takes a second, mostly for contrast. So each combination of colours, and
each structure of elements, is only checked on the first page that has it.
"""

from pathlib import Path
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SCRIPT = Axe().axe_script + Path(__file__).with_name("looks.js").read_text()
WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Looks:
    """Check pages, one after another."""

    def __init__(self) -> None:
        self._colours: set[str] = set()
        self._structures: set[int] = set()

    def problems(self, page: Page, widths: tuple[int, ...] = WIDTHS) -> list[str]:
        """Return the problems of the open page. The page keeps the last width and the dark scheme."""
        page.evaluate(SCRIPT)
        problems = []
        for width in widths:
            page.set_viewport_size({"width": width, "height": 860})
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                page.evaluate("isDark => looks.still(isDark)", scheme == "dark")
                found = self._of_colours(page)
                if scheme == "light":
                    found += self._of_structure(page) + self._of_measures(page, width)
                problems += [f"{page.url} {width} {scheme}: {one}" for one in found]
        return problems

    def _of_colours(self, page: Page) -> list[str]:
        found = page.evaluate("known => looks.colours(known)", list(self._colours))
        self._colours.update(found["examined"])
        assert self._colours, "no text was examined"
        return list(found["problems"])

    def _of_structure(self, page: Page) -> list[str]:
        skeleton = hash(page.evaluate("looks.skeleton()"))
        if skeleton in self._structures:
            return []
        self._structures.add(skeleton)
        return list(page.evaluate("looks.structure()"))

    def _of_measures(self, page: Page, width: int) -> list[str]:
        across = page.evaluate("document.documentElement.scrollWidth")
        return ([f"is {across} wide"] if across > width else []) + list(page.evaluate("looks.odd", width))
