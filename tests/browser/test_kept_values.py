"""What was typed comes back into the right field, also where fields, forms and other people's saves come and go."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

MAKING = """
import json
from django.contrib.auth.models import User
from tests import factories
from tests.datasets import making
User.objects.create_superuser({name!r}, "{name}@example.org", {password!r})
service = factories.make_service(name={name!r})
both, one = (factories.make_template(service, content=text, subject="Hello")
             for text in ("Bring ((thing)) at ((hour))", "At ((hour))"))
data_set = making.make_data_set({name!r})
making.put_in(data_set, [
    {{"_id": n, "_timestamp": "2026-01-01T00:00:00Z", "n": 1}} for n in ("one", "two")
])
print(json.dumps({{"both": str(both.pk), "one": str(one.pk), "set": data_set.pk}}))
"""
HOME = "/admin/account/"


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, Any]:
    name = f"keeper-{uuid.uuid4().hex[:8]}"
    done = service.manage("shell", "-v", "0", "-c", MAKING.format(name=name, password=PASSWORD))
    assert done.returncode == 0, done.stderr
    return {"name": name, **json.loads(done.stdout.splitlines()[-1])}


@pytest.fixture
def page(browser: Browser, service: Service, made: dict[str, Any]) -> Iterator[Page]:
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    page.asked = []  # type: ignore[attr-defined]  # questions whether to leave the page

    def accept(dialog: Any) -> None:
        page.asked.append(dialog.type)  # type: ignore[attr-defined]
        dialog.accept()

    page.on("dialog", accept)
    sign_in(page, made["name"])
    yield page
    context.close()


def test_values_of_another_template_stay(page: Page, made: dict[str, Any]):
    both, one = (f"/admin/notifications/notification/send/?template={made[name]}" for name in ("both", "one"))
    page.goto(both)
    page.get_by_label("thing", exact=True).fill("a coat")

    page.goto(one)
    page.get_by_label("hour", exact=True).fill("ten")
    page.goto(both)

    expect(page.get_by_label("thing", exact=True)).to_have_value("a coat")
    expect(page.get_by_label("hour", exact=True)).to_have_value("ten")


def test_the_recipient_that_a_button_has_put_in_stays(page: Page, made: dict[str, Any]):
    both, one = (f"/admin/notifications/notification/send/?template={made[name]}" for name in ("both", "one"))
    page.goto(one)
    page.get_by_role("button", name="Send to me").click()
    address = page.get_by_label("Email address", exact=True)
    expect(address).to_have_value(f"{made['name']}@example.org")

    page.goto(both)

    expect(address).to_have_value(f"{made['name']}@example.org")


def test_a_check_without_a_connection_stays_on_the_page(page: Page, made: dict[str, Any]):
    page.goto(f"/admin/notifications/notification/send/?template={made['one']}")
    page.get_by_label("hour", exact=True).fill("ten")
    page.context.set_offline(True)

    page.get_by_role("button", name="Check message", exact=True).last.click()

    expect(page.get_by_text("This could not be updated.")).to_be_visible()
    expect(page.get_by_label("hour", exact=True)).to_have_value("ten")
    assert page.asked == []  # type: ignore[attr-defined]
    page.context.set_offline(False)


def test_an_example_value_of_a_new_placeholder_comes_back(page: Page, made: dict[str, Any]):
    place = f"/admin/notifications/template/{made['both']}/change/"
    page.goto(place)
    page.locator("#id_content").fill("At ((pier))")
    page.get_by_label("Value for pier", exact=True).fill("Porthaven")

    page.goto(HOME)
    page.goto(place)

    expect(page.locator("#id_content")).to_have_value("At ((pier))")
    expect(page.get_by_label("Value for pier", exact=True)).to_have_value("Porthaven")


def test_what_comes_back_overwrites_no_version_of_another_person(page: Page, made: dict[str, Any]):
    place = f"/admin/notifications/template/{made['one']}/change/"
    other = page.context.new_page()
    other.goto(place)
    page.goto(place)
    page.locator("#id_content").fill("My text")
    page.goto(HOME)
    other.locator("#id_content").fill("Text of another person")
    other.get_by_role("button", name="Publish template").click()
    expect(other.get_by_text("Saved as version 2").first).to_be_visible()

    page.goto(place)
    page.get_by_role("button", name="Publish template").click()

    expect(page.get_by_text("Text of another person").first).to_be_visible()
    expect(page.locator("#id_content")).to_have_value("My text")
    page.goto(place)
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator("#id_content")).to_have_value("Text of another person")
    expect(page.locator("#id_based_on")).to_have_value("2")


def test_a_record_that_was_being_changed_comes_back_and_no_other_one(page: Page, made: dict[str, Any]):
    def change(record: str) -> None:
        page.goto(f"/admin/datasets/dataset/{made['set']}/records/")
        page.get_by_role("button", name=record, exact=True).click()
        page.get_by_role("button", name="Change record…").click()

    text = page.get_by_label("The record as JSON")
    change("one")
    typed = text.input_value().replace('"n": 1', '"n": 2')
    text.fill(typed)

    change("two")
    expect(text).to_have_value(typed.replace('"one"', '"two"').replace('"n": 2', '"n": 1'))
    change("one")
    expect(text).to_have_value(typed)


def test_a_retention_that_is_saved_after_its_preview_is_forgotten(page: Page, made: dict[str, Any]):
    page.goto(f"/admin/datasets/dataset/{made['set']}/retention/")
    page.locator("#id_retention_days").fill("3000")
    page.get_by_role("button", name="Preview changes").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Current retention: 3,000 days")).to_be_visible()

    page.goto(HOME)

    assert page.asked == []  # type: ignore[attr-defined]
    assert page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes('retention'))") == []


def test_a_person_who_stays_signed_in_is_active(page: Page, made: dict[str, Any]):
    place = f"/admin/notifications/template/{made['one']}/change/"

    def shorten(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r'(data-session-seconds=")\d+', r"\g<1>121", answer.text()))

    page.route(f"**{place}", shorten)
    page.goto(place)

    for _ in range(2):  # the warning comes again
        with page.expect_response("**/find/suggest/") as answered:
            page.get_by_role("button", name="Stay signed in").click()
        assert (answered.value.request.method, answered.value.ok) == ("POST", True)  # the POST of a script is activity


def test_a_result_that_cannot_be_updated_says_so(page: Page, made: dict[str, Any]):
    page.goto(f"/admin/datasets/savedquery/add/?data_set={made['set']}")
    page.route("**/preview/*", lambda route: route.fulfill(status=500, body="The database is away."))

    page.locator("#id_measure_method").select_option("count")

    expect(page.get_by_text("This could not be updated.")).to_be_visible()


def test_a_section_is_refreshed_again_after_an_error(page: Page):
    page.goto("/sandbox/")
    errors: list[str] = []

    def fail_once(route: Any) -> None:
        errors.append(route.request.url)
        if len(errors) == 1:
            route.fulfill(status=503, body="The database is away.")
        else:
            route.continue_()

    page.route("**/sandbox/", fail_once)

    with page.expect_response(lambda answer: answer.url.endswith("/sandbox/") and answer.ok):
        pass
    assert len(errors) == 2


def test_no_list_of_results_opens_after_the_person_has_left_the_search(page: Page):
    box, held = page.get_by_role("combobox", name="Search"), []
    page.route("**/find/suggest/", lambda route: held.append(route))
    with page.expect_request("**/find/suggest/"):
        box.fill("Audit")
    box.press("Escape")
    while not held:
        page.wait_for_timeout(10)

    with page.expect_response("**/find/suggest/"):
        held[0].continue_()
    page.wait_for_timeout(300)

    expect(page.locator("#search-options")).to_be_hidden()


def test_the_page_is_usable_after_a_tablet_is_turned_with_the_menu_open(page: Page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(HOME)
    page.get_by_role("button", name="Menu").click()

    page.set_viewport_size({"width": 1400, "height": 800})

    page.get_by_role("combobox", name="Search").click(timeout=5000)
