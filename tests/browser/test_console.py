"""The console and the sandbox inbox in a real browser, from the first sign-in to a message that arrived."""

import uuid
from collections.abc import Iterator

import pytest
from notifications_python_client import NotificationsAPIClient
from playwright.sync_api import Page, expect, sync_playwright

from tests.servers import Program
from tests.service import Service

PASSWORD = "a-long-password-1"


@pytest.fixture
def page(chromium: str, service: Service) -> Iterator[Page]:
    """A browser at the sign-in, which fails the test where a page breaks its own policy or asks another host."""
    name = f"mina-{uuid.uuid4().hex[:8]}"
    make = f"from django.contrib.auth.models import User; User.objects.create_superuser('{name}', '', '{PASSWORD}')"
    made = service.manage("shell", "-c", make)
    assert made.returncode == 0, made.stderr
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(base_url=service.url)
        page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        own = (service.url, "data:", "about:", "blob:")
        page.on("request", lambda request: None if request.url.startswith(own) else complaints.append(request.url))
        page.goto("/admin/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        yield page
        browser.close()
    assert [complaint for complaint in complaints if "409 (Conflict)" not in complaint] == []  # a key asked for twice


def test_from_an_empty_console_to_a_message_that_arrived(page: Page, service: Service, worker: Program):
    name = f"Tides {uuid.uuid4().hex[:8]}"
    page.goto("/admin/notifications/service/add/")
    page.locator("#id_name").fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name=name, exact=True).first).to_be_visible()

    page.goto("/admin/notifications/template/add/")
    page.locator("#id_service").select_option(label=name)
    page.locator("#id_name").fill("Welcome")
    page.locator("#id_subject").fill("Hello ((name))")
    page.locator("#id_content").fill("# Tides\n\nHigh water at ((hour)).")
    frame = page.frame_locator("iframe.nf-email")
    expect(frame.get_by_role("heading", name="Tides")).to_be_visible()
    page.locator("textarea[name='sample-hour']").fill("half past nine")
    expect(frame.get_by_text("High water at half past nine.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save and continue editing").click()
    template_id = page.url.split("/")[-3]

    page.goto("/admin/notifications/apikey/add/")
    page.locator("#id_service").select_option(label=name)
    page.locator("#id_name").fill("browser")
    page.get_by_role("button", name="Save", exact=True).click()
    key = page.locator("#copy-secret").input_value()
    assert key.startswith("browser-")
    page.reload()
    expect(page.get_by_text("This form has been sent already")).to_be_visible()
    assert key not in page.content()

    client = NotificationsAPIClient(key, base_url=service.url)
    values = {"name": "Ana", "hour": "9:41"}
    client.send_email_notification("ana@example.org", template_id, personalisation=values, reference=name)

    page.goto("/sandbox/")
    row = page.get_by_role("link", name="Hello Ana").first
    expect(row).to_be_visible(timeout=20_000)  # the list refreshes itself until the worker has sent it
    row.click()
    expect(page.frame_locator("iframe.nf-email").get_by_text("High water at 9:41.", exact=True)).to_be_visible()

    page.goto("/admin/notifications/notification/")
    expect(page.get_by_text("a…@example.org").first).to_be_visible()


def test_the_console_works_on_a_narrow_screen(page: Page):
    page.set_viewport_size({"width": 390, "height": 844})
    pages = ("apikey/", "apikey/add/", "service/add/", "template/add/", "notification/")
    for address in ("/admin/", "/sandbox/", *(f"/admin/notifications/{page}" for page in pages)):
        page.goto(address)
        wide = """[...document.querySelectorAll("#main *")].filter(
            (one) => one.getBoundingClientRect().right > 391 && one.checkVisibility() && !one.closest("header, table")
        ).map((one) => one.outerHTML.slice(0, 120))"""
        assert page.evaluate(wide) == [], address
