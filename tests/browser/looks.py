"""What is wrong with a page, by axe-core and by measure: at the widths of a desk and of a telephone, light and dark.

A page costs a second where all rules look at all of it four times, most of it for contrast. So each combination of
colours is examined on the first page that has it, and each structure of elements likewise.
"""

from pathlib import Path
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SCRIPT = Axe().axe_script + Path(__file__).with_name("looks.js").read_text()
WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Looks:
    """Examines pages, one after another."""

    def __init__(self) -> None:
        self._colours: set[str] = set()
        self._structures: set[int] = set()

    def problems(self, page: Page, widths: tuple[int, ...] = WIDTHS) -> list[str]:
        """Return what is wrong with the page that is open. The last width and the dark scheme stay."""
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
