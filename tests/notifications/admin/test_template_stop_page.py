"""The page that stops a change that breaks calls: it names the keys, the values and the number of calls that fail."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import DatabaseError, connection
from django.urls import reverse

from config.audit.models import AuditEvent
from config.metrics import registry
from notifications.models import FailingCalls, KeyType, Role, TemplateUse
from notifications.submission import ttl_cache
from notifications.submission.templates import use_counts
from tests import factories
from tests.cleaning import clean_up
from tests.notifications.calling import ADDRESS, Caller, make_caller
from tests.people import colleague

NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}
NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def at_noon(db):
    use_counts.store_pending()
    TemplateUse.objects.all().delete()
    with time_machine.travel(NOON, tick=False):
        yield


@pytest.fixture
def caller():
    caller = make_caller(name="Tides")
    caller.key.name = "pay-live"
    caller.key.save()
    return caller


@pytest.fixture
def template(caller):
    return factories.make_template(caller.service, content="Dear ((name))", subject="Hello", name="Welcome")


def page_of(template, page="publish"):
    return reverse(f"admin:notifications_template_{page}", args=[template.pk])


def save(client, template, content="Dear ((name)), bring ((Item))", **fields):
    values = {"name": "Welcome", "subject": "Hello", "content": content, "note": "", "based_on": 1}
    answer = client.post(page_of(template, "change"), {**values, **NO_VERSIONS, "_save": "", **fields}, follow=True)
    return html.unescape(answer.content.decode())


def publish(client, template, keys="all", version=2):
    ttl_cache.clear()
    posted = {"version": version, "published": 1, "keys": keys}
    answer = client.post(page_of(template), posted, follow=True)
    ttl_cache.clear()
    return html.unescape(answer.content.decode())


def send(caller, template, *personalisations, days_ago=0):
    """Send emails with these values on an earlier day, and return their statuses."""
    ttl_cache.clear()
    with time_machine.travel(NOON - timedelta(days=days_ago), tick=False):
        answers = [caller.send_email(template, personalisation=values).status_code for values in personalisations]
    use_counts.store_pending()
    return answers


def rows(page):
    """Return the cells of the table of keys, without their labels."""
    found = re.findall(r"<tr>(.*?)</tr>", page.split("<tbody>")[1].split("</tbody>")[0], re.DOTALL)
    return [
        [
            " ".join(re.sub("<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in found
    ]


def version_of(template):
    template.refresh_from_db()
    return template.current_version


OLD, NEW, NULL = {"name": "a"}, {"name": "a", "item": "b"}, {"name": "a", "ITEM": None}


def test_the_number_it_names_is_the_number_that_fails(console, caller, template):
    """Yesterday's calls are made again after the change: exactly the predicted number fails."""
    team = make_caller(caller.service, KeyType.TEAM)
    factories.make_guest(caller.service, ADDRESS)
    tester = make_caller(caller.service, KeyType.TEST)
    yesterday = [(caller, [OLD, OLD, NEW, NULL, {"NA-ME": "a", "i_tem": ""}]), (team, [OLD]), (tester, [NEW, NEW])]
    for one, values in yesterday:
        assert set(send(one, template, *values, days_ago=1)) == {201}
    send(caller, template, OLD, OLD, days_ago=2)
    send(caller, template, OLD)

    page = save(console, template)
    [failing, all_calls] = re.search(r"(\d+) of yesterday’s (\d+) calls would have failed\.", page).groups()
    assert version_of(template) == 1
    publish(console, template)

    assert version_of(template) == 2
    statuses = [status for one, values in yesterday for status in send(one, template, *values)]
    assert (statuses.count(400), len(statuses)) == (int(failing), int(all_calls)) == (4, 8)


def test_a_bulk_send_is_counted_as_the_call_that_fails(console, caller, template):
    def bulk(*names):
        ttl_cache.clear()
        cells = [{"email address": ADDRESS}.get(name, "a") for name in names]
        body = {"name": "Tides", "template_id": str(template.pk), "rows": [list(names), cells]}
        return caller.post("/v2/notifications/bulk", body).status_code

    tables = [("email address", "name"), ("email address", "name", "item"), ("email address", "name", "further")]
    with time_machine.travel(NOON - timedelta(days=1), tick=False):
        assert [bulk(*names) for names in tables] == [201, 201, 201]
    use_counts.store_pending()

    page = save(console, template)
    publish(console, template)

    assert "2 of yesterday’s 3 calls would have failed." in page
    assert [bulk(*names) for names in tables] == [400, 201, 400]


