"""Test the recipient's pages in a real browser over https, from the link in the inbox to the bytes on disk.

No page may call another host, report an error in the browser, send its key as Referer, or fail axe.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from notifications_python_client import NotificationsAPIClient, prepare_upload
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from tests.browser.conftest import FLAGS
from tests.browser.looks import Looks
from tests.browser.secure_service import SecureService
from tests.notifications.download.sending import ADDRESS, CONTENT

WIDTHS = (1280, 390, 320)  # 320 is also 1280 at a zoom of 400 %

SENDING = """
import json
from datetime import timedelta
from django.utils import timezone
from tests.notifications.download.sending import send_file
now = timezone.now()
def paths(file):
    return {step: file.path(step) for step in ("", "confirm", "file", "download")} | {"id": str(file.row.id)}
"""
SET_UP = """
import json
from tests.factories import make_api_key, make_service, make_template
service = make_service(name="Parks and Gardens", file_contact="https://parks.example.org/contact")
template = make_template(service, content="Your permit: ((link))", subject="Your permit")
secret = "5b7a3a8e-4f1c-4f0e-9a3e-2f8f0c6f1d11"
key = make_api_key(service, name="browser", secret=secret)
print(json.dumps({"key": f"browser-{service.id}-{secret}", "template": str(template.id)}))
"""
WITHDRAW = """
import json
from django.utils import timezone
from notifications.models import Attachment
print(json.dumps(Attachment.objects.filter(pk="{id}").update(withdrawn_at=timezone.now())))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """A person with a browser. `complaints`: forbidden actions of the pages."""

    page: Page
    service: SecureService
    complaints: list[str]

    def send(self, arguments: str = "") -> dict[str, str]:
        """Store a file and return its URLs by step, and its id."""
        sent: dict[str, str] = self.service.evaluate(f"{SENDING}\nprint(json.dumps(paths(send_file({arguments}))))")
        return sent

    def confirm(self, address: str) -> None:
        self.page.get_by_label("Email address").fill(address)
        self.page.get_by_role("button", name="Continue").click()

    def sees(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", name=heading, level=1)).to_be_visible()

    def download(self, press: Callable[[], None]) -> bytes:
        with self.page.expect_download() as begun:
            press()
        return Path(begun.value.path()).read_bytes()


@pytest.fixture(scope="module")
def secure_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureService]:
    service = SecureService(tmp_path_factory.mktemp("secure"), FILES_HELP_CONTACT="help@signalbox.example")
    yield service
    service.stop()


@pytest.fixture
def recipient(browser: Browser, secure_service: SecureService) -> Iterator[Recipient]:
    context = browser.new_context(base_url=secure_service.url, ignore_https_errors=True)
    someone = watched(context, secure_service)
    yield someone
    context.close()
    assert someone.complaints == []


@pytest.fixture(scope="module")
def visitor(browser: Browser, secure_service: SecureService) -> Iterator[Recipient]:
    """Return a browser for many pages, because a new context takes as long as a page."""
    context = browser.new_context(base_url=secure_service.url, ignore_https_errors=True)
    yield watched(context, secure_service)
    context.close()


