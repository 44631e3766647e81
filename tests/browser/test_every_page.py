"""Check every page for screen readers and keyboards, at desktop and phone width, in both colour schemes.

Source: docs/reference/console.md §1.1. The console's pages are found by its routes; see `rows.pages`.
`test_every_page_of_a_member.py` checks the pages of a team member.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.walking import Walk, make_rows, walk
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
    return make_rows(service)


@pytest.fixture(scope="module")
def operator(browser: Browser, service: Service, made: dict[str, Any]) -> Iterator[Walk]:
    walking = walk(browser, service, (1280, 390), made["name"])
    yield walking
    walking.context.close()


def test_public_pages_are_accessible(browser: Browser, service: Service, made: dict[str, Any]):
    anybody = walk(browser, service, (1280, 390))

    assert anybody.problems(place.format(**made) for place in OF_ANYBODY) == []

    anybody.context.close()


@pytest.mark.parametrize("part", range(PARTS))
def test_the_pages_of_an_operator_are_accessible(operator: Walk, made: dict[str, Any], part: int):
    assert operator.problems([*made["operator"], "/admin/nowhere/"][part::PARTS]) == []


def test_the_list_has_every_kind_of_page(made: dict[str, Any]):
    """Check the list of pages, because a mistake in calling the routes would leave out pages silently."""
    ends = {place.rstrip("/").rpartition("/")[2].partition("?")[0] for place in made["operator"]}

    assert {"add", "change", "delete", "history", "revoke", "archive", "restore", "go-live", "withdraw"} <= ends
    assert {"rotate", "empty", "remove", "extend", "pause", "resume", "link", "limits", "run", "confirm"} <= ends
    assert len(made["operator"]) > len(made["member"]) > 50
