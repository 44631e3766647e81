"""The lists and forms of the console in a real browser: what is in line, what fits, and colours in the dark scheme."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

MAKE = """
import json
from django.contrib.auth.models import User
from tests import factories
from tests.datasets import making
User.objects.create_superuser("{name}", "", "{password}")
name = "{name} of the department for the environment, food, parks and gardens"
service = factories.make_service(name=name, file_contact="https://quay.example/contact")
template = factories.make_template(service)
key = factories.make_api_key(service)
factories.make_reply_to(service)
data_set = making.make_data_set("{name}")
making.put_in(data_set, making.some_records(2))
rows = {{"service": service, "template": template, "set": data_set, "key": key}}
print(json.dumps({{"name": "{name}"}} | {{name: str(row.pk) for name, row in rows.items()}}))
"""
WIDTHS = pytest.mark.parametrize("width", [1280, 390])


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, Any]:
    name = f"lists-{uuid.uuid4().hex[:8]}"
    done = service.manage("shell", "-v", "0", "-c", MAKE.format(name=name, password=PASSWORD))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def page(browser: Browser, service: Service, made: dict[str, Any]) -> Iterator[Page]:
    page = browser.new_page(base_url=service.url, color_scheme="dark")
    sign_in(page, made["name"])
    yield page
    page.close()


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found is not None
    return found


@WIDTHS
def test_the_bar_of_the_selected_rows_is_as_wide_as_its_content(page: Page, width: int):
    page.set_viewport_size({"width": width, "height": 860})
    page.goto("/admin/notifications/template/")
    page.locator("#result_list tbody [type=checkbox]").first.check()

    bar, counter = page.locator("#changelist-actions > div"), page.locator("#changelist-actions .action-counter")
    expect(counter).to_be_visible()
    outer = box(bar)
    for inner in (box(counter), box(bar.locator("select"))):
        assert outer["x"] <= inner["x"]
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] <= width


def test_links_of_the_theme_have_the_colour_of_the_console_in_the_dark_scheme(page: Page):
    """Check the number of the current page, which axe-core leaves out because it is one letter."""
    page.goto("/admin/notifications/protectedname/")

    found = page.evaluate("""() => {
        const probe = Object.assign(document.createElement("i"), {style: "color: var(--sb-accent)"})
        document.body.append(probe)
        const links = document.querySelectorAll("#page .text-primary-600")
        return [probe, ...links].map((one) => getComputedStyle(one).color)
    }""")

    assert len(found) > 1
    assert len(set(found)) == 1, found


def test_the_button_of_a_page_is_beside_a_long_title(page: Page, made: dict[str, Any]):
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"/admin/notifications/service/{made['service']}/change/")

    title, button = box(page.locator(".sb-crumbs")), box(page.get_by_role("link", name="History"))

    assert button["y"] < title["y"] + title["height"]


def test_an_ordinary_email_address_is_on_one_line_of_a_list(page: Page):
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto("/admin/notifications/replytoaddress/")
    address = page.get_by_role("link", name="reply@example.com").first

    assert address.evaluate("(link) => link.getClientRects().length") == 1


@WIDTHS
def test_a_select_is_as_high_as_the_input_beside_it(page: Page, width: int):
    page.set_viewport_size({"width": width, "height": 860})
    page.goto("/admin/datasets/dataset/add/")
    amount, unit = (page.locator(f"#id_expected_every_seconds_{number}") for number in (0, 1))

    assert box(amount)["height"] == box(unit)["height"]


def test_a_new_saved_query_begins_beside_its_result(page: Page, made: dict[str, Any]):
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"/admin/datasets/savedquery/add/?data_set={made['set']}")

    result, form = box(page.locator(".query-result")), box(page.locator("#savedquery_form"))
    measure, method = box(page.locator("#id_measure_field")), box(page.locator("#id_measure_method"))

    assert abs(result["y"] - form["y"]) < 2
    assert measure["y"] == method["y"]


def test_a_sender_is_shown_as_on_a_phone_while_it_is_typed(page: Page):
    page.goto("/admin/notifications/smssender/add/")
    shown = page.locator(".nf-sender")
    expect(shown).to_have_text("Your sender")

    page.locator("#id_sender").fill("TIDES")

    expect(shown).to_have_text("TIDES")


def test_the_explanation_of_protected_names_is_above_the_filters(page: Page):
    page.goto("/admin/notifications/protectedname/")

    words, filters = box(page.get_by_text("Only operators can use these names")), box(page.locator("#open-filters"))

    assert words["y"] + words["height"] <= filters["y"]


def test_fields_for_files_have_no_border(page: Page, made: dict[str, Any]):
    for place in (f"notifications/template/{made['template']}/files", f"datasets/dataset/{made['set']}/imports"):
        page.goto(f"/admin/{place}/")
        field = page.locator("[type=file]").first
        assert field.evaluate("(file) => getComputedStyle(file).borderTopWidth") == "0px"


def test_parts_of_a_page_have_space_between_them_on_a_phone(page: Page, made: dict[str, Any]):
    page.set_viewport_size({"width": 390, "height": 860})
    page.goto(f"/admin/datasets/savedquery/add/?data_set={made['set']}")
    result, form = box(page.locator(".query-result")), box(page.locator("#savedquery_form"))
    page.goto(f"/admin/notifications/template/{made['template']}/change/")
    page.locator(".nf-curl summary").click()
    above, below = (box(page.locator(".nf-curl .sb-copy").nth(number)) for number in (0, 1))

    assert result["y"] + result["height"] + 8 <= form["y"]
    assert above["y"] + above["height"] + 8 <= below["y"]


def test_the_cards_below_a_form_are_as_wide_as_the_form(page: Page, made: dict[str, Any]):
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"/admin/notifications/apikey/{made['key']}/change/")

    card, form = box(page.locator(".nf-use .sb-card").first), box(page.locator(".form-rows").first)

    assert card["width"] == form["width"]
