"""Test an email at the width of a phone."""

import pytest
from playwright.sync_api import Browser

from notifications.rendering import email
from notifications.rendering.document import html_document

LONG = "a-link-to-a-file-" * 12


@pytest.mark.parametrize("width", [320, 360, 390])
def test_nothing_in_an_email_makes_it_wider_than_the_phone(browser: Browser, width: int) -> None:
    content = "\n\n".join(
        [
            f"Your file: https://files.example/d/{LONG}",
            f"* https://files.example/d/{LONG}",
            f"^ [{LONG}](https://files.example)",
            f"# {LONG}",
            "word" * 60,
        ]
    )
    page = browser.new_page(viewport={"width": width, "height": 800})

    page.set_content(html_document(email.render("Your file", content, {})))

    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()
