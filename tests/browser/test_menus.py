"""The menu, its lists and the search by keyboard: they hold the focus, and close with Escape or a click elsewhere."""

import re
import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service


@pytest.fixture(scope="module")
def signed_in(browser: Browser, service: Service) -> Iterator[Page]:
    name = f"mina-{uuid.uuid4().hex[:8]}"
    making = f"from django.contrib.auth.models import User; User.objects.create_superuser('{name}', '', '{PASSWORD}')"
    assert service.manage("shell", "-c", making).returncode == 0
    page = browser.new_page(base_url=service.url)
    sign_in(page, name)
    yield page
    page.close()


@pytest.fixture
def page(signed_in: Page) -> Page:
    signed_in.set_viewport_size({"width": 1280, "height": 720})
    signed_in.goto("/admin/")
    return signed_in


@pytest.mark.parametrize("name", ["switcher", "person"])
def test_the_lists_of_the_menu_close(page: Page, name: str):
    summary, choices = page.locator(f".sb-{name} > summary"), page.locator(f".sb-{name}-list")

    summary.click()
    expect(choices).to_be_visible()
    page.keyboard.press("Escape")
    expect(choices).to_be_hidden()
    expect(summary).to_be_focused()

    summary.click()
    expect(choices).to_be_visible()
    page.get_by_role("heading", name="Dashboard").click()
    expect(choices).to_be_hidden()


def test_the_colours_of_the_page_are_chosen_by_name(page: Page):
    page.locator(".sb-person > summary").click()
    page.get_by_role("button", name="Dark", exact=True).click()

    expect(page.locator("html")).to_have_class("dark")
    expect(page.get_by_role("button", name="Dark", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="As the system").click()


def test_the_menu_of_a_narrow_screen_holds_the_focus(page: Page):
    page.set_viewport_size({"width": 390, "height": 844})
    opener, menu = page.get_by_role("button", name="Menu", exact=True), page.locator("#menu")
    expect(opener).to_have_attribute("aria-expanded", "false")

    opener.press("Enter")
    expect(menu).to_be_visible()
    expect(menu.get_by_role("button", name="Close menu")).to_be_focused()
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || document.activeElement.closest('#menu')")

    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(opener).to_be_focused()

    opener.click()
    expect(menu).to_be_visible()
    page.mouse.click(370, 500)
    expect(menu).to_be_hidden()


def test_the_search_works_by_keyboard(page: Page):
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Search")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-expanded", "false")

    page.keyboard.type("clean")
    option = page.get_by_role("option", name="Clean-up Page")
    expect(option).to_be_visible()
    expect(page.locator("#search-status")).to_have_text("1 result")
    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    assert box.get_attribute("aria-activedescendant") == option.get_attribute("id")
    page.keyboard.press("Escape")
    expect(option).to_be_hidden()
    expect(box).to_have_value("clean")

    box.fill("nothing like this")
    expect(page.locator("#search-status")).to_have_text("Nothing found")
    box.fill("clean")
    expect(option).to_be_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/admin/operations/clean-up/$"))
