"""Check that `Looks` finds problems, and also those that only a later page, another width or the dark scheme has."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.looks import Looks

PAGE = """<!doctype html><html lang="en"><head><title>Tides</title><style>
body {{ background: #fff; color: #000; }} .dark body {{ background: #000; color: #fff; }} {style}
</style></head><body><main><h1>Tides</h1><p>High water</p>{content}</main></body></html>"""
PALE = "<p class='pale'>Low water at nine</p>"


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def problems(looks: Looks, page: Page, content: str, style: str = "") -> list[str]:
    """Return the problems of this page, without its URL."""
    page.set_content(PAGE.format(content=content, style=style))
    return [found.partition(" ")[2] for found in looks.problems(page)]


def test_a_good_page_has_no_problems(page: Page):
    assert problems(Looks(), page, "") == []


@pytest.mark.parametrize(
    ("style", "places"),
    [
        (".pale { color: #bbb; }", ["1280 light", "390 light"]),
        (".dark .pale { color: #444; }", ["1280 dark", "390 dark"]),
        ("@media (max-width: 400px) { .pale { color: #bbb; } }", ["390 light"]),
    ],
)
def test_low_contrast_is_found_at_each_width_and_in_each_scheme(page: Page, style: str, places: list[str]):
    found = problems(Looks(), page, PALE, style)

    assert found
    assert {one.partition(":")[0] for one in found} <= set(places)
    assert all("color-contrast <p class=" in one for one in found)


@pytest.mark.parametrize("style", [".pale { color: #bbb; }", ".dark .pale { color: #444; }"], ids=["light", "dark"])
def test_in_a_walk_a_problem_of_each_scheme_is_found_at_the_first_width(page: Page, style: str):
    found = problems(Looks(is_walk=True), page, PALE, style)

    scheme = "dark" if ".dark" in style else "light"
    assert {one.partition(":")[0] for one in found} == {f"1280 {scheme}"}


def test_low_contrast_is_found_on_a_later_page(page: Page):
    looks = Looks()
    assert problems(looks, page, PALE) == []

    assert problems(looks, page, PALE, ".pale { color: #bbb; }") != []


def test_a_field_without_a_label_is_found_on_a_later_page(page: Page):
    looks = Looks()
    assert problems(looks, page, '<label>Name <input name="name"></label>') == []

    found = problems(looks, page, '<input name="name">')

    assert [one for one in found if one.startswith("1280 light: label <input")]


@pytest.mark.parametrize(
    ("content", "style", "problem"),
    [
        ("<label for='a' class='c'>Name</label><input id='a'>", ".c { display: none }", "label <input"),
        (
            "<div class='c'><p>Low water</p></div>",
            ".c { overflow: auto; height: 1px }",
            "scrollable-region-focusable <div",
        ),
    ],
    ids=["label", "scrolling"],
)
def test_a_problem_of_one_width_is_found_on_a_later_page(page: Page, content: str, style: str, problem: str):
    looks = Looks()
    assert problems(looks, page, content) == []

    found = problems(looks, page, content, f"@media (max-width: 400px) {{ {style} }}")

    assert [one for one in found if one.startswith(f"390 dark: {problem}")]


def test_a_page_that_is_wider_than_the_screen_is_found(page: Page):
    found = problems(Looks(), page, "<p class='wide'>Low water</p>", ".wide { width: 600px; }")

    assert any("is 6" in one for one in found)
    assert all(one.startswith("390 ") for one in found)


def test_in_a_walk_each_page_is_measured_at_each_width(page: Page):
    found = problems(Looks(is_walk=True), page, "<p class='wide'>Low water</p>", ".wide { width: 1400px; }")

    assert {one.partition(" ")[0] for one in found} == {"1280", "390"}


@pytest.mark.parametrize(
    ("content", "style"),
    [
        (
            "<table><tr><td data-label='Writes'>1</td></tr></table>",
            "td { position: relative } td::before { content: attr(data-label); position: absolute; left: 0 }",
        ),
        (
            "<label class='t'><input type='radio'><span>Now</span></label>",
            ".t { display: flex } input { margin: 0 } span { margin-top: 9px }",
        ),
        ("<p><time>5:18:51pm</time></p>", "p { width: 3rem; overflow-wrap: anywhere }"),
    ],
    ids=["label", "tick", "time"],
)
def test_a_label_over_its_text_a_tick_beside_its_line_and_a_broken_time_are_found(page: Page, content: str, style: str):
    found = problems(Looks(), page, content, style)

    found_at = {one.partition(" ")[2].partition("=")[0] for one in found}
    assert found_at <= {"odd <td data-label", "odd <input type", "odd <time>5:18:51pm</time>"}
    assert len(found) == 2  # one at each width
