"""The four figures: what they count, and the page that adds them."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from config.invalid import InvalidValue
from datasets.dashboards import page, publishing, ready_made
from datasets.dashboards.choices import ReaderChoice
from datasets.dashboards.ready_made import Described, Kind
from datasets.management import demo
from datasets.models import Dashboard, SavedQuery
from tests.datasets.dashboards.making import make_dashboard
from tests.datasets.dashboards.test_console import texts
from tests.datasets.making import make_data_set, put_in
from tests.people import browser_of, make_person

pytestmark = pytest.mark.django_db


def filled(type, *rows):
    """Return a data set with a record in March 2024 for each of the rows."""
    data_set = make_data_set(type=type)
    put_in(data_set, [{"_timestamp": f"2024-03-0{n}T00:00:00Z", "_id": str(n), **row} for n, row in enumerate(rows, 1)])
    data_set.refresh_from_db()
    return data_set


def value_of(described):
    dashboard = make_dashboard()
    ready_made.add(described, dashboard, by=None)
    with translation.override("en"):
        choice = ReaderChoice.of(dashboard, {})
        found = page.of(dashboard, choice, found=list(publishing.tiles_of(dashboard)), may_show=lambda query, one: True)
    assert found.tiles[2].drawing
    return found.tiles[1].number.value


def test_digital_take_up_is_the_share_of_the_digital_channels():
    visits = filled("visits", {"channel": "web", "n": 60}, {"channel": "app", "n": 15}, {"channel": "phone", "n": 25})
    described = Described(kind=Kind.TAKE_UP, data_set=visits, field="channel", values=["web", "app"], count_field="n")

    assert value_of(described) == "75%"


def test_the_completion_rate_divides_completed_by_started_transactions():
    steps = filled("steps", *[{"step": "started"}] * 4, *[{"step": "completed"}] * 3, {"step": "looked"})
    described = Described(
        kind=Kind.COMPLETION, data_set=steps, field="step", values=["completed"], all_values=["started"]
    )

    assert value_of(described) == "75%"


def test_satisfaction_is_the_share_of_4_and_5_among_the_ratings():
    ratings = filled("ratings", {"rating": 5}, {"rating": "4"}, {"rating": 1}, {"rating": 3}, {"rating": None}, {})
    described = Described(kind=Kind.SATISFACTION, data_set=ratings, field="rating")

    assert value_of(described) == "50%"


def test_the_cost_and_the_transactions_may_be_in_two_data_sets():
    costs, visits = filled("costs", {"pounds": 125.5}, {"pounds": 124.5}), filled("visits", {"n": 60}, {"n": 40})
    described = Described(kind=Kind.COST, data_set=visits, count_field="n", cost_set=costs, cost_field="pounds")

    assert value_of(described) == "£2.50"


def test_a_second_figure_of_a_data_set_has_a_name_of_its_own():
    visits = filled("visits", {"channel": "web"})
    described = Described(kind=Kind.TAKE_UP, data_set=visits, field="channel", values=["web"])
    for slug in ("one", "two", "three"):
        ready_made.add(described, make_dashboard(slug=slug), by=None)

    names = SavedQuery.objects.filter(chart="number").order_by("pk").values_list("name", flat=True)
    assert list(names) == ["Digital take-up", "Digital take-up (2)", "Digital take-up (3)"]


def test_a_share_needs_a_value():
    with pytest.raises(InvalidValue, match="Enter at least one value"):
        ready_made.question(Described(kind=Kind.TAKE_UP, data_set=make_data_set(), field="channel"))


def test_a_person_adds_a_figure_by_answering_questions():
    visits, olu = filled("visits", {"channel": "web", "n": 60}, {"channel": "phone", "n": 40}), make_person("olu")
    visits.owners.add(olu)
    dashboard = make_dashboard()
    dashboard.owners.add(olu)
    browser, path = browser_of(olu), reverse("admin:datasets_dashboard_ready-made", args=[dashboard.pk])

    first = texts(browser.get(path))
    assert "Digital take-up: The share of transactions that people completed online." in first

    chosen = f"{path}?kind=take-up&data_set={visits.pk}&cost_set="
    second = texts(browser.get(chosen))
    assert "Which field has the channel?" in second
    assert "In the records, channel is phone or web; n is 40 or 60." in second
    assert "None: each record is one transaction" in second
    misspelt = {"field": "channel", "values": "web\r\nonline", "count_field": "n", "target": ""}
    refused = "No record of pay/visits has “online” in channel. Check the spelling, or choose another field."
    assert refused in texts(browser.post(chosen, misspelt))

    values = {"field": "channel", "values": "web\r\n", "count_field": "n", "target": "80"}
    done = browser.post(chosen, values, follow=True)

    assert "Digital take-up is added: a number and a chart. It is 60% now." in texts(done)
    assert list(dashboard.tiles.filter(saved_query__isnull=False).values_list("target", flat=True)) == [0.8, 0.8]
    assert "60%" in texts(browser.get(reverse("admin:datasets_dashboard_preview", args=[dashboard.pk])))


def test_values_are_checked_against_the_records():
    ratings = filled("ratings", {"rating": 5, "done": True}, {"rating": 9, "done": False})

    ready_made.check_values(ratings, "done", ["true", "false"])
    ready_made.check_values(ratings, "rating", ready_made.RATINGS, all_of_them=False)
    for field, values, all_of_them in [("rating", ["5", "4"], True), ("done", ready_made.RATINGS, False)]:
        with pytest.raises(InvalidValue, match="No record of pay/ratings has"):
            ready_made.check_values(ratings, field, values, all_of_them=all_of_them)


def test_the_page_offers_no_data_set_of_others_and_explains_an_empty_one():
    theirs, own, olu = make_data_set(type="secret"), make_data_set(type="empty"), make_person("olu")
    own.owners.add(olu)
    dashboard = make_dashboard()
    dashboard.owners.add(olu)
    browser, path = browser_of(olu), reverse("admin:datasets_dashboard_ready-made", args=[dashboard.pk])

    assert "secret" not in texts(browser.get(path))
    assert "Select a valid choice" in texts(browser.get(f"{path}?kind=cost&data_set={theirs.pk}"))
    assert "pay/empty has no records yet." in texts(browser.get(f"{path}?kind=cost&data_set={own.pk}"))


def test_the_fields_of_the_newest_data_sets_are_found_first(console):
    dashboard = make_dashboard()
    for number in range(12):
        filled(f"set-{number}", {"channel": "web"})

    page = console.get(reverse("admin:datasets_dashboard_ready-made", args=[dashboard.pk])).content.decode()

    assert "pay/set-11 (channel)" in page
    assert "pay/set-0 (channel)" not in page


def test_the_demo_data_have_a_published_dashboard_of_the_four_figures():
    demo.make({})
    demo.make({})

    page = Client().get("/dashboards/demo")

    assert page.status_code == 200
    for title in ("Digital take-up", "Completion rate", "User satisfaction", "Cost per transaction"):
        assert f">{title}</h2>" in page.content.decode()
    assert page.content.decode().count("on the year before") == 4

    demo.wipe()

    assert not Dashboard.objects.exists()
    assert not SavedQuery.objects.exists()
