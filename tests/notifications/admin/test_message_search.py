"""Search by POST: the results, and the term, which is only stored encrypted under a random id."""

import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.accounts.saved_search import SavedSearch
from notifications.admin.messages import search
from notifications.models import ApiCallError, Channel, KeyType, Role
from tests import factories
from tests.cleaning import clean_up
from tests.people import browser_of, colleague, join, make_person

LOG = "/admin/notifications/notification/"

pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, name="Tide table")


@pytest.fixture
def text(service):
    return factories.make_template(service, Channel.SMS, name="Gate code")


@pytest.fixture
def browser(service):
    return colleague(service, Role.SEE_RECIPIENTS)


def look_for(browser, term, **more):
    return browser.post(f"{LOG}search/", {"term": term, "filters": "", **more})


def result(browser, term, **more):
    return browser.get(look_for(browser, term, **more)["Location"])


def found(browser, term, **more):
    return {row.pk for row in result(browser, term, **more).context["cl"].result_list}


@pytest.mark.parametrize(
    "term",
    ["07700 900123", "+44 7700 900 123", "447700900123", "(07700) 900-123", "to:07700 900123", "TO: 07700900123"],
)
def test_a_whole_phone_number_is_found_in_any_spelling(browser, text, term):
    wanted = factories.make_notification(text, recipient="+447700900123")
    factories.make_notification(text, recipient="07700 900124")

    assert found(browser, term) == {wanted.pk}


@pytest.mark.parametrize("term", ["ana@example.org", " ANA@Example.ORG ", "to:Ana@example.org"])
def test_a_whole_email_address_is_found_in_any_spelling(browser, template, term):
    wanted = factories.make_notification(template, recipient="Ana@Example.org")
    factories.make_notification(template, recipient="bo@example.org")

    assert found(browser, term) == {wanted.pk}


def test_a_reference_and_an_id_are_found(browser, template):
    named = factories.make_notification(template, reference="case 7: to be done")
    other = factories.make_notification(template, reference="case-8")

    assert found(browser, "case-8") == found(browser, "ref:case-8") == found(browser, str(other.pk)) == {other.pk}
    assert found(browser, str(named.pk).upper()) == {named.pk}
    assert found(browser, "case-9") == set()


def test_words_narrow_a_search(browser, service, template, text):
    key = factories.make_api_key(service, name="pay-live")
    by_key = factories.make_notification(template, "ana@example.org", api_key=key, reference="a")
    other = factories.make_notification(template, "ana@example.org", reference="b")
    third = factories.make_notification(factories.make_template(service, name="Bill"), "ana@example.org", reference="c")

    assert found(browser, "ana@example.org") == {by_key.pk, other.pk, third.pk}
    assert found(browser, "to:ana@example.org template:tide TABLE") == {by_key.pk, other.pk}
    assert found(browser, f"ana@example.org template:{template.pk} key:pay-live") == {by_key.pk}
    assert found(browser, "to:ana@example.org ref:c") == {third.pk}
    assert found(browser, "key:pay-live") == {by_key.pk}
    assert found(browser, "template:no such template") == set()


def test_a_search_finds_test_messages_too(browser, template):
    test = factories.make_notification(template, "ana@example.org", key_type=KeyType.TEST)

    assert found(browser, "ana@example.org") == {test.pk}


def test_a_request_id_finds_its_message(browser, template):
    request_id = str(uuid.uuid4())
    message = factories.make_notification(template, request_id=request_id)
    factories.make_notification(template, request_id=str(uuid.uuid4()))
    factories.make_notification(factories.make_template(), request_id=request_id)

    assert found(browser, request_id) == found(browser, f" {request_id.upper()} ") == {message.pk}


def test_a_request_id_is_found_by_its_index(browser, template):
    with CaptureQueriesContext(connection) as queries:
        found(browser, str(uuid.uuid4()))
    [statement] = [
        one["sql"] for one in queries if "notifications_notification" in one["sql"] and "request_id" in one["sql"]
    ]

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"{'EXPLAIN' if connection.vendor == 'postgresql' else 'EXPLAIN QUERY PLAN'} {statement}")
        assert "notification_request_id" in str(cursor.fetchall())


def test_the_request_id_of_a_refused_call_leads_to_its_key(browser, service):
    key = factories.make_api_key(service, name="pay-live")
    other = factories.make_api_key()
    ids = [str(uuid.uuid4()), str(uuid.uuid4())]
    for one, request_id in zip((key, other), ids, strict=True):
        ApiCallError.objects.create(
            key=one, at=timezone.now(), status=400, kind="BadRequestError", request_id=request_id
        )

    mine, theirs = (result(browser, request_id).content.decode() for request_id in ids)

    assert search.REFUSED in mine
    assert f'<a href="/admin/notifications/apikey/{key.pk}/change/">pay-live</a>' in mine
    assert search.REFUSED not in theirs


def test_part_of_a_recipient_is_found_within_the_chosen_days(browser, template, text):
    today = timezone.localdate()
    address = factories.make_notification(template, "ana.quay@example.org")
    number = factories.make_notification(text, "07700 900123")
    factories.make_notification(template, "ana.quay@example.org", created_at=timezone.now() - timedelta(days=4))
    days = {"first": today.isoformat(), "last": today.isoformat()}

    assert found(browser, "QUAY@exam", **days) == {address.pk}
    assert search.OF_LAST_DAYS not in result(browser, "QUAY@exam", **days).content.decode()
    assert found(browser, "07700 900", **days) == found(browser, "0012", **days) == {number.pk}
    assert search.TOO_SHORT in result(browser, "qua", **days).content.decode()


