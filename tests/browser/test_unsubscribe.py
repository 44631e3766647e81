"""Test the page of an unsubscribe link in a browser without scripts, at the narrowest width."""

import json
import uuid

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.notifications.provisioned import Provisioned
from tests.service import Service

NARROWEST = 320  # WCAG 2.2, 1.4.10
TOUCHABLE = 44
# WCAG's contrast formula: the lighter of text and background against the darker one.
CONTRASTS = """() => [...document.querySelectorAll("h1, p, time, button")].filter(one => one.innerText).map(one => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  let behind = one;
  while (rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const light = text => rgb(text).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const text = light(getComputedStyle(one).color), ground = light(getComputedStyle(behind).backgroundColor);
  return [one.innerText.slice(0, 30), (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)];
})"""


@pytest.fixture
def link(service: Service) -> str:
    document = {
        "name": f"Harbour Office {uuid.uuid4().hex[:8]} for tide and storm warnings of the whole county",
        "live": True,
        "reply_to_addresses": [{"email_address": "reply@example.com"}],
        "templates": [
            {"type": "email", "name": "email", "subject": "Hi", "content": "Dear all", "unsubscribe_link": True}
        ],
        "api_keys": [{"name": "test-key", "type": "test"}],
    }
    sent = Provisioned(service, document).send_email().json()
    code = (
        "from notifications.delivery import unsubscribe_links; from notifications.models import Notification; "
        f"print(unsubscribe_links.url(Notification.objects.get(id={json.dumps(sent['id'])})))"
    )
    return service.manage("shell", "-v", "0", "-c", code).stdout.strip()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_works_by_keyboard_on_the_narrowest_screen(browser: Browser, link: str, scheme: str) -> None:
    complaints: list[str] = []
    context = browser.new_context(
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": NARROWEST, "height": 640},
        java_script_enabled=False,
    )
    page = context.new_page()
    page.on("console", lambda line: complaints.append(line.text) if line.type in {"error", "warning"} else None)
    page.on("requestfailed", lambda request: complaints.append(request.url))

    page.goto(link)
    button = page.get_by_role("button", name="Unsubscribe")
    expect(page.get_by_role("heading", name="Unsubscribe?", level=1)).to_be_visible()
    check_looks(page)
    assert (button.bounding_box() or {"height": 0})["height"] >= TOUCHABLE
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Unsubscribe request sent", level=1)).to_be_visible()
    check_looks(page)
    page.reload()
    expect(page.get_by_role("button")).to_have_count(0)
    assert context.cookies() == []
    assert complaints == []
    context.close()


def check_looks(page: Page) -> None:
    """Check that nothing is cut off at the side and that every text has enough contrast."""
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST
    contrasts = page.evaluate(CONTRASTS)
    assert contrasts
    assert [(text, round(ratio, 2)) for text, ratio in contrasts if ratio < 4.5] == []


def test_a_preview_and_a_broken_link_are_named_as_such(browser: Browser, service: Service) -> None:
    page = browser.new_page(viewport={"width": NARROWEST, "height": 640})

    page.goto(f"{service.url}/unsubscribe/preview")
    expect(page.get_by_text("This is a preview.")).to_be_visible()
    expect(page.get_by_role("button", name="Unsubscribe")).to_be_disabled()
    check_looks(page)
    page.goto(f"{service.url}/unsubscribe/made-up")
    expect(page.get_by_role("heading", name="This link does not work")).to_be_visible()
    check_looks(page)
    page.close()
