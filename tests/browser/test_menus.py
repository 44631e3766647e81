"""Menus and panels close with Escape and with a click elsewhere."""

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


def test_the_service_switcher_closes(page: Page):
    summary, choices = page.locator(".sb-switcher > summary"), page.locator(".sb-switcher-list")

    summary.click()
    expect(choices).to_be_visible()
    page.keyboard.press("Escape")
    expect(choices).to_be_hidden()
    expect(summary).to_be_focused()

    summary.click()
    expect(choices).to_be_visible()
    page.get_by_role("heading", name="All pages").click()
    expect(choices).to_be_hidden()


def test_the_menu_of_the_account_closes(page: Page):
    opener, menu = page.locator('[x-on\\:click="openUserLinks = !openUserLinks"]'), page.locator("nav[x-show]")

    opener.click()
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")

    expect(menu).to_be_hidden()
    expect(opener).to_be_focused()


def test_the_menu_of_a_narrow_screen_closes(page: Page):
    page.set_viewport_size({"width": 390, "height": 844})
    opener, menu = page.locator("#header-inner").get_by_role("button", name="Menu").last, page.locator("#nav-sidebar")

    opener.click()
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(opener).to_be_focused()

    opener.click()
    expect(menu).to_be_visible()
    page.mouse.click(360, 500)
    expect(menu).to_be_hidden()