def test_a_whole_phone_number_is_not_searched_for_as_a_part(browser, text):
    factories.make_notification(text, "07700 900123")

    with CaptureQueriesContext(connection) as queries:
        page = result(browser, "07700 900124").content.decode()

    assert search.OF_LAST_DAYS not in page
    assert not any("LIKE" in query["sql"] for query in queries)


@pytest.mark.parametrize("made", ["", "yesterday", "..", "2026-13-01..x"])
def test_without_days_part_of_a_recipient_is_found_in_the_last_seven(browser, service, template, made):
    service.retention_days = 30
    service.save()
    at = timezone.now() - timedelta(days=6)
    lately = factories.make_notification(template, "ana.quay@example.org", created_at=at)
    factories.make_notification(template, "ana.quay@example.org", created_at=at - timedelta(days=1))

    assert found(browser, "quay@", filters=f"made={made}") == {lately.pk}
    assert search.OF_LAST_DAYS in result(browser, "quay@", filters=f"made={made}").content.decode()


def test_wildcards_are_ordinary_characters(browser, template):
    factories.make_notification(template, "ana@example.org")
    today = timezone.localdate().isoformat()

    assert found(browser, "%%%%", first=today) == found(browser, "____", first=today) == set()


def test_without_the_role_only_reference_and_id_are_searched(service, template):
    browser = colleague(service, Role.SEE_ACTIVITY)
    message = factories.make_notification(template, "ana@example.org", reference="case-7")
    today = timezone.localdate().isoformat()

    assert found(browser, "case-7") == found(browser, str(message.pk)) == {message.pk}
    for term in ("ana@example.org", "to:ana@example.org", "ana@"):
        page = result(browser, term, first=today)
        assert search.NO_RECIPIENTS in page.content.decode()
        assert not page.context["cl"].result_list


def test_filters_and_days_are_kept(browser, template):
    sent = look_for(
        browser, "case-7", filters="status=failed&older=1.a&search=old&made=week", first="2026-11-01", last="2026-11-20"
    )

    query = sent["Location"].partition("?")[2].split("&")
    assert query[:2] == ["status=failed", "made=2026-11-01..2026-11-20"]
    assert query[2].startswith("search=")
    assert len(query) == 3


def test_an_empty_search_shows_the_list_again(browser, template):
    assert look_for(browser, "  ", filters="status=failed&search=old")["Location"] == f"{LOG}?status=failed"
    assert not SavedSearch.objects.exists()


@pytest.mark.fault("T1")
def test_the_search_term_is_shown_in_the_box_only(browser, template):
    answer = look_for(browser, "ana@example.org")
    saved = SavedSearch.objects.get()

    assert answer.status_code == 302
    assert answer["Location"] == f"{LOG}?search={saved.pk}"
    assert b"ana@" not in bytes(saved.encrypted_term)
    assert 'name="term" value="ana@example.org"' in browser.get(answer["Location"]).content.decode()


def test_a_search_belongs_to_one_person_and_one_service(service, browser, template):
    factories.make_notification(template, "ana@example.org")
    address = look_for(browser, "ana@example.org")["Location"]
    person = make_person()
    join(person, service, Role.SEE_RECIPIENTS)
    other = factories.make_service(name="Aaa first")
    join(person, other, Role.SEE_RECIPIENTS)
    theirs = browser_of(person)

    for_them = theirs.get(address)
    theirs.post("/admin/switch-service/", {"service": str(service.pk), "next": LOG})
    mine_there = look_for(theirs, "ana@example.org")["Location"]
    theirs.post("/admin/switch-service/", {"service": str(other.pk), "next": LOG})
    elsewhere = theirs.get(mine_there)

    for page in (for_them, elsewhere):
        assert search.EXPIRED in page.content.decode()
        assert 'name="term" value=""' in page.content.decode()
        assert not page.context["cl"].result_list


@pytest.mark.parametrize("identifier", ["no-id", "6f1f1f1c-0000-4000-8000-000000000000", ""])
def test_an_invalid_search_id_has_expired(browser, template, identifier):
    factories.make_notification(template)

    page = browser.get(f"{LOG}?search={identifier}")

    assert search.EXPIRED in page.content.decode()
    assert not page.context["cl"].result_list


def test_a_search_is_removed_after_seven_days(browser, template):
    address = look_for(browser, "ana@example.org")["Location"]
    SavedSearch.objects.update(created_at=timezone.now() - timedelta(days=7, minutes=1))

    assert search.EXPIRED in browser.get(address).content.decode()
    clean_up("searches")
    assert not SavedSearch.objects.exists()


def test_a_search_encrypted_with_a_lost_key_has_expired(browser, template):
    address = look_for(browser, "ana@example.org")["Location"]
    SavedSearch.objects.update(encrypted_term=b"gAAAA")

    assert search.EXPIRED in browser.get(address).content.decode()


@pytest.mark.fault("T1")
def test_a_search_is_not_a_get(browser):
    assert browser.get(f"{LOG}search/").status_code == 405


def test_the_log_of_one_recipient_is_opened_by_post(service, browser, template):
    message = factories.make_notification(template, "ana@example.org")
    same = factories.make_notification(template, "ANA@example.org")
    factories.make_notification(template, "bo@example.org")
    step = f"{LOG}{message.pk}/recipient/"

    answer = browser.post(step)

    assert "ana" not in answer["Location"]
    assert {row.pk for row in browser.get(answer["Location"]).context["cl"].result_list} == {message.pk, same.pk}
    assert browser.get(step)["Location"] == f"{LOG}{message.pk}/change/"
    assert colleague(service, Role.SEE_ACTIVITY).post(step).status_code == 403
