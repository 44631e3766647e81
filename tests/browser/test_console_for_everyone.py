"""Test the console without scripts, by keyboard, and with a panel over the page.

Source: docs/reference/console.md §1.1.
"""

import re
import uuid
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser.looks import Looks
from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

MAKING = """
from django.contrib.auth.models import User
from tests import factories
User.objects.create_superuser("{name}", "", "{password}")
service = factories.make_service(name="{name}")
print(factories.make_template(service, subject="Hello ((name))", content="High water").pk)
"""


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, str]:
    """Create an operator and a service of the same name, with a template."""
    name = f"tides-{uuid.uuid4().hex[:8]}"
    done = service.manage("shell", "-v", "0", "-c", MAKING.format(name=name, password=PASSWORD))
    assert done.returncode == 0, done.stderr
    return {"name": name, "template": done.stdout.splitlines()[-1]}


@pytest.fixture(scope="module")
def signed_in(browser: Browser, service: Service, made: dict[str, str]) -> Iterator[BrowserContext]:
    """Sign in once for several tests, because that takes as long as most of them."""
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    sign_in(page, made["name"])
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    page = signed_in.new_page()
    yield page
    page.close()


def test_the_panel_of_filters_takes_the_focus_and_returns_it(page: Page):
    page.goto("/admin/notifications/notification/?status=delivering&channel__exact=email")
    opens = page.get_by_role("button", name="Filters")
    opens.focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Filters")).to_be_visible()
    expect(page.get_by_role("button", name="Close", exact=True)).to_be_focused()
    assert Looks().problems(page, (1280,)) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Filters")).to_be_hidden()
    expect(opens).to_be_focused()
    opens.click()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(opens).to_be_focused()

    page.get_by_role("group", name="Active filters").get_by_role("link", name="Channel: Email").click()
    expect(page).to_have_url(re.compile(r"\?status=delivering$"))


def test_a_list_is_a_table_on_a_tablet_and_cards_on_a_phone(page: Page):
    page.set_viewport_size({"width": 820, "height": 1180})
    page.goto("/admin/notifications/template/")
    row = page.locator("#result_list tr.data-row").first

    assert row.evaluate("one => getComputedStyle(one).display") == "table-row"
    page.set_viewport_size({"width": 390, "height": 860})
    assert row.evaluate("one => getComputedStyle(one).display") != "table-row"


def test_the_page_for_the_second_factor_works_for_everybody(browser: Browser, service: Service):
    name = f"coded-{uuid.uuid4().hex[:8]}"
    making = f"""
from django.contrib.auth.models import User
from tests.config.accounts.codes import enrolled
enrolled(User.objects.create_superuser("{name}", "", "{PASSWORD}"))
"""
    assert service.manage("shell", "-c", making).returncode == 0
    page = browser.new_page(base_url=service.url)
    page.goto("/admin/")
    page.get_by_label("Email address or user name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Password").press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert "/login/code/" in page.url
    assert Looks().problems(page) == []
    page.close()


def test_a_page_has_its_landmarks_and_one_heading_without_scripts(
    browser: Browser, service: Service, made: dict[str, str]
):
    context = browser.new_context(base_url=service.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, made["name"])

    for place in ("", "notifications/apikey/", "notifications/template/{template}/change/", "operations/clean-up/"):
        page.goto(f"/admin/{place.format(**made)}")
        for landmark in ("main", "banner"):
            expect(page.get_by_role(landmark)).to_have_count(1)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
    context.close()


def press_first_tab(page: Page) -> None:
    """Press Tab, and again if no element has the focus, because keys before the page is ready are lost.

    The wait is long, because on a busy machine the first key may be slow, and both together would skip the first link.
    """
    for _ in range(6):
        page.keyboard.press("Tab")
        with suppress(PlaywrightTimeout):
            page.wait_for_function("document.activeElement !== document.body", timeout=15_000)
            return


def test_a_form_is_reached_and_sent_by_keyboard(page: Page, made: dict[str, str]):
    page.goto("/admin/")
    press_first_tab(page)
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to main content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.wait_for_url("**#*")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_count(1)
    width = page.locator(":focus").evaluate(
        "one => parseFloat(getComputedStyle(one).outlineWidth) + getComputedStyle(one).boxShadow.length"
    )
    assert width > 0
    page.goto("/admin/datasets/datagroup/add/")
    expect(page.locator("#id_name")).to_be_focused()  # at once: a new row begins with its first field
    name = f"0{made['name']}"  # on the first page of the list, even if other tests have made many groups
    page.keyboard.type(name)
    page.keyboard.press("Enter")

    expect(page.get_by_role("link", name=name, exact=True).first).to_be_visible()


def press(page: Page, name: str) -> None:
    """Press a button on a phone. It is also visible on a desktop."""
    button = page.get_by_role("button", name=name, exact=True).last
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(button).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 900})
    button.click()


def test_the_console_works_without_scripts(browser: Browser, service: Service, made: dict[str, str]):
    context = browser.new_context(
        base_url=service.url, java_script_enabled=False, viewport={"width": 390, "height": 900}
    )
    page = context.new_page()
    sign_in(page, made["name"])
    expect(page.locator("#menu")).to_be_hidden()
    page.get_by_role("button", name="Menu", exact=True).click()  # a link to the menu
    page.locator("#menu").get_by_role("link", name="Templates").click()
    expect(page.get_by_role("heading", name="Templates")).to_be_visible()

    page.goto("/admin/notifications/apikey/add/")
    page.locator("#id_service").select_option(label=made["name"])
    page.locator("#id_name").fill("plain")
    press(page, "Create API key")
    expect(page.locator("#copy-secret")).to_have_value(re.compile("^plain-"))

    page.goto(f"/admin/notifications/notification/send/?template={made['template']}")
    page.locator("#id_recipient").fill("ana@example.org")
    page.get_by_label("name", exact=True).fill("Ana")
    page.get_by_label("Test: nothing is really sent").check()
    press(page, "Check message")
    press(page, "Send 1 test (nothing is really sent)")
    expect(page.get_by_text("Hello Ana").first).to_be_visible()

    page.goto("/admin/notifications/notification/")
    page.get_by_role("searchbox").fill("ana@example.org")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_text("Hello Ana").first).to_be_visible()
    assert "ana" not in page.url
    page.goto("/admin/notifications/notification/")
    page.get_by_role("link", name="Failed").first.click()
    expect(page.get_by_text("Hello Ana")).to_have_count(0)

    page.get_by_role("button", name="Menu", exact=True).click()
    page.locator(".sb-person > summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password").or_(page.get_by_text("signed out")).first).to_be_visible()
    context.close()
