"""The lists of the console in a real browser: the bar of the selected rows, and colours in the dark scheme."""

import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

MAKE = """
from django.contrib.auth.models import User
from tests import factories
User.objects.create_superuser("{name}", "", "{password}")
factories.make_template(factories.make_service(name="{name}"))
"""


@pytest.fixture(scope="module")
def page(browser: Browser, service: Service) -> Iterator[Page]:
    name = f"lists-{uuid.uuid4().hex[:8]}"
    done = service.manage("shell", "-v", "0", "-c", MAKE.format(name=name, password=PASSWORD))
    assert done.returncode == 0, done.stderr
    page = browser.new_page(base_url=service.url, color_scheme="dark")
    sign_in(page, name)
    yield page
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_bar_of_the_selected_rows_is_as_wide_as_its_content(page: Page, width: int):
    page.set_viewport_size({"width": width, "height": 860})
    page.goto("/admin/notifications/template/")
    page.locator("#result_list tbody [type=checkbox]").first.check()

    bar, counter = page.locator("#changelist-actions > div"), page.locator("#changelist-actions .action-counter")
    expect(counter).to_be_visible()
    outer = bar.bounding_box()
    assert outer is not None
    for part in (counter, bar.locator("select")):
        inner = part.bounding_box()
        assert inner is not None
        assert outer["x"] <= inner["x"]
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] <= width


def test_links_of_the_theme_have_the_colour_of_the_console_in_the_dark_scheme(page: Page):
    """Check the number of the current page, which axe-core leaves out because it is one letter."""
    page.goto("/admin/notifications/protectedname/")

    found = page.evaluate("""() => {
        const probe = Object.assign(document.createElement("i"), {style: "color: var(--sb-accent)"})
        document.body.append(probe)
        return [probe, ...document.querySelectorAll("#page .text-primary-600")].map((one) => getComputedStyle(one).color)
    }""")

    assert len(found) > 1
    assert len(set(found)) == 1, found
