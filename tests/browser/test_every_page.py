"""Check every page for screen readers and keyboards, at desktop and phone width, in both colour schemes.

Source: docs/reference/console.md §1.1. The console's pages are found by its routes; see `rows.pages`. Of a team member,
only the pages are checked whose content differs from the operator's.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.looks import Looks
from tests.browser.walking import Walk, make_rows, walk
from tests.service import Service

PARTS = 6  # parts of a long walk, so that no test takes too long
PARTS_OF_MEMBER = 2
OF_ANYBODY = (
    "/admin/login/",
    "/admin/forgot-password/",
    "/admin/notifications/teammember/join/?token={join}",
    "/admin/notifications/teammember/join/?token=none",
    "/admin/choose-password/?token={choose}",
    "/docs/",
    "/docs/changes/",
    "/docs/errors/",
    "/docs/errors/team-only-key/",
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
def looks() -> Looks:
    """What all walks have checked already."""
    return Looks(is_walk=True)


@pytest.fixture(scope="module")
def operator(browser: Browser, service: Service, made: dict[str, Any], looks: Looks) -> Iterator[Walk]:
    walking = walk(browser, service, looks, made["name"])
    yield walking
    walking.context.close()


@pytest.fixture(scope="module")
def member(browser: Browser, service: Service, made: dict[str, Any], looks: Looks) -> Iterator[Walk]:
    walking = walk(browser, service, looks, f"{made['name']}-member")
    yield walking
    walking.context.close()


def test_public_pages_are_accessible(browser: Browser, service: Service, made: dict[str, Any], looks: Looks):
    anybody = walk(browser, service, looks)

    assert anybody.problems(place.format(**made) for place in OF_ANYBODY) == []

    anybody.context.close()


@pytest.mark.parametrize("part", range(PARTS))
def test_the_pages_of_an_operator_are_accessible(operator: Walk, made: dict[str, Any], part: int):
    assert operator.problems([*made["operator"], "/admin/nowhere/"][part::PARTS]) == []


@pytest.mark.parametrize("part", range(PARTS_OF_MEMBER))
def test_the_pages_of_a_member_are_accessible(member: Walk, made: dict[str, Any], part: int):
    assert member.problems([*made["unlike"], "/admin/operations/jobs/"][part::PARTS_OF_MEMBER]) == []


def test_the_list_has_every_kind_of_page(made: dict[str, Any]):
    """Check the list of pages, because a mistake in calling the routes would leave out pages silently."""
    ends = {place.rstrip("/").rpartition("/")[2].partition("?")[0] for place in made["operator"]}

    assert {"add", "change", "delete", "history", "revoke", "archive", "restore", "go-live", "withdraw"} <= ends
    assert {"rotate", "empty", "remove", "extend", "pause", "resume", "link", "limits", "run", "confirm"} <= ends
    assert len(made["operator"]) > len(made["member"]) > 50


def test_the_list_of_a_member_has_the_pages_that_differ(made: dict[str, Any]):
    """Check the list of pages, because a mistake in the comparison would leave out pages silently."""
    assert {
        "/admin/",
        "/admin/notifications/apikey/",
        "/admin/notifications/notification/",
        "/admin/notifications/template/",
        "/admin/notifications/template/add/",
        f"/admin/notifications/template/{made['template']}/change/",
        f"/admin/datasets/dataset/{made['dataset']}/change/",
    } <= set(made["unlike"])
