"""What the tiles of a dashboard show."""

import pytest
from django.utils import translation

from datasets.dashboards import page, publishing, text
from datasets.dashboards.choices import ReaderChoice, UnknownChoice
from datasets.dashboards.tiles import ShownNumber, TileKind
from tests.datasets.dashboards.making import BY_CHANNEL, BY_MONTH, add
from tests.datasets.saved_queries.making import save


def shown(dashboard, **parameters):
    choice = ReaderChoice.of(dashboard, parameters)
    with translation.override(choice.language):
        found = list(publishing.tiles_of(dashboard))
        return page.of(dashboard, choice, found=found, may_show=lambda query, data_set: True)


def test_a_number_has_its_change_in_percentage_points(dashboard):
    tile = shown(dashboard).tiles[0]

    assert tile.kind == TileKind.NUMBER
    assert tile.number == ShownNumber(
        value="96.8%",
        direction=1,
        change="16.8 percentage points",
        earlier="the previous period",
        target="80%",
    )


def test_a_chart_has_a_table_with_a_column_for_each_group(dashboard):
    chart = shown(dashboard).tiles[1]

    assert chart.kind == TileKind.CHART
    assert [column.name for column in chart.grid.columns] == ["phone", "web"]
    assert chart.cells == [
        ("January 2024", ["40", "60"]),
        ("February 2024", ["20", "80"]),
        ("March 2024", ["3", "90"]),
    ]


def test_a_chart_has_a_drawing_with_its_title_and_other_tiles_have_none(dashboard):
    drawings = [tile.drawing for tile in shown(dashboard).tiles]

    assert [bool(drawing) for drawing in drawings] == [False, True, False, False]
    assert drawings[1].count(">Visits by channel</title>") == 2  # a wide tile has the wide and the narrow form


def test_values_below_the_limit_are_hidden_in_the_table_and_the_chart(dashboard, visits):
    tile = add(dashboard, saved_query=save(visits, BY_CHANNEL, name="Small"), hide_below=5)

    found = next(one for one in shown(dashboard).tiles if one.id == tile.pk)

    hidden = "not shown"
    assert found.cells == [
        ("January 2024", ["40", "60"]), ("February 2024", [hidden, hidden]), ("March 2024", [hidden, hidden])
    ]  # fmt: skip
    assert [column.values for column in found.grid.columns] == [[40, None, None], [60, None, None]]
    assert found.hidden == hidden


@pytest.mark.parametrize(
    ("visibility", "hide_below", "cell"),
    [("public", None, "not shown"), ("public", 0, "3"), ("link", None, "not shown"), ("private", None, "3")],
)
def test_a_personal_data_set_hides_small_values_on_pages_for_others(dashboard, visits, visibility, hide_below, cell):
    visits.personal = True
    visits.save()
    dashboard.visibility = visibility
    dashboard.save()
    tile = add(dashboard, saved_query=save(visits, BY_CHANNEL, name="Small"), hide_below=hide_below)

    found = next(one for one in shown(dashboard).tiles if one.id == tile.pk)

    assert found.cells[2][1][0] == cell


def test_a_reader_who_subtracts_one_filter_from_another_finds_no_small_value(dashboard, visits):
    """March has 3 by phone and 90 by web: without the filter 93 is shown, so the 90 of web must not be shown."""
    dashboard.filter_field, dashboard.filter_values = "channel", ["web", "phone"]
    tile = add(dashboard, saved_query=save(visits, BY_MONTH, name="All"), hide_below=5)

    pages = [shown(dashboard, filter=chosen) for chosen in ("", "web", "phone")]
    cells = [next(one for one in page.tiles if one.id == tile.pk).cells for page in pages]

    assert cells[0][2] == ("March 2024", ["93"])
    assert cells[1][2] == cells[2][2] == ("March 2024", ["not shown"])
    assert cells[1][1] == ("February 2024", ["80"])


def test_a_value_that_is_hidden_without_the_filter_is_hidden_with_it(dashboard, visits):
    """The 90 of web is hidden beside the 3 of phone, so it must not be shown by the choice of web."""
    dashboard.filter_field, dashboard.filter_values = "channel", ["web", "phone"]
    tile = add(dashboard, saved_query=save(visits, BY_CHANNEL, name="Split"), hide_below=5)

    whole, web = (
        next(one for one in shown(dashboard, filter=chosen).tiles if one.id == tile.pk).cells for chosen in ("", "web")
    )

    assert whole[2] == ("March 2024", ["not shown", "not shown"])
    assert web[2] == ("March 2024", ["not shown"])
    assert [place for place, cells in web if cells == ["not shown"]] == [
        place for place, cells in whole if "not shown" in cells
    ]


