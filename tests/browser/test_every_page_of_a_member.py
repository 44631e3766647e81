"""Check every page of a team member: open it at phone width, then check it at desktop width, too.

Pages with the same content as the operator's are left out, because `test_every_page.py` checks those.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.walking import Walk, make_rows, walk
from tests.service import Service

PARTS = 2  # parts of a long walk, so that no test takes too long


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, Any]:
    return make_rows(service, is_compared=True)


@pytest.fixture(scope="module")
def member(browser: Browser, service: Service, made: dict[str, Any]) -> Iterator[Walk]:
    walking = walk(browser, service, (390, 1280), f"{made['name']}-member")
    yield walking
    walking.context.close()


@pytest.mark.parametrize("part", range(PARTS))
def test_the_pages_of_a_member_are_accessible(member: Walk, made: dict[str, Any], part: int):
    assert member.problems([*made["unlike"], "/admin/operations/jobs/"][part::PARTS]) == []


def test_the_list_has_the_pages_that_differ(made: dict[str, Any]):
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