def test_it_names_each_key_with_what_it_sends_and_misses(console, caller, template):
    other = Caller(factories.make_api_key(caller.service, KeyType.TEST, name="ready-test"))
    send(caller, template, OLD, days_ago=29)
    send(caller, template, {"name": "a", "day": "b"}, {"name": "a", "day": "b"}, days_ago=1)
    send(other, template, {**NEW, "day": "c"}, days_ago=3)

    page = save(console, template, "Dear ((name)), bring ((Item)) on ((day))")

    assert "Publishing version 2 breaks calls" in page
    assert "Missing personalisation: Item, day" in page
    assert rows(page) == [
        ["pay-live", "Live", "Item day last on 19 May", "–", "3", "2 of 2"],
        ["ready-test", "Test", "–", "Item day", "1", "0 of 0"],
    ]


def test_the_text_is_kept_as_a_draft_and_nothing_is_published(console, caller, template):
    send(caller, template, OLD)

    page = save(console, template, note="for boats")

    assert "Version 2 is saved as the draft. Messages use version 1." in page
    assert "No call used this template yesterday." in page
    assert version_of(template) == 1
    draft = template.versions.get(number=2)
    assert (draft.state, draft.content, draft.note) == ("draft", "Dear ((name)), bring ((Item))", "for boats")
    assert f'href="{page_of(template, "change")}">Back</a>' in page
    assert list(AuditEvent.objects.values_list("verb", flat=True)) == ["saved_draft"]
    assert send(caller, template, OLD) == [201]


def test_publishing_anyway_is_audited_with_the_values_that_calls_miss(console, caller, template):
    send(caller, template, OLD)
    save(console, template)

    page = publish(console, template)

    assert "Saved as version 2. Messages sent from now on use it." in page
    event = AuditEvent.objects.get(verb="published")
    assert event.after == {"version": 2, "content": "Dear ((name)), bring ((Item))", "breaks_calls_without": ["Item"]}


def test_for_test_keys_only_other_keys_stay_with_the_published_version(console, caller, template):
    tester = make_caller(caller.service, KeyType.TEST)
    send(caller, template, OLD)
    save(console, template)

    page = publish(console, template, "test")

    assert "Test keys use version 2 from now on. Other keys use version 1." in page
    assert send(caller, template, OLD) == [201]
    assert send(tester, template, OLD, NEW) == [400, 201]


@pytest.mark.parametrize(
    ("content", "subject"),
    [("Dear all", "Hello"), ("Dear ((NA me))", "Hello"), ("Dear ((na_me??friend))", "Hello ((name))")],
)
def test_a_change_without_a_new_placeholder_is_published_at_once(console, caller, template, content, subject):
    send(caller, template, OLD)

    save(console, template, content, subject=subject)

    assert version_of(template) == 2


@pytest.mark.parametrize(
    ("content", "subject", "name"),
    [
        ("Dear ((name)), bring ((item)) and ((item))", "Hello", "item"),
        ("Dear ((name))", "Hello ((Item))", "Item"),
        ("Dear ((name))((late??, you are late))", "Hello", "late"),
    ],
)
def test_every_kind_of_new_placeholder_stops_the_change(console, caller, template, content, subject, name):
    send(caller, template, OLD)

    page = save(console, template, content, subject=subject)

    assert f'<code class="sb-chip sb-chip-mono">(({name}))</code>' in page
    assert f"<q>Missing personalisation: {name}</q>" in page
    assert version_of(template) == 1


def test_a_placeholder_that_all_calls_send_already_is_published_at_once(console, caller, template):
    send(caller, template, NEW, {**NEW, "day": "c"}, days_ago=1)

    save(console, template)

    assert version_of(template) == 2


def test_a_template_without_calls_is_published_at_once(console, caller, template):
    send(caller, template, OLD, days_ago=31)

    save(console, template)

    assert version_of(template) == 2


@pytest.mark.parametrize("ends", ["revoked_at", "expires_at"])
def test_keys_that_can_make_no_calls_are_left_out(console, caller, template, ends):
    send(caller, template, OLD, days_ago=1)
    setattr(caller.key, ends, NOON - timedelta(hours=1))
    caller.key.save()

    save(console, template)

    assert version_of(template) == 2


def test_keys_whose_calls_are_older_than_the_record_are_named(console, caller, template):
    """An earlier release stored the messages, so the names of the values are not known."""
    factories.make_notification(template, api_key=caller.key)
    tester = factories.make_api_key(caller.service, KeyType.TEST)
    factories.make_notification(template, api_key=tester, key_type=KeyType.TEST)

    page = save(console, template)

    assert rows(page) == [["pay-live", "Live", "Item not recorded yet", "–", "–", "–"]]
    assert version_of(template) == 1


def test_messages_older_than_a_month_name_no_key(console, caller, template):
    factories.make_notification(template, api_key=caller.key, created_at=NOON - timedelta(days=31))

    save(console, template)

    assert version_of(template) == 2


def test_the_draft_has_the_same_page_before_it_is_published(console, caller, template):
    send(caller, template, OLD, OLD, days_ago=1)
    factories.make_draft(template)

    page = html.unescape(console.get(page_of(template)).content.decode())

    assert "2 of yesterday’s 2 calls would have failed." in page
    assert "Publish anyway" in page
    assert "Publish for test keys only" in page


