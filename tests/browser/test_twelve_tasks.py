"""Twelve tasks of officials: at most 3 clicks from the page after sign-in to the form or answer, by visible words.

A choice among radios is no click but a field. Source: docs/reference/console.md §1.4.
"""

import re
import uuid
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

MAKING = """
from django.contrib.auth.models import User
from notifications.models import Channel, Role, Status
from tests import factories
from tests.datasets import making
from tests.people import join
service = factories.make_service(name={name!r}, live=False)
text = factories.make_template(service, Channel.SMS, name="Gate code")
letter = factories.make_template(service, name="Visit booked")
failed = factories.make_notification(letter, recipient="ana@example.org", status=Status.PERMANENT_FAILURE)
factories.make_reply_to(service)
user = User.objects.create_user({name!r}, {name!r} + "@example.org", {password!r}, is_staff=True)
join(user, service, *Role)
making.make_data_set({group!r}, "visits").owners.add(user)
"""
MOST_CLICKS = 3
FIELD = "choose "  # a step that chooses a radio instead of clicking
TASKS: dict[str, tuple[tuple[str, ...], str]] = {
    "send one text": (("Send", f"{FIELD}Gate code", "Continue"), "Phone number"),
    "send to a list": (("Send", "To a list", "Create bulk send"), "Choose a template"),
    "find why a message to a person failed": (
        ("Messages", "Failed", "ana@example.org"),
        "Email address does not exist",
    ),
    "change a template and publish it": (("Templates", "Visit booked"), "Publish template"),
    "add a Welsh version": (("Templates", "Visit booked", "Add a language"), "A code, such as en or cy"),
    "invite a colleague": (("Team", "Add team member"), "Email address"),
    "add a reply-to address": (("Settings", "Reply-to", "Add reply-to address"), "Email address"),
    "stop sending to a person": (("Settings", "Stopped recipients", "Stop sending to a person"), "Reason"),
    "read the cost of last month": (("Reports",), "Cost of text messages by month"),
    "see visits by channel": (("Data", "{group}/visits", "Chart"), "Split"),
    "make an API key for a developer": (("For developers", "Create API key"), "Expires"),
    "go live": (("Settings", "Go live…"), "Live keys can then send to anyone"),
}


@pytest.fixture(scope="module")
def group() -> str:
    return f"g{uuid.uuid4().hex[:8]}"


@pytest.fixture(scope="module")
def page(browser: Browser, service: Service, group: str) -> Iterator[Page]:
    """Return a page of an official with all roles in one service, who owns a data set."""
    name = f"olive-{uuid.uuid4().hex[:8]}"
    made = service.manage("shell", "-v", "0", "-c", MAKING.format(name=name, password=PASSWORD, group=group))
    assert made.returncode == 0, made.stderr
    page = browser.new_page(base_url=service.url)
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, name)
    yield page
    page.close()


def named(page: Page, words: str, role: Literal["link", "button"]) -> Locator:
    """Return a control by the beginning of its visible words. A status card begins with its number."""
    start = re.escape(words).replace("/", r"\/")
    return page.get_by_role(role, name=re.compile(rf"^[\d,]*\s*{start}"))


def control(page: Page, words: str) -> Locator:
    """Return the first visible link, button or summary with these words, as a person would find it."""
    summary = page.locator("summary").filter(has_text=words)
    return named(page, words, "link").or_(named(page, words, "button")).or_(summary).filter(visible=True).first


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_at_most_three_clicks(page: Page, group: str, task: str, way: str):
    steps, answer = TASKS[task]
    assert sum(not step.startswith(FIELD) for step in steps) <= MOST_CLICKS
    page.goto("/admin/")

    for step in steps:
        words = step.format(group=group)
        if step.startswith(FIELD):
            page.get_by_role("radio", name=re.compile(words.removeprefix(FIELD))).check()
        elif way == "mouse":
            control(page, words).click()
        else:
            control(page, words).press("Enter")

    expect(page.locator("#sb-main").get_by_text(answer).filter(visible=True).first).to_be_visible()
