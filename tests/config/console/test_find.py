"""The search opens the page of a row by its id and by the values that developers quote, and suggests pages by name."""

import re
import uuid

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.accounts.saved_search import SavedSearch
from notifications.models import Role
from tests import factories
from tests.config.console.test_every_page import rows_of_every_model
from tests.datasets import making
from tests.people import browser_of, colleague, join, make_person

PAGE, SUGGEST = "/admin/find/", "/admin/find/suggest/"
REQUEST_ID = "0b2f6c1e-8d1a-4d57-9a53-6c1f0b7f2c11"


def result(browser, term):
    """Return the URL that the term opens, or the URLs of the pages that are listed for it."""
    answer = browser.post(PAGE, {"term": term})
    return answer["Location"] if answer.status_code == 302 else [match.url for match in answer.context["matches"]]


def page_of(row):
    return admin.site.get_model_admin(type(row)).url_of("change", row)


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, name="Tide table")


@pytest.fixture
def browser(service):
    return colleague(service, Role.SEE_ACTIVITY)


def test_the_id_of_a_row_of_any_model_opens_its_page(console):
    rows = [row for row in rows_of_every_model().values() if isinstance(row.pk, uuid.UUID)]
    assert len(rows) > 10

    for row in rows:
        assert page_of(row) in result(console, f" {str(row.pk).upper()} "), row._meta.label


def test_people_find_nothing_that_they_may_not_open(db):
    stranger = colleague(factories.make_service(name="Fares"), Role.SEE_ACTIVITY)

    for row in rows_of_every_model().values():
        if isinstance(row.pk, uuid.UUID):
            assert result(stranger, str(row.pk)) == [], row._meta.label


def test_a_reference_opens_its_message_or_lists_the_newest_with_it(browser, template):
    rows = [factories.make_notification(template, reference="case-7") for _ in range(12)]
    only = factories.make_notification(template, reference="case-8")
    factories.make_notification(factories.make_template(factories.make_service()), reference="case-8")

    assert result(browser, "case-8") == page_of(only)
    assert len(result(browser, "case-7")) == 10
    assert page_of(rows[-1]) in result(browser, "case-7")
    assert result(browser, "case-9") == []


def test_a_request_id_opens_what_the_request_made(console, service, template):
    message = factories.make_notification(template, request_id=REQUEST_ID)
    assert result(console, REQUEST_ID) == page_of(message)


@pytest.mark.parametrize("form", ["{name}", "{name}-{service}", "{name}-{service}-{secret}"])
def test_the_text_of_an_api_key_opens_the_key(browser, service, form):
    key = factories.make_api_key(service, name="pay-live")
    factories.make_api_key(service, name="pay")

    term = form.format(name=key.name, service=service.pk, secret=key.secret)
    assert result(browser, term) == page_of(key)


def test_a_wrong_secret_finds_no_api_key_and_is_not_shown_again(browser, service):
    key = factories.make_api_key(service, name="pay-live")
    wrong = f"pay-live-{service.pk}-{str(uuid.uuid4())[:-4]}{'0000' if key.last4 != '0000' else '1111'}"

    answer = browser.post(PAGE, {"term": wrong})

    assert answer.context["matches"] == []
    assert wrong not in answer.content.decode()
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"


@pytest.mark.parametrize(
    "term", ["pay/volumes", "/pay/volumes/", "pay_volumes", "https://signalbox.example.org/data/pay/volumes?limit=5"]
)
def test_a_path_opens_its_data_set(console, db, term):
    data_set = making.make_data_set("pay", "volumes")
    making.make_data_set("pay", "fares")

    assert result(console, term) == page_of(data_set)


@pytest.mark.parametrize("length", [8, None])
def test_a_token_or_its_first_characters_open_the_token(console, db, length):
    data_set = making.make_data_set("pay", "volumes")
    secret = making.make_token(data_set)
    making.make_token(data_set)

    assert result(console, secret[:length]) == page_of(data_set.tokens.earliest("pk"))


def test_a_short_term_that_found_nothing_is_shown_again(browser):
    page = browser.post(PAGE, {"term": "<case>"}).content.decode()

    assert "Nothing found." in page
    assert 'value="&lt;case&gt;"' in page


@pytest.mark.parametrize("term", ["", "   ", "x" * 1001, "a\0b"])
def test_what_cannot_be_a_term_is_an_error_at_the_field(browser, term):
    answer = browser.post(PAGE, {"term": term})

    assert answer.status_code == 200
    assert answer.context["form"].errors["term"]


def test_a_person_without_any_role_finds_nothing(db):
    row = factories.make_service()
    assert result(browser_of(make_person()), str(row.pk)) == []


