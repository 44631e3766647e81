"""Dashboards in a real browser: the public page, also without scripts and printed, and the way to it by keyboard."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.by_keyboard import fill, press, reach
from tests.browser.looks import Looks
from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

MAKE = """
import datetime, json
from django.contrib.auth.models import User
from tests.datasets import making
from tests.datasets.dashboards.making import make_dashboard, publish
now = datetime.datetime.now(datetime.UTC)
data_set = making.make_data_set("{name}", "visits")
making.put_in(data_set, [
    {{
        "_timestamp": (now - datetime.timedelta(days=day)).isoformat(),
        "channel": name,
        "count": 40 + (day * 7 + n * 31) % 97,
    }}
    for day in range(120) for n, name in enumerate(["web", "phone"])
])
owner = User.objects.create_superuser("{name}", "", "{password}")
filter = {{"filter_field": "channel", "filter_values": ["web"], "embed_hosts": ["www.example.org"]}}
dashboard = make_dashboard(data_set, slug="{name}", title_cy="Ymweliadau", **filter)
publish(dashboard)
print(json.dumps({{"pk": dashboard.pk, "slug": "{name}"}}))
"""


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, Any]:
    name = f"d{uuid.uuid4().hex[:8]}"
    done = service.manage("shell", "-v", "0", "-c", MAKE.format(name=name, password=PASSWORD))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    page = browser.new_page(base_url=service.url)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request", lambda request: complaints.append(request.url) if not request.url.startswith(service.url) else None
    )
    yield page
    page.close()
    assert complaints == []


@pytest.fixture(scope="module")
def owner(browser: Browser, service: Service, made: dict[str, Any]) -> Iterator[Page]:
    page = browser.new_page(base_url=service.url)
    sign_in(page, made["slug"])
    yield page
    page.close()


@pytest.mark.parametrize("query", ["", "?lang=cy&range=last-12-months", "?embed=true"])
def test_the_public_page_is_readable_at_both_widths_and_schemes(page: Page, looks: Looks, made, query: str):
    page.goto(f"/dashboards/{made['slug']}{query}")

    assert looks.problems(page) == []
    assert page.context.cookies() == []


def test_the_public_page_works_without_scripts(browser: Browser, service: Service, made):
    context = browser.new_context(base_url=service.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/dashboards/{made['slug']}")

    page.get_by_label("Time").select_option("Last 12 months")
    page.get_by_label("channel", exact=True).select_option("web")
    page.get_by_role("button", name="Show").click()
    assert "range=last-12-months" in page.url
    page.get_by_text("Show as a table").nth(1).click()
    expect(page.get_by_role("columnheader", name="web")).to_be_visible()
    with page.expect_download() as begun:
        page.get_by_role("region", name="Visits by month").get_by_role("link", name="Download as CSV").click()
    assert begun.value.suggested_filename.startswith(made["slug"])
    context.close()


def test_paper_has_the_tiles_without_the_form(page: Page, made):
    page.goto(f"/dashboards/{made['slug']}?range=last-3-months")
    page.emulate_media(media="print")

    expect(page.get_by_role("button", name="Show")).to_be_hidden()
    expect(page.get_by_text("Last 3 months", exact=True).last).to_be_visible()
    expect(page.get_by_role("heading", name="Visits by channel")).to_be_visible()
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_a_frame_shows_the_page_on_a_host_that_may_and_on_no_other(browser: Browser, service: Service, made):
    page = browser.new_page()
    frame = f'<iframe src="https://figures.example.org/dashboards/{made["slug"]}?embed=true"></iframe>'
    page.route(
        re.compile("^https://figures.example.org/"),
        lambda route: route.fulfill(
            response=route.fetch(url=route.request.url.replace("https://figures.example.org", service.url))
        ),
    )
    page.route(
        re.compile("^https://(www|other).example.org/"),
        lambda route: route.fulfill(content_type="text/html", body=frame),
    )
    shown = page.frame_locator("iframe").get_by_role("heading", name="Visits to our service")

    page.goto("https://www.example.org/")
    expect(shown).to_be_visible()

    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto("https://other.example.org/")
    expect(shown).to_have_count(0)
    page.close()


@pytest.mark.parametrize("name", ["tiles", "add-tile", "sharing", "publish", "ready-made", "change", "preview"])
def test_the_console_pages_are_readable_at_both_widths_and_schemes(owner: Page, looks: Looks, made, name: str):
    owner.goto(f"/admin/datasets/dashboard/{made['pk']}/{name}/")

    assert looks.problems(owner) == []


def test_tiles_are_moved_by_keyboard_and_with_the_mouse(owner: Page, made):
    owner.set_viewport_size({"width": 1280, "height": 900})
    owner.goto(f"/admin/datasets/dashboard/{made['pk']}/tiles/")
    names = owner.locator(".tile-name a")
    expect(names).to_have_text(["Digital take-up", "Visits by channel", "Visits by month", "Notes"])

    owner.get_by_role("button", name="Move Notes up").focus()
    owner.keyboard.press("Enter")
    expect(names).to_have_text(["Digital take-up", "Visits by channel", "Notes", "Visits by month"])

    owner.locator(".tile-line").nth(3).drag_to(owner.locator(".tile-line").nth(0))
    expect(names).to_have_text(["Visits by month", "Digital take-up", "Visits by channel", "Notes"])


def test_a_person_makes_and_publishes_a_figure_by_keyboard_and_the_text_on_the_pages(owner: Page, made):
    owner.goto("/admin/datasets/dashboard/")
    press(owner, "Create dashboard")
    fill(owner, "Title", "How our service performs")
    fill(owner, "Name in the URL", f"{made['slug']}-new")
    press(owner, "Create dashboard")

    press(owner, "Add a key figure")
    reach(owner, "Digital take-up")
    owner.keyboard.press("Space")
    fill(owner, "Which data set has the transactions", f"{made['slug']}/visits (channel, count)")
    press(owner, "Continue")
    fill(owner, "Which field has the channel?", "channel")
    fill(owner, "Which channels are digital?", "web")
    fill(owner, "Which field has the number of transactions?", "count")
    fill(owner, "What is the target, in percent?", "60")
    press(owner, "Add key figure")

    press(owner, "Publishing")
    press(owner, "Publish…")
    press(owner, "Publish dashboard")
    owner.goto(f"/dashboards/{made['slug']}-new")

    expect(owner.get_by_role("heading", name="How our service performs")).to_be_visible()
    expect(owner.get_by_role("img", name="Digital take-up by month")).to_be_visible()
    expect(owner.locator(".large-number")).to_contain_text("%")
