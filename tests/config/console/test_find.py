"""Find by ID opens the page of a row by its id, and by the values that developers quote."""

import uuid

import pytest
from django.contrib import admin
from django.urls import reverse

from notifications.models import Role
from tests import factories
from tests.config.console.test_every_page import rows_of_every_model
from tests.datasets import making
from tests.people import browser_of, colleague, make_person

PAGE = "/admin/find/"
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


def test_the_menu_leads_to_the_page(console):
    assert f'href="{reverse("admin:find")}"' in console.get("/admin/").content.decode()
