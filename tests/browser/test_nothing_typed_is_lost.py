"""What was typed into a form is there again, whichever way a person left it. Source: docs/reference/console.md §1.1."""

import json
import re
import uuid
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

MAKING = """
import json
from django.contrib.auth.models import User
from tests import factories
service = factories.make_service(name={name!r})
first, second = (factories.make_template(service, name=name, content="Bring ((thing)) at ((hour))", subject="Hello")
                 for name in ("Tides", "Storms"))
welsh = [{{"language": "cy", "subject": "Helo", "content": "Am ((hour)) dewch ((thing))"}}]
first.versions.update(translations=welsh)
for user in ({name!r}, {name!r} + "-2"):
    User.objects.create_superuser(user, f"{{user}}@example.org", {password!r})
print(json.dumps([str(first.pk), str(second.pk)]))
"""
HOME = "/admin/"


@pytest.fixture(scope="module")
def name() -> str:
    return f"mina-{uuid.uuid4().hex[:8]}"


@pytest.fixture(scope="module")
def templates(service: Service, name: str) -> list[str]:
    """Return the ids of two templates with the same placeholders. The first also has Welsh, in another order."""
    done = service.manage("shell", "-v", "0", "-c", MAKING.format(name=name, password=PASSWORD))
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def rejected(service: Service) -> list[str]:
    """Return the URLs of the forms of two rejected records."""
    making = f"""
import json
from django.utils import timezone
from datasets.models import RejectedRecord
from datasets.records.keeping import RejectedElement
from tests.datasets.making import make_data_set
data_set = make_data_set({uuid.uuid4().hex!r})
rows = [RejectedRecord(data_set=data_set, at=timezone.now(), index=number) for number in range(2)]
for row, text in zip(rows, ("first", "second")):
    row.encrypt(RejectedElement(row.index, [(None, "must be an object")], json.dumps(text)))
    row.save()
print(json.dumps([f"/admin/datasets/dataset/{{data_set.pk}}/rejected-record/?id={{row.pk}}" for row in rows]))
"""
    done = service.manage("shell", "-v", "0", "-c", making)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def context(browser: Browser, service: Service, templates: list[str], name: str) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    sign_in(page, name)
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Return a new tab in which questions about leaving a page are answered with yes."""
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    yield page
    page.close()


@pytest.fixture
def send_page(page: Page, templates: list[str]) -> str:
    """Return the URL of the open and half-filled form for a message."""
    place = f"/admin/notifications/notification/send/?template={templates[0]}"
    page.goto(place)
    page.get_by_label("Email address", exact=True).click()
    page.keyboard.type("ana@example.org")
    page.get_by_label("thing", exact=True).fill("a coat")
    page.get_by_label("hour", exact=True).fill("nine")
    page.get_by_label("Real message").check()
    return place


def expect_typed(page: Page) -> None:
    expect(page.get_by_label("Email address", exact=True)).to_have_value("ana@example.org")
    expect(page.get_by_label("thing", exact=True)).to_have_value("a coat")
    expect(page.get_by_label("hour", exact=True)).to_have_value("nine")
    expect(page.get_by_label("Real message")).to_be_checked()


def choose_welsh(page: Page, place: str) -> None:
    page.get_by_role("link", name="Welsh").click()
    expect(page.get_by_role("link", name="Welsh")).to_have_attribute("aria-current", "true")


def choose_another_template(page: Page, place: str) -> None:
    page.get_by_role("link", name="Choose another template").click()
    page.get_by_role("radio", name="Storms").check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Storms, version 1")).to_be_visible()


def follow_the_menu_and_return(page: Page, place: str) -> None:
    page.get_by_role("navigation", name="Menu").get_by_role("link", name="Reports").click()
    page.goto(place)


def go_back_and_return(page: Page, place: str) -> None:
    page.goto(HOME)
    page.go_back()


def reload(page: Page, place: str) -> None:
    page.reload()


def search_and_return(page: Page, place: str) -> None:
    page.get_by_role("combobox", name="Search").fill("clean")
    page.get_by_role("option", name="Clean-up").click()
    page.goto(place)


def send_after_the_session_has_ended(page: Page, place: str) -> None:
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.context.add_cookies([cookie for cookie in cookies if "csrf" in cookie["name"]])
    page.get_by_role("button", name="Check message", exact=True).last.click()
    sign_in_again(page)


def sign_in_again(page: Page) -> None:
    page.get_by_label("Email address or user name").fill(NAMES[page.context])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Password").press("Enter")


def reload_after_the_session_has_ended(page: Page, place: str) -> None:
    page.context.clear_cookies(name="sessionid")
    page.reload()
    sign_in_again(page)


def sign_out_in_another_tab_and_send(page: Page, place: str) -> None:
    other = page.context.new_page()
    other.goto(HOME)
    other.locator(".sb-person > summary").click()
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_load_state()
    other.close()
    page.get_by_role("button", name="Check message", exact=True).last.click()
    sign_in_again(page)


def switch_the_service_and_return(page: Page, place: str) -> None:
    page.locator(".sb-switcher > summary").click()
    page.locator(".sb-switcher button[name=service]").last.click()
    page.wait_for_load_state()
    page.goto(place)


def send_while_the_server_fails(page: Page, place: str) -> None:
    sends = re.compile("/notification/send/")
    page.route(sends, lambda route: route.fulfill(status=503, body="The database is away."))
    page.evaluate("document.querySelector('[data-send]').removeAttribute('data-send')")
    page.get_by_role("button", name="Check message", exact=True).last.click()
    expect(page.get_by_text("The database is away.")).to_be_visible()
    page.unroute(sends)
    page.goto(place)


def go_elsewhere_after_the_server_has_failed(page: Page, place: str) -> None:
    sends = re.compile("/notification/send/")
    page.route(sends, lambda route: route.fulfill(status=503, body="The database is away."))
    page.evaluate("document.querySelector('form.nf-editor').requestSubmit()")
    expect(page.get_by_text("The database is away.")).to_be_visible()
    page.unroute(sends)
    page.goto(HOME)
    page.goto(place)


def sign_in_on_another_page_after_the_session_has_ended(page: Page, place: str) -> None:
    page.context.clear_cookies(name="sessionid")
    page.evaluate("document.querySelector('form.nf-editor').requestSubmit()")
    expect(page.get_by_label("Password")).to_be_visible()
    page.goto(HOME)
    sign_in_again(page)
    page.goto(place)


def preview_in_another_tab_and_go_elsewhere(page: Page, place: str) -> None:
    with page.expect_popup() as opened:
        page.evaluate(
            """() => {
                const button = document.createElement("button");
                button.formTarget = "_blank";
                document.querySelector("form.nf-editor").append(button);
                button.click();
                button.remove();
            }"""
        )
    opened.value.close()
    page.goto(f"{HOME}account/name/")
    page.goto(place)


def send_without_a_csrf_cookie(page: Page, place: str) -> None:
    page.context.clear_cookies(name="csrftoken")
    page.get_by_role("button", name="Check message", exact=True).last.click()
    page.get_by_role("link", name="Open the form again").click()


def send_without_a_connection(page: Page, place: str) -> None:
    page.context.set_offline(True)
    page.get_by_role("button", name="Check message", exact=True).last.click()
    page.wait_for_timeout(300)
    page.context.set_offline(False)
    page.goto(place)


def send_with_an_error(page: Page, place: str) -> None:
    page.evaluate("document.querySelector('[data-send]').removeAttribute('data-send')")
    page.get_by_label("hour", exact=True).fill("")
    page.evaluate("document.querySelector('form.nf-editor').submit()")
    page.wait_for_load_state()
    page.get_by_label("hour", exact=True).fill("nine")


def change_a_restored_form_and_reload(page: Page, place: str) -> None:
    page.get_by_label("hour", exact=True).fill("ten")
    page.reload()
    page.get_by_label("hour", exact=True).fill("nine")
    page.reload()


NAMES: dict[BrowserContext, str] = {}
WAYS = (
    choose_welsh,
    choose_another_template,
    follow_the_menu_and_return,
    go_back_and_return,
    reload,
    search_and_return,
    send_after_the_session_has_ended,
    reload_after_the_session_has_ended,
    sign_out_in_another_tab_and_send,
    switch_the_service_and_return,
    send_while_the_server_fails,
    go_elsewhere_after_the_server_has_failed,
    sign_in_on_another_page_after_the_session_has_ended,
    preview_in_another_tab_and_go_elsewhere,
    send_without_a_csrf_cookie,
    send_without_a_connection,
    send_with_an_error,
    change_a_restored_form_and_reload,
)


@pytest.mark.parametrize("leave", WAYS, ids=lambda way: way.__name__)
def test_what_was_typed_is_there_again(
    page: Page, context: BrowserContext, name: str, send_page: str, leave: Callable[[Page, str], None]
):
    NAMES[context] = name

    leave(page, send_page)

    expect_typed(page)


def test_leaving_a_changed_form_asks_and_may_be_refused(context: BrowserContext, templates: list[str]):
    page = context.new_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.goto(f"/admin/notifications/template/{templates[1]}/change/")
    page.get_by_label("Subject").first.click()
    page.keyboard.type("Draft: ")

    page.get_by_role("navigation", name="Menu").get_by_role("link", name="Reports").click()
    page.wait_for_timeout(300)

    assert asked == ["beforeunload"]
    expect(page.get_by_label("Subject").first).to_have_value("HelloDraft: ")
    page.close(run_before_unload=False)


def test_a_link_in_another_tab_changes_no_question(context: BrowserContext, send_page: str, page: Page):
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    with context.expect_page() as opened:
        page.get_by_role("link", name="Welsh").click(modifiers=["Control"])
    opened.value.close()

    page.goto(HOME)

    assert asked == ["beforeunload"]


def test_what_was_typed_for_one_row_is_not_in_the_form_of_another(page: Page, rejected: list[str]):
    page.goto(rejected[0])
    page.get_by_label("The record as JSON").fill('{"corrected": "first"}')

    page.goto(rejected[1])
    expect(page.get_by_label("The record as JSON")).to_have_value(re.compile("second"))

    page.goto(rejected[0])
    expect(page.get_by_label("The record as JSON")).to_have_value('{"corrected": "first"}')


def test_two_tabs_lose_nothing(context: BrowserContext, page: Page):
    group = f"0{uuid.uuid4().hex[:8]}"  # first in the list
    page.goto("/admin/datasets/datagroup/add/")
    page.get_by_label("Name").fill(group)
    page.get_by_role("button", name="Create group").last.click()
    page.get_by_role("link", name=group, exact=True).first.click()
    page.locator("#id_description").fill("From the first tab")
    other = context.new_page()
    other.goto(page.url)
    other.locator("#id_description").fill("From the second tab")
    other.get_by_role("button", name="Save group").click()
    expect(other.locator("[data-done]")).to_be_visible()
    other.close()

    page.reload()
    expect(page.get_by_text("What you typed here is back.")).to_be_visible()
    page.get_by_role("button", name="Save group").click()

    expect(page.get_by_text("Saved values: Description “From the second tab”.").first).to_be_visible()
    expect(page.locator("#id_description")).to_have_value("From the first tab")


def test_a_saved_form_is_forgotten(page: Page):
    name = f"g{uuid.uuid4().hex[:8]}"
    page.goto("/admin/datasets/datagroup/add/")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create group").last.click()
    expect(page.locator("[data-done]")).to_be_visible()

    page.goto("/admin/datasets/datagroup/add/")

    expect(page.get_by_label("Name")).to_have_value("")
    assert not [key for key in page.evaluate("Object.keys(sessionStorage)") if "datagroup" in key]


def test_what_was_typed_can_be_discarded(page: Page):
    page.goto("/admin/datasets/datagroup/add/")
    page.get_by_label("Description").fill("High and low water")
    page.reload()
    page.get_by_role("button", name="Discard it").click()
    expect(page.get_by_label("Description")).to_have_value("")

    page.reload()

    expect(page.get_by_label("Description")).to_have_value("")


def test_no_password_is_kept_and_signing_out_forgets_all(browser: Browser, service: Service, name: str):
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, f"{name}-2")
    page.goto("/admin/password_change/")
    page.get_by_label("Current password").or_(page.get_by_label("Old password")).first.fill("a-secret-never-kept")
    page.goto("/admin/datasets/datagroup/add/")
    page.get_by_label("Description").fill("Low water")
    kept = page.evaluate("JSON.stringify({...sessionStorage})")
    assert "Low water" in kept
    assert "a-secret-never-kept" not in kept

    page.locator(".sb-person > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_load_state()

    assert page.evaluate("sessionStorage.length") == 0
    context.close()