def test_saving_a_draft_is_not_stopped(console, caller, template):
    send(caller, template, OLD, days_ago=1)
    values = {"name": "Welcome", "subject": "Hello", "content": "((new))", "note": "", "based_on": 1, **NO_VERSIONS}

    page = console.post(page_of(template, "change"), {**values, "_save_draft": ""}, follow=True).content.decode()

    assert "Saved as a draft, version 2. Messages use version 1." in page


def test_values_are_on_neither_page_nor_in_the_record(console, caller, template):
    send(caller, template, {"name": "secret-word"}, days_ago=1)

    assert "secret-word" not in save(console, template)
    assert "secret-word" not in str(list(TemplateUse.objects.values()))


def test_another_person_sees_the_page_only_with_the_role(caller, template):
    factories.make_draft(template)

    assert colleague(caller.service).get(page_of(template)).status_code == 403
    assert colleague(factories.make_service()).get(page_of(template)).status_code in (403, 404)


# Calls that fail after *Publish anyway*, on the overview


def needs(client):
    registry.flush()
    return html.unescape(client.get("/admin/needs/").content.decode()).replace("\xa0", " ")


def broken(console, caller, template):
    """Publish a change that breaks the calls of the key."""
    send(caller, template, OLD)
    save(console, template)
    publish(console, template)


def test_calls_that_fail_after_publishing_anyway_are_a_line_with_their_number(console, caller, template):
    broken(console, caller, template)
    bulk = {"name": "Tides", "template_id": str(template.pk), "rows": [["email address", "name"], [ADDRESS, "a"]]}
    assert "failed since the change" not in needs(console)

    statuses = send(caller, template, OLD, NULL, NEW, {"item": "b"})
    assert caller.post("/v2/notifications/bulk", bulk).status_code == 400
    one = {"email_address": ADDRESS, "template_id": str(template.pk), "personalisation": OLD}
    caller.post("/v2/notifications/email?dry_run=true", one)  # is no send

    assert statuses == [400, 400, 201, 400]  # the last one lacks a placeholder that is not new
    page = needs(console)
    assert "3 calls with the key pay-live failed since the change of template Welcome." in page
    assert f'href="/admin/notifications/template/{template.pk}/change/#versions"' in page


def test_the_line_goes_a_day_after_the_last_failed_call(console, caller, template):
    broken(console, caller, template)
    send(caller, template, OLD)
    assert "1 call with the key pay-live failed" in needs(console)

    with time_machine.travel(NOON + timedelta(hours=24, minutes=1), tick=False):
        assert "failed since the change" not in needs(console)


def test_a_later_change_keeps_the_line_while_the_placeholder_is_needed(console, caller, template):
    broken(console, caller, template)
    send(caller, template, OLD)

    save(console, template, "Dear ((name)), please bring ((item))", based_on=2)
    assert version_of(template) == 3
    send(caller, template, OLD)
    assert "2 calls with the key pay-live failed" in needs(console)

    save(console, template, "Dear ((name))", based_on=3)
    assert version_of(template) == 4
    assert "failed since the change" not in needs(console)
    assert not FailingCalls.objects.exists()


def test_a_call_that_never_sent_enough_is_no_line(console, caller, template):
    assert send(caller, template, {}, {"item": "b"}) == [400, 400]

    assert "failed since the change" not in needs(console)
    assert not FailingCalls.objects.exists()


def test_the_line_is_for_people_who_edit_the_templates_of_the_service(console, caller, template):
    broken(console, caller, template)
    send(caller, template, OLD)
    needs(console)

    assert "failed since the change" in needs(colleague(caller.service, Role.EDIT_TEMPLATES, name="editor"))
    assert "failed since the change" not in needs(colleague(caller.service, Role.SEE_ACTIVITY, name="reader"))
    assert "failed since the change" not in needs(colleague(factories.make_service(), *Role, name="other"))
    caller.key.revoked_at = NOON
    caller.key.save()
    assert "failed since the change" not in needs(console)


def test_counts_that_the_database_refuses_are_stored_later(console, caller, template):
    broken(console, caller, template)

    def refuse(execute, sql, *rest):
        if "failingcalls" in sql:
            raise DatabaseError
        return execute(sql, *rest)

    ttl_cache.clear()
    assert caller.send_email(template, personalisation=OLD).status_code == 400
    with connection.execute_wrapper(refuse):
        use_counts.store_pending()

    assert not FailingCalls.objects.exists()
    assert "1 call with the key pay-live failed" in needs(console)


def test_failing_calls_are_deleted_after_31_days(console, caller, template):
    broken(console, caller, template)
    send(caller, template, OLD)
    FailingCalls.objects.update(day=NOON.date() - timedelta(days=32))

    assert clean_up("template-uses").removed == 1
    assert not FailingCalls.objects.exists()
