"""The repeat guard. Source: docs/reference/bulk-sending.md §6."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connections
from django.utils import timezone

from notifications.delivery import repeats
from notifications.management.clean_up import RULES
from notifications.models import Attachment, DailyCounter, IdempotencyRecord, KeyType, Notification, RepeatGuard
from tests.factories import make_api_key, make_notification
from tests.notifications.calling import Caller, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller() -> Caller:
    return make_caller(repeat_guard_minutes=30, file_contact="help@example.org", daily_limit_sms=100)


def sent(answer: Any) -> str:
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def test_a_repeat_gets_the_values_of_the_first_message(caller: Caller) -> None:
    template = sms_template(caller, "Hello ((name))")
    first = caller.send_sms(template, reference="visit", personalisation={"name": "Ana"})

    again = caller.send_sms(template, reference="visit", personalisation={"name": "Ben"}, phone_number="+447700900123")

    assert again.status_code == 201
    assert again.json() == first.json()
    assert again["Repeat-Of"] == sent(first)
    assert "Repeat-Of" not in first
    assert Notification.objects.count() == DailyCounter.objects.get().count == 1


def test_a_repeated_email_has_the_links_without_keys_and_its_files_are_not_stored(caller: Caller) -> None:
    template = email_template(caller, "See ((file))")
    values = {"personalisation": {"file": {"file": "YQ==", "filename": "a.txt"}}, "reference": "visit"}
    first = caller.send_email(template, **values)

    again = caller.send_email(template, **values)

    assert "?key=" in first.json()["content"]["body"]
    assert again.json()["content"]["body"] == first.json()["content"]["body"].partition("?key=")[0]
    assert again["Repeat-Of"] == sent(first)
    assert Attachment.objects.count() == Notification.objects.count() == 1


@pytest.mark.parametrize("change", [{"reference": "other"}, {"phone_number": "07700900124"}], ids=str)
def test_a_message_that_differs_is_no_repeat(caller: Caller, change: dict[str, Any]) -> None:
    template = sms_template(caller)
    caller.send_sms(template, reference="visit")

    assert "Repeat-Of" not in caller.send_sms(template, **{"reference": "visit", **change})


def test_other_templates_and_messages_without_a_reference_are_no_repeats(caller: Caller) -> None:
    template = sms_template(caller)
    sends = [(template, {"reference": "visit"}), (sms_template(caller), {"reference": "visit"}), *[(template, {})] * 2]

    assert len({sent(caller.send_sms(one, **fields)) for one, fields in sends}) == 4


def test_a_key_of_another_type_repeats_nothing(caller: Caller) -> None:
    template, other = sms_template(caller), Caller(make_api_key(caller.service, KeyType.TEST))

    assert sent(caller.send_sms(template, reference="a")) != sent(other.send_sms(template, reference="a"))


def test_a_service_without_a_guard_repeats(caller: Caller) -> None:
    other = make_caller()
    template = sms_template(other)

    assert sent(other.send_sms(template, reference="a")) != sent(other.send_sms(template, reference="a"))
    assert not RepeatGuard.objects.exists()


def test_a_simulated_recipient_is_never_a_repeat(caller: Caller) -> None:
    template = sms_template(caller)
    for _ in range(2):
        answer = caller.send_sms(template, reference="a", phone_number="07700900000")
        assert "Repeat-Of" not in answer
    assert not RepeatGuard.objects.exists()


def test_the_guard_ends_after_its_minutes(caller: Caller) -> None:
    template = sms_template(caller)
    first = sent(caller.send_sms(template, reference="a"))
    RepeatGuard.objects.update(created_at=timezone.now() - timedelta(minutes=30, seconds=1))

    second = caller.send_sms(template, reference="a")
    third = caller.send_sms(template, reference="a")

    assert sent(second) != first
    assert third["Repeat-Of"] == sent(second)


def test_a_cancelled_message_is_forgotten(caller: Caller) -> None:
    template, at = sms_template(caller), (timezone.now() + timedelta(hours=1)).isoformat()
    first = sent(caller.send_sms(template, reference="a", scheduled_for=at))
    caller.post(f"/v2/notifications/{first}/cancel")

    assert sent(caller.send_sms(template, reference="a")) != first


def test_a_refused_message_leaves_no_guard(caller: Caller) -> None:
    template = sms_template(caller)
    type(caller.service).objects.update(daily_limit_sms=0)

    assert caller.send_sms(template, reference="a").status_code == 429
    assert not RepeatGuard.objects.exists()


def test_the_response_to_a_repeat_is_kept_for_its_idempotency_key(caller: Caller) -> None:
    template = sms_template(caller)
    first = sent(caller.send_sms(template, reference="a"))

    for _ in range(2):
        assert sent(caller.send_sms(template, reference="a", headers={"Idempotency_Key": "k"})) == first

    assert IdempotencyRecord.objects.get().answer["id"] == first


def test_a_dry_run_names_the_first_message(caller: Caller) -> None:
    template = sms_template(caller)
    first = sent(caller.send_sms(template, reference="a"))
    body = {"phone_number": "07700900123", "template_id": str(template.pk), "reference": "a"}

    answer = caller.post("/v2/notifications/sms?dry_run=true", body).json()

    assert (answer["accepted"], answer["repeat_of"], answer["sends_at"]) == (True, first, None)


@pytest.mark.django_db(transaction=True)
def test_of_simultaneous_messages_one_is_sent(caller: Caller) -> None:
    template = sms_template(caller)

    def send(_: int) -> str:
        try:
            return sent(Caller(caller.key).send_sms(template, reference="a"))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(send, range(16)))

    assert len(ids) == Notification.objects.count() == DailyCounter.objects.get().count == 1


def test_many_messages_are_claimed_together(caller: Caller) -> None:
    template = sms_template(caller)
    earlier = make_notification(template, reference="a")
    repeats.claim(caller.service, [earlier])
    rows = [make_notification(template, reference=name) for name in ("a", "b", "b", "a", "c")]
    rows.append(make_notification(template))

    found = repeats.claim(caller.service, rows)

    assert found == {rows[0].id: earlier.id, rows[2].id: rows[1].id, rows[3].id: earlier.id}
    recipient = rows[0].normalised_recipient
    pairs = [(recipient, "a"), (recipient, "z"), (recipient, None), (recipient, "b")]
    known = repeats.find(caller.service, "live", template.pk, pairs)
    assert known == [earlier.id, None, None, rows[1].id]


def test_the_clean_up_deletes_guards_after_a_day(caller: Caller) -> None:
    caller.send_sms(sms_template(caller), reference="a")
    rule = next(rule for rule in RULES if rule.name == "repeat-guards")

    list(rule.remove())
    assert RepeatGuard.objects.count() == 1
    with time_machine.travel(timezone.now() + timedelta(days=1, seconds=1)):
        list(rule.remove())
    assert not RepeatGuard.objects.exists()
