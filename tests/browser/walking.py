"""Open pages one after another and collect their problems, so that a test reports all of them."""

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from playwright.sync_api import Browser, BrowserContext

from tests.browser.looks import Looks
from tests.browser.signing_in import sign_in
from tests.service import Service

HEIGHT = 860


def make_rows(service: Service, *, is_compared: bool = False) -> dict[str, Any]:
    """Return what `rows.make` returns in the service's database, and the name of the operator."""
    name = f"tides-{uuid.uuid4().hex[:8]}"
    making = f"from tests.browser import rows; rows.main({name!r}, is_compared={is_compared})"
    done = service.manage("shell", "-v", "0", "-c", making)
    assert done.returncode == 0, done.stderr
    return {"name": name, **json.loads(done.stdout.splitlines()[-1])}


@dataclass(frozen=True, slots=True)
class Walk:
    """A browser that opens pages at the first width and checks them at each width, in the two schemes in turns."""

    context: BrowserContext
    widths: tuple[int, ...]
    looks: Looks = field(default_factory=partial(Looks, in_turns=True))

    def problems(self, places: Iterable[str]) -> list[str]:
        page = self.context.new_page()
        found: list[str] = []
        for place in places:
            page.set_viewport_size({"width": self.widths[0], "height": HEIGHT})
            page.goto(place)
            found += self.looks.problems(page, self.widths)
        page.close()
        return found


def walk(browser: Browser, service: Service, widths: tuple[int, ...], name: str = "") -> Walk:
    """Return a walk that is signed in as the person of this name, or as nobody."""
    context = browser.new_context(base_url=service.url, viewport={"width": widths[0], "height": HEIGHT})
    if name:
        page = context.new_page()
        sign_in(page, name)
        page.close()
    return Walk(context, widths)
