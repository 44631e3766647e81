"""The menu, its lists and the filters hold the focus, and close with Escape and with a click elsewhere."""

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