def test_no_mean_reveals_a_hidden_value(dashboard, visits):
    query = save(visits, {**BY_CHANNEL, "moving": 2}, name="Moving")
    with_mean, hiding = add(dashboard, saved_query=query), add(dashboard, saved_query=query, hide_below=5)

    names = {one.id: len(one.grid.columns) for one in shown(dashboard).tiles if one.grid}

    assert (names[with_mean.pk], names[hiding.pk]) == (4, 2)


def test_a_number_compared_with_a_hidden_one_has_no_change(dashboard, visits):
    question = {
        "measure": {"field": "count", "where": 'channel = "phone"'},
        "range": {"kind": "between", "start_at": "2024-02-01T00:00:00Z", "end_at": "2024-03-01T00:00:00Z"},
        "compare": "previous_period",
    }
    tile = add(dashboard, saved_query=save(visits, question, name="Phone", chart="number"), hide_below=30)

    number = next(one for one in shown(dashboard).tiles if one.id == tile.pk).number

    assert number == ShownNumber(value="fewer than 30")


def test_the_range_and_the_filter_of_the_address_change_all_tiles(dashboard):
    dashboard.filter_field, dashboard.filter_values = "channel", ["web", "phone"]

    found = shown(dashboard, range="last-12-months", filter="web")

    assert len(found.tiles[2].cells) == 12
    assert found.tiles[2].cells[-1] == ("March 2024", ["90"])


@pytest.mark.parametrize("parameters", [{"range": "last-5-years"}, {"filter": "web"}, {"lang": "fr"}])
def test_a_choice_outside_the_closed_lists_is_refused(dashboard, parameters):
    with pytest.raises(UnknownChoice):
        ReaderChoice.of(dashboard, parameters)


def test_a_query_that_fails_leaves_the_other_tiles_alone(dashboard):
    query = dashboard.tiles.get(place=1).saved_query
    query.question = {**query.question, "measure": {**query.question["measure"], "data_set": "no/such"}}
    query.revision += 1
    query.save()

    found = shown(dashboard)

    assert found.has_error
    assert [tile.kind for tile in found.tiles] == ["number", "error", "table", "text"]
    assert found.tiles[1].error


def test_a_stored_question_that_is_broken_is_a_problem_of_its_tile(dashboard):
    query = dashboard.tiles.get(place=1).saved_query
    query.question = {"period": "fortnight"}
    query.save()

    assert shown(dashboard).tiles[1].error.startswith("This saved query is not valid any more. period must be one of")


def test_welsh_pages_name_months_in_welsh_and_mark_english_texts(dashboard):
    dashboard.title_cy = "Ymweliadau"

    found = shown(dashboard, lang="cy")

    assert (found.title, found.title_language) == ("Ymweliadau", "")
    assert (found.tiles[0].title, found.tiles[0].title_language) == ("Digital take-up", "en")
    assert found.tiles[2].cells[0] == ("Ionawr 2024", ["100"])


def test_the_page_has_the_time_of_its_newest_data_and_whether_it_is_late(dashboard, visits):
    assert shown(dashboard).updated == "10 April 2024 at 1:30pm"  # local time

    type(visits).objects.update(late_since=visits.last_write_at)

    assert shown(dashboard).is_late


def test_a_large_table_is_cut(dashboard, visits):
    question = {**BY_MONTH, "period": "day", "range": {"kind": "last", "number": 500}}
    add(dashboard, saved_query=save(visits, question, name="Days", chart="table"))

    found = shown(dashboard).tiles[-1]

    assert found.is_cut
    assert len(found.cells) == 400


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("# Costs\n\n### Staff", "<h3>Costs</h3>\n<h4>Staff</h4>\n"),
        ("## Costs", "<h3>Costs</h3>\n"),
        ("**Bold** and *not*", "<p><strong>Bold</strong> and <em>not</em></p>\n"),
        ("* one\n* two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("![x](https://example.org/x.png)", '<p>!<a href="https://example.org/x.png" rel="noreferrer">x</a></p>\n'),
    ],
)
def test_text_is_the_markdown_of_emails_without_html_and_images(given, expected):
    assert text.html(given) == expected
