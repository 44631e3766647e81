"""The names of values that calls send: recorded without values, in the background, for 31 days."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from config.jobs import rules
from config.metrics import registry
from notifications.models import KeyType, Template, TemplateUse, VersionState
from notifications.rendering.placeholders import keyed
from notifications.submission import templates
from notifications.submission.templates import use_counts
from tests.factories import make_draft, make_template
from tests.notifications.calling import ADDRESS, Caller, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_pending() -> None:
    use_counts.store_pending()
    TemplateUse.objects.all().delete()


@pytest.fixture
def caller() -> Caller:
    return make_caller()


@pytest.fixture
def template(caller: Caller) -> Template:
    return email_template(caller, "Dear ((First name))")


def recorded() -> list[tuple[list[str], int]]:
    registry.flush()
    return [(use.names_sent, use.calls) for use in TemplateUse.objects.order_by("-calls", "names_hash")]


def test_the_names_of_the_values_are_recorded_without_the_values(caller: Caller, template: Template) -> None:
    for values in [{"first_name": "secret-word"}, {"FIRST NAME": "b", "Item": ""}, {"item": "c", "firstname": 1}]:
        assert caller.send_email(template, personalisation=values).status_code == 201

    assert recorded() == [(["firstname", "item"], 2), (["firstname"], 1)]
    use = TemplateUse.objects.first()
    assert use is not None
    assert (use.template, use.key, use.day) == (template, caller.key, datetime.now(UTC).date())
    assert "secret-word" not in str(list(TemplateUse.objects.values()))


def test_a_value_of_null_is_not_sent(caller: Caller, template: Template) -> None:
    caller.send_email(template, personalisation={"first name": "a", "item": None})

    assert recorded() == [(["firstname"], 1)]


def test_later_calls_are_added_to_the_same_row(caller: Caller, template: Template) -> None:
    for _ in range(2):
        caller.send_email(template, personalisation={"first name": "a"})
        registry.flush()

    assert recorded() == [(["firstname"], 2)]


@pytest.mark.parametrize(
    "fields",
    [{"personalisation": {}}, {"personalisation": {"first name": "a"}, "email_address": "nobody"}],
    ids=["missing", "invalid"],
)
def test_refused_calls_are_not_recorded(caller: Caller, template: Template, fields: dict[str, Any]) -> None:
    assert caller.send_email(template, **fields).status_code == 400

    assert recorded() == []


def test_dry_runs_are_not_recorded(caller: Caller, template: Template) -> None:
    body = {"email_address": ADDRESS, "template_id": str(template.id), "personalisation": {"first name": "a"}}

    assert caller.post("/v2/notifications/email?dry_run=true", body).json()["accepted"]

    assert recorded() == []


def test_calls_that_choose_a_version_are_not_recorded(template: Template) -> None:
    tester = make_caller(template.service, KeyType.TEST)
    make_draft(template)

    for version in ("draft", 1):
        values = {"first name": "a", "name": "a", "item": "b"}
        assert tester.send_email(template, template_version=version, personalisation=values).status_code == 201

    assert recorded() == []


def test_a_bulk_send_is_one_call_with_the_names_of_all_its_columns(caller: Caller, template: Template) -> None:
    rows = [["email address", "first name", "item"], [ADDRESS, "Ana", "rope"], ["b@example.org", "Bo", "bait"]]
    body = {"name": "Tides", "template_id": str(template.pk), "rows": rows}

    assert caller.post("/v2/notifications/bulk", body).status_code == 201

    assert recorded() == [(["emailaddress", "firstname", "item"], 1)]


def test_recording_adds_no_query_to_a_request(caller: Caller) -> None:
    template = sms_template(caller, "Dear ((name))")
    caller.send_sms(template, personalisation={"name": "a"})

    with CaptureQueriesContext(connection) as queries:
        assert caller.send_sms(template, personalisation={"name": "a", "new": "b"}).status_code == 201

    assert not [query for query in queries.captured_queries if "templateuse" in query["sql"]]
    assert sorted(recorded()) == [(["name"], 1), (["name", "new"], 1)]


def test_of_very_long_names_only_placeholders_are_recorded(caller: Caller, template: Template) -> None:
    values = {"first name": "a", **{f"{number}{'x' * 50}": "b" for number in range(100)}}

    caller.send_email(template, personalisation=values)

    assert recorded() == [(["firstname"], 1)]


def test_beyond_the_number_of_sets_a_day_only_placeholders_are_recorded(caller: Caller, template: Template) -> None:
    for number in range(use_counts.MAX_SETS + 5):
        use_counts.count(caller.key, _text(template), keyed({"first name": "a", f"n{number}": "b"}))
        if number % 20 == 0:
            registry.flush()

    rows = recorded()
    assert len(rows) == use_counts.MAX_SETS + 1
    assert rows[0] == (["firstname"], 5)
    assert sum(calls for _, calls in rows) == use_counts.MAX_SETS + 5


def test_the_calls_of_a_deleted_service_do_not_stop_the_others(caller: Caller, template: Template) -> None:
    gone = make_caller()
    theirs = email_template(gone, "Dear all")
    gone.send_email(theirs)
    caller.send_email(template, personalisation={"first name": "a"})
    gone.service.delete()

    assert recorded() == [(["firstname"], 1)]


def test_calls_stay_in_memory_until_the_database_answers(caller: Caller, template: Template) -> None:
    caller.send_email(template, personalisation={"first name": "a"})

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        if "templateuse" in sql:
            raise DatabaseError
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        use_counts.store_pending()

    assert recorded() == [(["firstname"], 1)]


def test_the_record_is_kept_for_31_days(caller: Caller, template: Template) -> None:
    now = datetime.now(UTC).replace(hour=12)
    for days in (0, 31, 32):
        with time_machine.travel(now - timedelta(days=days), tick=False):
            use_counts.count(caller.key, _text(template), keyed({"first name": "a"}))
    assert len(recorded()) == 3
    rule = rules.named("template-uses")
    assert rule is not None

    [due] = rule.preview()
    removed = sum(batch.number for batch in rule.remove())

    assert (due.number, removed) == (1, 1)
    assert due.oldest is not None
    assert due.oldest.date() == (now - timedelta(days=32)).date()
    assert min(TemplateUse.objects.values_list("day", flat=True)) == (now - timedelta(days=31)).date()


def test_a_test_key_is_recorded_with_the_version_for_test_keys(template: Template) -> None:
    tester = make_caller(template.service, KeyType.TEST)
    make_draft(template, "Dear ((item))", state=VersionState.TEST)

    assert tester.send_email(template, personalisation={"item": "a"}).status_code == 201

    assert recorded() == [(["item"], 1)]


def test_two_templates_are_apart(caller: Caller, template: Template) -> None:
    other = make_template(caller.service, content="Hi")
    caller.send_email(template, personalisation={"first name": "a"})
    caller.send_email(other)

    assert sorted(recorded()) == [([], 1), (["firstname"], 1)]


def _text(template: Template) -> Any:
    return templates.text_of(template.published())
