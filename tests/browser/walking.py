"""Open pages one after another and collect their problems, so that a test reports all of them."""

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext

from tests.browser.looks import HEIGHT, SCRIPT, WIDTHS, Looks
from tests.browser.signing_in import sign_in
from tests.service import Service


def make_rows(service: Service) -> dict[str, Any]:
    """Return what `rows.make` returns in the service's database, and the name of the operator."""
    name = f"tides-{uuid.uuid4().hex[:8]}"
    making = f"from tests.browser import rows; rows.main({name!r})"
    done = service.manage("shell", "-v", "0", "-c", making)
    assert done.returncode == 0, done.stderr
    return {"name": name, **json.loads(done.stdout.splitlines()[-1])}


@dataclass(frozen=True, slots=True)
class Walk:
    """A browser that checks pages at both widths. It opens each page at the last width of the previous one."""

    context: BrowserContext
    looks: Looks

    def problems(self, places: Iterable[str]) -> list[str]:
        page = self.context.new_page()
        widths = WIDTHS
        page.set_viewport_size({"width": widths[0], "height": HEIGHT})
        found: list[str] = []
        for place in places:
            page.goto(place)
            found += self.looks.problems(page, widths)
            widths = widths[::-1]
        page.close()
        return found


def walk(browser: Browser, service: Service, looks: Looks, name: str = "") -> Walk:
    """Return a walk that is signed in as the person of this name, or as nobody. looks: with what is checked already"""
    context = browser.new_context(base_url=service.url)
    if name:
        page = context.new_page()
        sign_in(page, name)
        page.close()
    context.add_init_script(SCRIPT)
    return Walk(context, looks)