def watched(context: BrowserContext, service: SecureService) -> Recipient:
    page = context.new_page()
    complaints: list[str] = []
    refusal = "Failed to load resource: the server responded with a status of"  # an error status of the page itself
    page.on("console", lambda line: None if line.text.startswith(refusal) else complaints.append(line.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    own = (f"{service.url}/", "data:,")
    page.on("request", lambda asked: None if asked.url.startswith(own) else complaints.append(asked.url))

    def check_referrer(event: dict[str, Any]) -> None:
        referer = {name.lower(): value for name, value in event["headers"].items()}.get("referer", "")
        if "key=" in referer or "/d/" in referer:
            complaints.append(f"Referer: {referer}")

    wire = context.new_cdp_session(page)  # the requests as sent, before the browser redacts them
    wire.send("Network.enable")
    wire.on("Network.requestWillBeSentExtraInfo", check_referrer)
    return Recipient(page=page, service=service, complaints=complaints)


@pytest.mark.fault("F11")
def test_a_link_in_the_inbox_leads_to_the_same_bytes_on_disk(recipient: Recipient, secure_service: SecureService):
    made = secure_service.evaluate(SET_UP)
    secure_service.start_worker()
    client = NotificationsAPIClient(made["key"], base_url=secure_service.url)
    client.request_session.trust_env = False  # otherwise requests would use the machine's own certificate authorities
    client.request_session.verify = str(secure_service.certificate)
    upload = prepare_upload(BytesIO(CONTENT), filename="Permit 4711.pdf")
    client.send_email_notification(ADDRESS, made["template"], personalisation={"link": upload})

    page = recipient.page
    page.goto("/sandbox/")
    row = page.get_by_role("link", name="Your permit").first
    expect(row).to_be_visible()
    row.click()
    with page.expect_popup() as opened:
        page.frame_locator("iframe.nf-email").locator("a[href*='/d/']").first.click()
    tab = opened.value
    expect(tab.get_by_role("heading", name="You have a file to download", level=1)).to_be_visible()
    assert tab.evaluate("document.referrer") == ""
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Permit 4711.pdf").click()
    expect(opened.value).to_have_url(tab.url)
    recipient.complaints.clear()  # the inbox is a console page, which other tests check

    page.goto(tab.url)
    recipient.sees("You have a file to download")
    page.get_by_role("link", name="Continue").click()
    recipient.sees("Confirm your email address")
    recipient.confirm(ADDRESS)
    recipient.sees("Your file is ready")
    expect(page.get_by_text("Permit 4711.pdf")).to_be_visible()
    saved = recipient.download(lambda: page.get_by_role("link", name="Download PDF (1 KB)").click())

    assert hashlib.sha256(saved).digest() == hashlib.sha256(CONTENT).digest()
    assert "key=" not in "".join(secure_service.logs().values())


def test_a_wrong_email_address_is_explained_beside_its_field(recipient: Recipient):
    recipient.page.goto(recipient.send()["confirm"])
    recipient.confirm("bo@example.org")

    summary = recipient.page.get_by_role("alert")
    expect(summary).to_contain_text("This is not the email address the file was sent to.")
    expect(summary).to_be_focused()
    expect(recipient.page).to_have_title(re.compile("^Error: Confirm your email address"))
    expect(recipient.page.get_by_label("Email address")).to_have_value("bo@example.org")
    summary.get_by_role("link").click()
    expect(recipient.page.get_by_label("Email address")).to_be_focused()

    recipient.confirm(ADDRESS)
    recipient.sees("Your file is ready")


def test_after_ten_wrong_email_addresses_the_right_one_is_rejected_too(recipient: Recipient):
    recipient.page.goto(recipient.send()["confirm"])
    for _ in range(10):
        recipient.confirm("bo@example.org")
        recipient.sees("Confirm your email address")

    recipient.confirm(ADDRESS)

    recipient.sees("Too many attempts")
    recipient.page.get_by_role("link", name="Back to the beginning").click()
    recipient.sees("You have a file to download")


def test_a_file_withdrawn_between_two_clicks_is_not_available(recipient: Recipient):
    sent = recipient.send("address=None")
    recipient.page.goto(sent["file"])
    recipient.sees("Your file is ready")
    assert recipient.service.evaluate(WITHDRAW.format(id=sent["id"])) == 1

    recipient.page.get_by_role("link", name="Download PDF").click()

    recipient.sees("This file is no longer available")


def test_a_file_is_downloaded_by_keyboard(recipient: Recipient):
    page, press = recipient.page, recipient.page.keyboard.press
    page.goto(recipient.send()[""])

    press("Tab")
    press("Enter")
    recipient.sees("Confirm your email address")
    press("Tab")
    page.keyboard.type(ADDRESS)
    press("Tab")
    press("Enter")
    recipient.sees("Your file is ready")
    press("Tab")
    width = page.locator(":focus").evaluate("element => getComputedStyle(element).outlineWidth")

    assert recipient.download(lambda: press("Enter")) == CONTENT
    assert width == "3px"


def test_a_browser_without_cookies_gets_instructions(
    playwright: Playwright, whole_chromium: str, secure_service: SecureService, tmp_path: Path
):
    settings = {"profile": {"default_content_setting_values": {"cookies": 2}, "block_third_party_cookies": True}}
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(settings))
    context = playwright.chromium.launch_persistent_context(
        str(tmp_path), executable_path=whole_chromium, args=FLAGS, base_url=secure_service.url, ignore_https_errors=True
    )
    someone = watched(context, secure_service)

    someone.page.goto(someone.send()["confirm"])
    someone.confirm(ADDRESS)

    someone.sees("Go back and try again")
    expect(someone.page.get_by_text("Allow cookies for this site")).to_be_visible()
    assert someone.complaints == []
    context.close()


# name, options of the sent file, opened page, heading
PAGES: list[tuple[str, str, str, str]] = [
    ("landing", "", "", "You have a file to download"),
    ("landing without a question", "address=None", "", "You have a file to download"),
    ("form", "", "confirm", "Confirm your email address"),
    ("form, wrong", "", "confirm", "Confirm your email address"),
    ("form, cookie lost", "", "confirm&lost=1", "Confirm your email address"),
    ("file", "address=None, name='A long name' + '-without-a-blank' * 5 + '.pdf'", "file", "Your file is ready"),
    ("expired", "expires_at=now - timedelta(days=1)", "", "This file is no longer available"),
    ("withdrawn", "withdrawn_at=now", "", "This file is no longer available"),
    ("locked", "locked_until=now + timedelta(hours=1)", "confirm", "Too many attempts"),
    ("lost", "address=None, storage_name='0' * 32", "download", "This file is damaged"),
    ("nowhere", "", "nowhere", "This link does not work"),
]


@pytest.fixture(scope="module")
def sent_pages(secure_service: SecureService) -> dict[str, dict[str, str]]:
    """Store the files of all pages in one process, as each takes seconds. Return name → URLs by step."""
    calls = ", ".join(f"{name!r}: paths(send_file({arguments}))" for name, arguments, _, _ in PAGES)
    made: dict[str, dict[str, str]] = secure_service.evaluate(f"{SENDING}\nprint(json.dumps({{{calls}}}))")
    return made


@pytest.mark.parametrize(("name", "step", "heading"), [(page[0], *page[2:]) for page in PAGES])
def test_a_page_is_accessible(
    visitor: Recipient, sent_pages: dict[str, dict[str, str]], looks: Looks, name: str, step: str, heading: str
):
    page = visitor.page
    page.context.clear_cookies()
    visitor.complaints.clear()
    step, _, further = step.partition("&")
    page.goto(f"{sent_pages[name].get(step, '/d/nowhere?key=x')}&{further}")
    if name in ("form, wrong", "locked"):
        visitor.confirm("bo")
    visitor.sees(heading)

    assert looks.problems(page, WIDTHS) == []
    for target in page.locator("a:visible, button:visible, input:visible").all():
        box = target.bounding_box()
        assert box
        assert box["height"] >= 44, target.inner_text()
    assert visitor.complaints == []


def test_it_works_without_style_sheets_and_in_forced_colours(browser: Browser, secure_service: SecureService):
    context = browser.new_context(
        base_url=secure_service.url, ignore_https_errors=True, forced_colors="active", java_script_enabled=False
    )
    context.route("**/*.css", lambda route: route.abort())
    someone = watched(context, secure_service)

    someone.page.goto(someone.send()[""])
    someone.page.get_by_role("link", name="Continue").click()
    someone.confirm(ADDRESS)
    someone.sees("Your file is ready")

    assert someone.download(lambda: someone.page.get_by_role("link", name="Download").click()) == CONTENT
    context.close()
