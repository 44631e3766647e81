"""*Try it* on the page of the API documentation: a real call of each operation with the demo's key and token."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from dotenv import dotenv_values
from jsonschema import Draft202012Validator
from playwright.sync_api import Browser, Locator, Page, expect

from config.docs.document import document
from tests.browser.looks import Looks
from tests.notifications.provisioned import Provisioned
from tests.service import Service

OPERATIONS = {
    operation["operationId"]: operation for methods in document()["paths"].values() for operation in methods.values()
}


@pytest.fixture(scope="module")
def secrets(service: Service) -> dict[str, str]:
    made = service.manage("demo")
    assert made.returncode == 0, made.stderr
    return {name: value or "" for name, value in dotenv_values(service.folder / "var" / ".demo.env").items()}


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    page.problems = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.problems.append(str(error)))  # type: ignore[attr-defined]
    page.goto("/docs/")
    yield page
    assert page.problems == []  # type: ignore[attr-defined]
    context.close()


def opened(page: Page, name: str) -> Locator:
    """Open the form of an operation and return it."""
    article = page.locator(f"#{name}")
    article.locator(".try > button").click()
    return article.locator("form")


def enter(form: Locator, secrets: dict[str, str]) -> None:
    """Enter the key or the token, if the page does not have it from another form."""
    field = form.locator("input[type=password]")
    if not field.input_value():
        is_token = "token" in form.locator("label").first.inner_text()
        field.fill(secrets["DATA_TOKEN" if is_token else "NOTIFY_API_KEY"])
        field.blur()


def sent(form: Locator) -> tuple[int, str]:
    """Send the form, and tick its box if it asks. Return the status and the body of the answer."""
    button, box, status = (form.locator(one) for one in ("[type=submit]", "[type=checkbox]:invalid", ".result .status"))
    button.click()
    expect(status.or_(box)).to_be_visible()
    if box.count():
        box.check()
        button.click()
    expect(status).to_be_visible()
    body = form.locator("pre.body")
    return int(status.inner_text()), (body.text_content() or "") if body.count() else ""


def test_every_operation_can_be_tried_and_answers_as_documented(page: Page, secrets: dict[str, str]) -> None:
    # A smaller page is drawn faster: without this, the walk took twice as long.
    page.evaluate("document.querySelectorAll('.wide, .programs, aside').forEach((part) => part.remove())")
    ids: dict[str, str] = {}  # parameter of a path → the id of what an earlier call made
    for name, operation in OPERATIONS.items():
        form = opened(page, name)
        enter(form, secrets)
        for parameter, value in ids.items():
            if (field := form.locator(f"[name={parameter}]")).count():
                field.fill(value)

        if name == "readRecords":  # the page shows the first 200,000 bytes only
            form.get_by_text("Optional parameters").click()
            form.get_by_label("limit").fill("3")

        status, body = sent(form)

        assert str(status) in operation["responses"], (name, body)
        answer = operation["responses"][str(status)].get("content", {})
        kind = next((one for one in ("application/json", "application/schema+json") if one in answer), "")
        if kind:
            schema = {**answer[kind]["schema"], "components": document()["components"]}
            assert [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(body))] == [], name
        made: dict[str, Any] = json.loads(body) if kind and status in {201, 202} else {}
        ids |= {field: made["id"] for op, field in MAKERS.items() if op == name and "id" in made}


MAKERS = {"sendEmail": "notification_id", "importFile": "id"}


def test_a_live_key_shows_a_red_line_and_needs_a_tick(page: Page, service: Service) -> None:
    name = f"Real {uuid.uuid4().hex[:8]}"
    template = {"type": "sms", "name": "text", "content": "Hello ((name))"}
    replies = [{"email_address": "reply@example.com", "default": True}]
    rows = {"templates": [template], "api_keys": [{"name": "real", "type": "live"}], "reply_to_addresses": replies}
    sender = Provisioned(service, {"name": name, "live": True, **rows})
    form = opened(page, "sendTextMessage")
    form.locator("input[type=password]").fill(sender.keys["live"])
    form.get_by_role("button", name="Send request").click()

    expect(form.locator(".real")).to_have_text(f"This sends for real. Key real of {name}.")
    expect(form.get_by_label("Template")).to_be_visible()
    assert form.locator(".result").count() == 0
    assert sender.keys["live"] not in page.content()
    assert json.loads(form.get_by_label("Body").input_value())["template_id"] == sender.templates["text"]
    assert sent(form)[0] == 201


def test_a_key_of_unknown_type_needs_a_tick(page: Page, secrets: dict[str, str]) -> None:
    page.route("**/v2/api-key", lambda route: route.abort())
    form = opened(page, "sendEmail")
    enter(form, secrets)

    expect(form.locator(".real")).to_contain_text("This may send for real")
    form.locator("[type=submit]").click()
    assert form.locator(".result").count() == 0
    assert sent(form)[0] == 201


def test_an_error_shows_what_to_do_and_nothing_secret_is_kept(page: Page) -> None:
    form = opened(page, "readMessage")
    form.locator("input[type=password]").fill(f"wrong-{uuid.uuid4()}-{uuid.uuid4()}")

    status, _ = sent(form)

    assert status == 403
    expect(form.locator(".what-to-do")).to_contain_text("Copy the whole key again")
    assert page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])") == '[{},{},""]'
    assert "wrong" not in page.url
    page.reload()
    assert opened(page, "readMessage").locator("input[type=password]").input_value() == ""


@pytest.mark.parametrize("variable", ["NOTIFY_API_KEY", "DATA_TOKEN"])
def test_the_button_stays_in_its_place_while_it_is_pressed(page: Page, secrets: dict[str, str], variable: str) -> None:
    form = opened(page, "readApiKey" if variable == "NOTIFY_API_KEY" else "writeRecords")
    form.locator("input[type=password]").fill(secrets[variable])
    button = form.locator("[type=submit]")
    button.hover()
    before = button.bounding_box()

    page.mouse.down()  # the field loses focus, so the page looks at what was entered
    page.wait_for_timeout(1000)

    assert button.bounding_box() == before
    page.mouse.up()
    expect(form.locator(".notice :is(p, label)").first).to_be_visible()
    if variable == "NOTIFY_API_KEY":
        expect(form.locator(".result .status")).to_have_text("200")


def test_the_search_works_by_keyboard_and_without_the_server(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("send an")
    expect(page.get_by_role("option").first).to_contain_text("Send an email")
    page.context.set_offline(True)
    page.keyboard.type(" email")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    assert page.url.endswith("/docs/#sendEmail")


def test_a_language_applies_to_all_examples(page: Page) -> None:
    page.locator("#sendEmail").get_by_text("Ruby", exact=True).click()

    expect(page.locator("#readRecords pre.ruby")).to_be_visible()
    expect(page.locator("#readRecords pre.curl")).to_be_hidden()


def test_an_open_form_looks_right_at_both_widths_and_schemes(page: Page, looks: Looks, secrets: dict[str, str]) -> None:
    form = opened(page, "emptyDataSet")
    enter(form, {**secrets, "DATA_TOKEN": "ds_wrong"})
    sent(form)
    page.evaluate("document.querySelectorAll('article:not(#emptyDataSet)').forEach((other) => other.remove())")

    assert looks.problems(page) == []
