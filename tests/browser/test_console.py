"""The console and the sandbox inbox in a real browser, from the first sign-in to a message that arrived."""

import re
import subprocess
import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.pressing import press_while_redrawn
from tests.notifications.attachments.samples import PDF
from tests.servers import Program
from tests.service import Service

PASSWORD = "a-long-password-1"


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    """Open the sign-in page in a browser. The test fails if a page violates its own policy or calls another host."""
    name = f"mina-{uuid.uuid4().hex[:8]}"
    make = f"from django.contrib.auth.models import User; User.objects.create_superuser('{name}', '', '{PASSWORD}')"
    made = service.manage("shell", "-c", make)
    assert made.returncode == 0, made.stderr
    complaints: list[str] = []
    page = browser.new_page(base_url=service.url)
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    own = (service.url, "data:", "about:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(own) else complaints.append(request.url))
    page.goto("/admin/")
    page.get_by_label("Email address or user name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
    yield page
    page.close()
    assert [complaint for complaint in complaints if "409 (Conflict)" not in complaint] == []  # a key asked for twice


@pytest.mark.fault("T4")
def test_a_person_does_all_of_the_work_in_the_browser(page: Page, service: Service, worker: Program):
    """Go from the sign-in to the audit, and empty a data set. Source: docs/reference/console.md §4.1."""
    name = f"Tides {uuid.uuid4().hex[:8]}"
    group = f"g{uuid.uuid4().hex[:8]}"

    open_by_menu(page, "Operations", "Services")
    page.get_by_role("link", name="Create service").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create service").click()
    expect(page.get_by_text("Next: create a template.")).to_be_visible()
    expect(page.locator(".sb-switcher > summary")).to_contain_text(name)

    page.goto("/admin/notifications/template/add/")
    page.locator("#id_service").select_option(label=name)
    page.locator("#id_name").fill("Welcome")
    page.locator("#id_subject").fill("Hello ((name))")
    page.locator("#id_content").fill("# Tides\n\nHigh water at ((hour)).")
    frame = page.frame_locator("iframe.nf-email")
    expect(frame.get_by_role("heading", name="Tides")).to_be_visible()
    page.get_by_role("button", name="Create template").click()
    expect(page.get_by_text("Saved as version 1.")).to_be_visible()

    page.goto("/admin/notifications/apikey/add/")
    page.locator("#id_service").select_option(label=name)
    page.locator("#id_name").fill("browser")
    page.get_by_role("button", name="Create API key").click()
    key = page.locator("#copy-secret").input_value()
    assert key.startswith("browser-")
    expect(page.get_by_text("Waiting for your first call…")).to_be_visible()
    page.reload()
    expect(page.get_by_text("You have already sent this form")).to_be_visible()
    assert key not in page.content()

    open_by_menu(page, "Send")
    page.get_by_role("radio", name=re.compile(r"Welcome \(Email\)")).check()
    page.get_by_role("button", name="Continue").click()
    page.locator("#id_recipient").fill("ana@example.org")
    page.get_by_label("name", exact=True).fill("Ana")
    page.get_by_label("hour", exact=True).fill("9:41")
    page.get_by_label("Test: nothing is really sent").check()
    page.get_by_role("button", name="Check message", exact=True).last.click()
    page.get_by_role("button", name="Send 1 test (nothing is really sent)").click()
    expect(page.frame_locator("iframe.nf-email").get_by_text("High water at 9:41.", exact=True)).to_be_visible()
    expect(page.get_by_text("Delivered").first).to_be_visible()  # the page follows it by itself

    open_by_menu(page, "Messages")
    page.get_by_role("link", name="Show them", exact=True).click()  # tests are hidden until asked for
    expect(page.get_by_text("ana@example.org").first).to_be_visible()  # an operator sees recipients
    expect(page.get_by_text("Hello Ana").first).to_be_visible()

    page.goto("/admin/datasets/dataset/add/")
    page.get_by_label("Group").fill(group)
    page.get_by_label("Type").fill("volumes")
    page.get_by_role("button", name="Create data set").click()
    token = page.locator("#copy-secret").input_value()
    curl = next(text for text in page.locator("pre.sb-code").all_inner_texts() if "_timestamp" in text)
    done = subprocess.run(["bash", "-c", curl], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() != "", done.stderr
    expect(page.get_by_text("The first record has come").or_(page.get_by_text("1 record")).first).to_be_visible()
    page.get_by_role("link", name="View records").click()
    expect(page.get_by_text('"count": 1').or_(page.get_by_role("cell", name="1", exact=True)).first).to_be_visible()

    page.get_by_role("navigation").get_by_role("link", name="Settings").last.click()
    page.get_by_role("link", name="Empty…").click()
    page.locator("#id_name").fill(f"{group}/volumes")
    page.get_by_role("button", name=re.compile("Empty 1 record")).click()
    expect(page.get_by_text(f"{group}/volumes now contains 0 records")).to_be_visible()

    open_by_menu(page, "Operations", "Audit")
    for sentence in (name, "Welcome", "browser", f"{group}/volumes", "emptied"):
        expect(page.locator("ol.sb-events").get_by_text(sentence).first).to_be_visible()
    assert key not in page.content()
    assert token not in page.content()


def open_by_menu(page: Page, *titles: str) -> None:
    """Open a place of the menu, in its folded group if two titles are given."""
    *group, place = titles
    menu = page.get_by_role("navigation", name="Menu")
    link = menu.get_by_role("link", name=place, exact=True)
    if group and not link.is_visible():
        menu.get_by_text(group[0], exact=True).click()
    link.click()


MAKING = """
from tests import factories
text = "\\n\\n".join(f"((part{{n}}))" for n in range(20)) + " ((form))"
service = factories.make_service(name="{name}", file_contact="tides@example.org")
template = factories.make_template(service, content=text, subject="Hello")
template.samples = {{"form": {{"kind": "file", "value": ""}}}}
template.save()
print(template.pk)
"""


@pytest.fixture
def long_template(service: Service) -> str:
    """Return the id of an email template with 21 placeholders, one of them a file."""
    done = service.manage("shell", "-v", "0", "-c", MAKING.format(name=f"Tides {uuid.uuid4().hex[:8]}"))
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_the_preview_stays_visible_while_values_are_typed(page: Page, long_template: str):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"/admin/notifications/template/{long_template}/change/")

    page.get_by_label("Value for part15", exact=True).fill("Fifteenth")

    expect(page.frame_locator("iframe.nf-email").get_by_text("Fifteenth", exact=True)).to_be_attached()
    expect(page.get_by_label("Value for part15", exact=True)).to_be_focused()
    expect(page.locator("iframe.nf-email")).to_be_in_viewport(ratio=0.95)


def test_the_message_to_send_fills_while_values_are_typed(page: Page, long_template: str):
    page.goto(f"/admin/notifications/notification/send/?template={long_template}")
    email = page.frame_locator("iframe.nf-email")
    expect(email.get_by_text("((part15))", exact=True).first).to_be_attached()

    page.get_by_label("part15", exact=True).fill("Fifteenth")

    expect(email.get_by_text("Fifteenth", exact=True).first).to_be_attached()
    expect(page.get_by_label("part15", exact=True)).to_be_focused()


def test_a_button_that_is_pressed_while_the_message_fills_stays_in_its_place(page: Page, long_template: str):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"/admin/notifications/notification/send/?template={long_template}")
    for place in range(20):
        page.locator(f"#id_value-{place}").fill("tide")
    page.locator("#id_file-20").set_input_files({"name": "a.pdf", "mimeType": "application/pdf", "buffer": PDF})
    page.get_by_label("Email address", exact=True).fill("ana@example.org")
    value = page.get_by_label("part15", exact=True)
    check = page.get_by_role("button", name="Check message", exact=True).last

    press_while_redrawn(page, "**/send/*", lambda: value.fill("Fifteenth\n\n" * 40), check)

    expect(page.get_by_role("button", name=re.compile("Send 1 "))).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_template_is_saved_by_a_press_while_its_preview_is_drawn(page: Page, long_template: str, width: int):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"/admin/notifications/template/{long_template}/change/")
    text = page.locator("#id_content")
    save = page.get_by_role("button", name="Save draft", exact=True)

    press_while_redrawn(page, "**/preview/*", lambda: text.fill("((one))\n\n" * 40), save)

    expect(page.get_by_text("Saved as a draft").first).to_be_visible()


def test_a_result_that_is_pressed_while_others_arrive_is_opened(page: Page, long_template: str):
    box = page.get_by_role("combobox", name="Search")
    box.fill("Audit")
    found = page.get_by_role("option", name="Audit").first
    expect(found).to_be_visible()

    press_while_redrawn(page, "**/find/suggest/", lambda: box.fill("Users"), found)

    expect(page.get_by_role("heading", name="Audit")).to_be_visible()


def test_a_file_is_chosen_without_a_script_error(page: Page, long_template: str):
    page.goto(f"/admin/notifications/notification/send/?template={long_template}")

    page.locator("#id_file-20").set_input_files({"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"%PDF"})

    chosen = page.locator("#id_file-20")
    assert chosen.evaluate("one => one.files[0].name") == "a.pdf"
    assert chosen.evaluate("one => getComputedStyle(one, '::file-selector-button').borderTopWidth") == "1px"

    page.goto(f"/admin/notifications/bulksend/add/?template={long_template}")
    page.locator("#id_file").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"email address"})
    assert page.locator("#id_file").evaluate("one => one.files[0].name") == "a.csv"
