"""The pages of single, rejected and deleted records, which a walk cannot open, because their ids come by POST."""

from collections.abc import Iterator

import pytest
import requests
from playwright.sync_api import Browser, Page, expect

from tests.browser.looks import Looks
from tests.browser.pressing import press_while_redrawn
from tests.browser.signing_in import sign_in
from tests.datasets.test_http import Writer
from tests.service import Service

NAME = "records-keeper"
SETUP = f"""
from django.contrib.auth.models import User
User.objects.create_superuser("{NAME}", "keeper@example.org", "a-long-password-1")
"""


@pytest.fixture(scope="module")
def writer(service: Service) -> Writer:
    done = service.manage("shell", "-v", "0", "-c", SETUP)
    assert done.returncode == 0, done.stderr
    made = Writer(service)
    made.post(
        [{"_id": f"v{n}", "_timestamp": f"2026-01-0{n}T00:00:00Z", "channel": "web", "n": n} for n in range(1, 5)]
    )
    return made


@pytest.fixture(scope="module")
def page(browser: Browser, service: Service, writer: Writer) -> Iterator[Page]:
    context = browser.new_context(base_url=service.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    sign_in(page, NAME)
    page.goto(f"/admin/datasets/dataset/?q={writer.group}")  # the list has pages
    page.get_by_role("link", name=f"{writer.group}/visits").first.click()
    yield page
    context.close()


def tab(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()


def test_a_record_is_changed_deleted_and_restored(page: Page, looks: Looks) -> None:
    problems: list[str] = []
    tab(page, "Records")
    page.get_by_role("button", name="v2").click()
    page.get_by_role("button", name="Change record…").click()
    problems += looks.problems(page)
    text = page.get_by_label("The record as JSON")
    text.fill(text.input_value().replace('"n": 2', '"n": "two"'))
    page.get_by_role("button", name="Change record").click()
    expect(page.get_by_label("Reason")).to_be_visible()  # it is required
    page.get_by_label("Reason").fill("a text by mistake")
    page.get_by_role("button", name="Change record").click()
    expect(page.get_by_text("The record is changed.")).to_be_visible()

    page.get_by_role("button", name="v2").click()
    problems += looks.problems(page)
    page.get_by_role("button", name="Delete record…").click()
    page.get_by_label("Reason").fill("twice")
    problems += looks.problems(page)
    page.get_by_role("button", name="Delete record").click()
    expect(page.get_by_text("The record is deleted.")).to_be_visible()
    expect(page.get_by_role("button", name="v2")).to_have_count(0)

    page.get_by_role("link", name="Changed and deleted records").click()
    problems += looks.problems(page)
    page.get_by_role("button", name="v2").first.click()
    page.get_by_role("button", name="Restore this value…").last.click()
    problems += looks.problems(page)
    page.get_by_label("Reason").fill("it was right")
    page.get_by_role("button", name="Restore record").click()
    expect(page.get_by_text("The record is restored.")).to_be_visible()
    expect(page.get_by_role("button", name="v2")).to_be_visible()
    assert problems == []


def test_the_chart_is_drawn_again_at_each_change_and_says_what_it_shows(page: Page, looks: Looks) -> None:
    tab(page, "Chart")
    page.get_by_label("Measure").focus()
    page.get_by_label("Measure").select_option("n:mean")
    expect(page.get_by_role("heading", name="Mean of n by")).to_be_visible()
    expect(page.get_by_label("Measure")).to_be_focused()
    page.get_by_text("The same by API").click()
    expect(page.get_by_role("button", name="Copy Call of the API")).to_be_visible()
    page.get_by_label("Split").select_option("channel")
    expect(page.locator("#drawn pre")).to_contain_text("group_by=channel")
    expect(page.get_by_role("button", name="Copy Call of the API")).to_be_visible()
    chart = page.locator(".chart-svg:visible").first
    chart.focus()
    page.keyboard.press("End")
    expect(page.locator(".chart-tip").first).not_to_be_empty()
    assert looks.problems(page) == []
    page.reload()
    expect(page.get_by_label("Split")).to_have_value("channel")


def test_a_link_that_is_pressed_while_the_chart_is_drawn_again_is_followed(page: Page) -> None:
    tab(page, "Chart")
    link = page.get_by_role("link", name="Download CSV")

    with page.expect_download() as begun:
        press_while_redrawn(page, "**/chart/?*", lambda: page.get_by_label("Measure").select_option("n:max"), link)

    assert begun.value.suggested_filename.endswith(".csv")
    expect(page.get_by_role("heading", name="Max of n by")).to_be_visible()


def test_a_rejected_record_is_corrected_with_the_keyboard(page: Page, writer: Writer, looks: Looks) -> None:
    wrong = [{"_id": "v9", "_timestamp": "yesterday", "n": 9}]
    headers = {"Authorization": f"Bearer {writer.token}"}
    answer = requests.post(f"{writer.url}?on_error=keep", json=wrong, headers=headers, timeout=60)
    assert answer.status_code == 207
    problems: list[str] = []
    tab(page, "Rejected")
    problems += looks.problems(page)
    page.get_by_role("link", name="Try again").first.focus()
    page.keyboard.press("Enter")
    text = page.get_by_label("The record as JSON")
    text.fill('{"_id": "v9"}')
    page.get_by_role("button", name="Try again").press("Enter")
    expect(page.get_by_text("The record was not stored.")).to_be_visible()
    problems += looks.problems(page)
    text.fill('{"_id": "v9", "_timestamp": "2026-01-09T00:00:00Z"}')
    page.get_by_role("button", name="Try again").press("Enter")
    expect(page.get_by_text("The record is stored.")).to_be_visible()
    assert problems == []


def test_matching_records_are_counted_before_they_are_deleted(page: Page, looks: Looks) -> None:
    tab(page, "Settings")
    page.get_by_role("link", name="Delete records by a condition…").click()
    page.get_by_label("Condition").fill("n >= 3")
    page.get_by_label("Reason").fill("test data")
    page.get_by_role("button", name="Count records").click()
    expect(page.get_by_role("button", name="Delete 2 records")).to_be_visible()
    assert looks.problems(page) == []
