"""Charts in a real browser: readable at both widths and schemes, values by pointer and by keyboard, no text outside."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from datasets.charts import drawing
from tests.browser.looks import HEIGHT, Looks
from tests.browser.pressing import press_while_redrawn
from tests.browser.signing_in import sign_in
from tests.browser.walking import make_rows
from tests.service import Service

MAKE = """
import datetime, json
from datasets import store
from datasets.models import DataSet
from tests.datasets import making
from tests.datasets.saved_queries import making as saving
now = datetime.datetime.now(datetime.UTC)
data_set = DataSet.objects.get(pk={pk})
names = ["web", "phone", "post", "<b>counter</b> " + "W" * 300, *(f"c{{n}}" for n in range(8))]
making.put_in(data_set, [
    {{
        "_timestamp": (now - datetime.timedelta(days=day)).isoformat(),
        "channel": name,
        "count": (day * 7 + n * 31) % 97,
    }}
    for day in range(30) for n, name in enumerate(names) if (day + n) % 5
])
store.fields_seen.note(DataSet.objects.get(pk={pk}))
query = saving.save(data_set, {{"measure": {{"field": "count"}}}}, chart="number")
print(json.dumps({{"pk": data_set.pk, "query": query.pk}}))
"""
OUTSIDE = """() => [...document.querySelectorAll('.chart-svg')].filter(c => c.checkVisibility()).flatMap(chart => {
    const whole = chart.getBoundingClientRect();
    return [...chart.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect();
        return box.left < whole.left - 1 || box.right > whole.right + 1
            || box.top < whole.top - 1 || box.bottom > whole.bottom + 1;
    }).map(text => text.textContent);
})"""
OVERLAPS = """() => {
    const labels = [...document.querySelectorAll('.chart-svg text')].filter(text => text.checkVisibility());
    const boxes = labels.map(text => text.getBoundingClientRect());
    return labels.flatMap((text, n) => labels.slice(n + 1).filter((other, m) => {
        const [a, b] = [boxes[n], boxes[n + 1 + m]];
        return a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
    }).map(other => `${text.textContent} / ${other.textContent}`));
}"""
FONT_PIXELS = """() => Math.min(...[...document.querySelectorAll('.chart-svg text')]
    .filter(text => text.checkVisibility()).map(text => text.getBoundingClientRect().height))"""


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, Any]:
    rows = make_rows(service)
    pk = service.manage("shell", "-v", "0", "-c", _PK.format(name=rows["name"])).stdout.splitlines()[-1]
    done = service.manage("shell", "-v", "0", "-c", MAKE.format(pk=pk))
    assert done.returncode == 0, done.stderr
    return {"name": rows["name"], **json.loads(done.stdout.splitlines()[-1])}


_PK = "from datasets.models import DataSet; print(DataSet.objects.get(group__name={name!r}, type__name='volumes').pk)"


@pytest.fixture
def page(browser: Browser, service: Service, made: dict[str, Any]) -> Iterator[Page]:
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    sign_in(page, made["name"])
    yield page
    context.close()


def opened(page: Page, made: dict[str, Any], **asked: str) -> None:
    given = {"period": "day", "last": "30", "measure": "count:sum", "split": "channel", "kind": "lines", **asked}
    query = "&".join(f"{name}={value}" for name, value in given.items())
    page.goto(f"/admin/datasets/dataset/{made['pk']}/chart/?{query}")


@pytest.mark.parametrize("kind", ["lines", "bars"])
def test_a_chart_is_readable_at_both_widths_and_schemes(page, made, kind):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)

    opened(page, made, kind=kind)

    assert Looks().problems(page) == []
    for width, form, other in ((1280, "wide", "narrow"), (390, "narrow", "wide")):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for scheme in ("light", "dark"):
            page.evaluate("isDark => document.documentElement.classList.toggle('dark', isDark)", scheme == "dark")
            _keep(page, f"chart-{kind}-{width}-{scheme}")
        expect(page.locator(f".chart-{form}")).to_be_visible()
        expect(page.locator(f".chart-{other}")).to_be_hidden()
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate(FONT_PIXELS) >= 11
    assert errors == []


def test_the_keyboard_and_the_pointer_show_values(page, made):
    opened(page, made, split="")
    chart, tip = page.locator(".chart-wide"), page.get_by_role("status").and_(page.locator(".chart-tip"))

    chart.focus()
    page.keyboard.press("Home")
    first = tip.inner_text()
    page.keyboard.press("ArrowRight")
    second = tip.inner_text()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    box = page.locator(".chart-wide .chart-values > rect").nth(1).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)

    assert first != second
    assert tip.inner_text() == second
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


def test_without_scripts_the_values_are_titles(browser, service, made):
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    sign_in(page, made["name"])
    page.route("**/charts*.js", lambda route: route.abort())

    opened(page, made, split="")

    assert page.locator(".chart-wide .chart-values title").count() == 30
    context.close()


def test_a_chart_has_light_colours_on_paper(page, made):
    opened(page, made)
    page.evaluate("document.documentElement.classList.add('dark')")
    line = page.locator(".chart-wide .chart-line-0").first

    on_screen = line.evaluate("line => getComputedStyle(line).stroke")
    page.emulate_media(media="print")
    on_paper = line.evaluate("line => getComputedStyle(line).stroke")

    assert (on_screen, on_paper) == ("rgb(86, 148, 202)", "rgb(29, 112, 184)")


def test_a_chart_that_is_a_file_of_its_own_follows_the_scheme_of_the_reader(browser):
    chart = drawing.ChartData(kind="bar", title="T", description="", labels=["a"], series=[drawing.Series("s", [1])])
    headers = {"Content-Type": "image/svg+xml", "Content-Security-Policy": drawing.DOCUMENT_POLICY}
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.route("**/*", lambda route: route.fulfill(body=drawing.document(chart), headers=headers))

    page.goto("http://charts.test/one.svg")

    colour = page.locator(".chart-bar").evaluate("bar => getComputedStyle(bar).fill")
    context.close()
    assert colour == "rgb(86, 148, 202)"


def _keep(page: Page, name: str) -> None:
    """Save a picture to the folder of SCREENSHOTS, if it is set."""
    folder = os.environ.get("SCREENSHOTS", "")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_the_result_of_a_saved_query_stands_beside_its_form(page, made):
    page.set_viewport_size({"width": 1280, "height": HEIGHT})
    page.goto(f"/admin/datasets/savedquery/{made['query']}/change/")

    expect(page.locator(".query-number")).to_be_in_viewport()


def test_a_table_that_is_opened_while_the_result_is_shown_again_stays_open(page, made):
    page.goto(f"/admin/datasets/savedquery/{made['query']}/change/")
    table = page.get_by_text("As a table")
    with page.expect_response("**/preview/*"):
        page.locator("#id_chart").select_option("bar")
    expect(page.locator(".query-number")).to_have_count(0)

    press_while_redrawn(page, "**/preview/*", lambda: page.locator("#id_chart").select_option("number"), table)

    expect(page.locator(".query-number")).to_be_visible()
    expect(page.get_by_role("region", name="Result as a table")).to_be_visible()
    page.get_by_text("The same by API").click()
    expect(page.get_by_role("button", name="Copy API call")).to_be_visible()