def suggested(browser, term):
    """Return kind and title of each option that the search box offers for a text."""
    return [(match.kind, match.title) for match in browser.post(SUGGEST, {"term": term}).context["matches"]]


def test_every_page_has_the_search_box(console):
    page = console.get("/admin/").content.decode()

    assert f'role="search" method="post" action="{PAGE}" data-suggest="{SUGGEST}"' in page


@pytest.mark.parametrize(
    ("term", "option"),
    [
        ("repor", ("Page", "Reports")),
        ("stop sending", ("Page in Settings", "Stopped recipients")),
        ("dashb", ("Page", "Dashboard")),
        ("dashb", ("Page in Data", "Dashboards")),
        ("tide", ("Template", "Tide table")),
        ("HIGH water", ("Template", "Tide table")),
        ("tides", ("Service", "Tides")),
        ("kay", ("Team member", "kay@example.org")),
        ("pay/vol", ("Data set", "pay/volumes")),
        ("ana@example.org", ("Messages", "Messages to ana@example.org")),
        ("+44 7700 900123", ("Messages", "Messages to +44 7700 900123")),
    ],
)
def test_the_search_box_suggests_pages_by_name(console, service, term, option):
    factories.make_template(service, name="Tide table", content="Next high water: ((hour))")
    join(make_person("kay"), service, Role.SEE_ACTIVITY)
    making.make_data_set("pay", "volumes")

    assert option in suggested(console, term)


def test_the_search_box_suggests_only_what_the_person_may_open(db):
    foreign = factories.make_service(name="Fares")
    factories.make_template(foreign, name="Fare table", content="fares rise")
    join(make_person("kay"), foreign, Role.SEE_ACTIVITY)
    making.make_data_set("fares", "volumes")
    own = factories.make_service(name="Tides")
    stranger = colleague(own, Role.SEE_ACTIVITY)
    join(make_person("kate"), own, Role.SEE_ACTIVITY)

    assert [suggested(stranger, term) for term in ("fare", "kay", "kat", "health", "ana@example.org")] == [[]] * 5
    assert suggested(browser_of(make_person()), "dashboard") == []


def test_a_text_of_a_replaced_version_and_an_archived_template_are_not_suggested(console, service):
    template = factories.make_template(service, name="Tide table", content="spring tide")
    template.versions.create(number=2, name="Tide table", content="neap tide")
    template.current_version = 2
    template.save()
    assert suggested(console, "neap") == [("Template", "Tide table")]
    assert suggested(console, "spring") == []

    template.archived_at = timezone.now()
    template.save()
    assert suggested(console, "neap") == []


def test_a_service_is_chosen_by_post_and_a_recipient_is_searched_by_post(console, service, template):
    factories.make_notification(template, recipient="ana@example.org", normalised_recipient="ana@example.org")
    switch, messages = (
        next(match for match in console.post(SUGGEST, {"term": term}).context["matches"] if match.is_posted)
        for term in ("Tides", "ana@example.org")
    )

    assert console.get(switch.url).status_code == 405
    console.post(switch.url, {"term": "Tides"})
    result = console.post(messages.url, {"term": "ana@example.org"})

    assert console.get("/admin/").context["switcher"]["chosen"].name == "Tides"
    assert "ana" not in result["Location"]
    assert len(console.get(result["Location"]).context["cl"].result_list) == 1
    assert SavedSearch.objects.count() == 1  # suggesting stores nothing


def test_the_search_without_scripts_lists_the_suggestions(console, service):
    page = console.post(PAGE, {"term": "ana@example.org"}).content.decode()

    assert '<input type="hidden" name="term" value="ana@example.org">' in page
    assert result(console, "protected names") == "/admin/notifications/protectedname/"


@pytest.mark.parametrize("term", ["case-7", REQUEST_ID, "ana@example.org", "07700 900123", "tide"])
def test_no_suggestion_reads_the_table_of_messages(console, template, term):
    """Each statement about messages has an index. SQLite names the way; PostgreSQL reads small tables as a whole."""
    if connection.vendor != "sqlite":
        return
    factories.repeat_notification(factories.make_notification(template, reference="case-7"), 300)
    with CaptureQueriesContext(connection) as queries:
        suggested(console, term)
    about_messages = [one["sql"] for one in queries if 'FROM "notifications_notification"' in one["sql"]]

    for sql in about_messages:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            ways = [row[-1] for row in cursor.fetchall() if "notifications_notification" in row[-1]]
        assert all(re.search("INDEX (notification_(reference|request_id)|sqlite_autoindex)", way) for way in ways), ways
    assert about_messages
