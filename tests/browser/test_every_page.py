"""Check every page for screen readers and keyboards, at desktop and phone width, in both colour schemes.

Source: docs/reference/console.md §1.1. The console's pages are found by its routes; see `rows.pages`.
"""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.looks import Looks
from tests.browser.signing_in import sign_in
from tests.service import Service

PARTS = 6  # parts of a long walk, so that no test takes too long
OF_ANYBODY = (
    "/admin/login/",
    "/admin/forgot-password/",
    "/admin/notifications/teammember/join/?token={join}",
    "/admin/notifications/teammember/join/?token=none",
    "/admin/choose-password/?token={choose}",
    "/docs/",
    "/",
    "{download}",
    "/d/nowhere?key=x",
    "/unsubscribe/preview",
    "/unsubscribe/none",
)


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, Any]:
    name = f"tides-{uuid.uuid4().hex[:8]}"
    done = service.manage("shell", "-v", "0", "-c", f"from tests.browser import rows; rows.main('{name}')")
    assert done.returncode == 0, done.stderr
    return {"name": name, **json.loads(done.stdout.splitlines()[-1])}


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    page = browser.new_page(base_url=service.url)
    yield page
    page.close()


def test_public_pages_are_accessible(page: Page, made: dict[str, Any], looks: Looks):
    problems: list[str] = []
    for place in OF_ANYBODY:
        page.goto(place.format(**made))
        problems += looks.problems(page)

    assert problems == []


@pytest.mark.parametrize("part", range(PARTS))
def test_the_pages_of_an_operator_are_accessible(page: Page, made: dict[str, Any], looks: Looks, part: int):
    sign_in(page, made["name"])

    problems: list[str] = []
    for place in [*made["operator"], "/admin/nowhere/"][part::PARTS]:
        page.goto(place)
        problems += looks.problems(page)

    assert problems == []


@pytest.mark.parametrize("part", range(PARTS))
def test_the_pages_of_a_member_are_accessible(page: Page, made: dict[str, Any], looks: Looks, part: int):
    """Open the pages at phone width, then check them at desktop width."""
    page.set_viewport_size({"width": 390, "height": 860})
    sign_in(page, f"{made['name']}-member")

    problems: list[str] = []
    for place in [*made["member"], "/admin/operations/jobs/"][part::PARTS]:
        page.goto(place)
        problems += looks.problems(page, (390, 1280))
        page.set_viewport_size({"width": 390, "height": 860})

    assert problems == []


def test_the_list_has_every_kind_of_page(made: dict[str, Any]):
    """Check the list of pages, because a mistake in calling the routes would leave out pages silently."""
    ends = {place.rstrip("/").rpartition("/")[2].partition("?")[0] for place in made["operator"]}

    assert {"add", "change", "delete", "history", "revoke", "archive", "restore", "go-live", "withdraw"} <= ends
    assert {"rotate", "empty", "remove", "extend", "pause", "resume", "link", "limits", "run", "confirm"} <= ends
    assert len(made["operator"]) > len(made["member"]) > 50
