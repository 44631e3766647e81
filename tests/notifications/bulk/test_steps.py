"""Steps turn rows into messages: each row once, in turns, and never too many at once."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from notifications.models import BulkRow, BulkSend, BulkState, Channel, Lane, Notification, RowState, Template
from notifications.submission.bulk import steps
from tests.factories import make_bulk_send, make_service, make_sms_sender, make_template

pytestmark = pytest.mark.django_db


def bulk_of(count: int, template: Template | None = None, **fields: Any) -> BulkSend:
    """Return a bulk send of emails with a number of waiting rows."""
    bulk_send = make_bulk_send(template, waiting=count, row_count=count, accepted_at=timezone.now(), **fields)
    BulkRow.objects.store(
        bulk_send,
        (
            BulkRow(
                number=number,
                state=RowState.WAITING,
                recipient=f"p{number}@example.org",
                normalised_recipient=f"p{number}@example.org",
                cells=[f"p{number}@example.org", f"Person {number}"],
            ).line
            for number in range(2, count + 2)
        ),
    )
    return bulk_send


def all_steps(**limits: int) -> None:
    for _ in range(30):
        if steps.take_next(**limits) is None:
            return


def test_every_row_becomes_one_message_and_the_bulk_send_is_finished():
    bulk_send = bulk_of(250)

    all_steps()

    bulk_send.refresh_from_db()
    assert (bulk_send.state, bulk_send.waiting, bulk_send.messages) == (BulkState.FINISHED, 0, 250)
    assert bulk_send.processing_started <= bulk_send.processing_finished
    assert set(bulk_send.rows.values_list("state", flat=True)) == {RowState.MESSAGE}
    messages = Notification.objects.order_by("bulk_row__number")
    assert [message.body for message in messages] == [f"Dear Person {number}" for number in range(2, 252)]
    assert {message.lane for message in messages} == {Lane.BULK}
    assert messages[0].recipient == "p2@example.org"


def test_a_text_has_the_name_and_the_sender_of_the_acceptance():
    service = make_service(name="Parks", prefix_sms=True)
    sender = make_sms_sender(service)
    template = make_template(service, Channel.SMS, "Gate ((gate))")
    bulk_send = make_bulk_send(
        template,
        names=["phone number", "gate"],
        waiting=1,
        prefix_sms=True,
        sms_sender=sender,
        service_name="Old Parks",
    )
    row = BulkRow(
        number=2,
        state=RowState.WAITING,
        recipient="07700 900123",
        normalised_recipient="447700900123",
        rate_multiplier=1,
        cells=["07700 900123", "7"],
        reference="r1",
    )
    BulkRow.objects.store(bulk_send, [row.line])

    all_steps()

    message = Notification.objects.get()
    assert (message.body, message.sms_sender, message.parts) == ("Old Parks: Gate 7", sender, 1)
    assert (message.reference, message.recipient, message.rate_multiplier) == ("r1", "07700 900123", 1)


def test_only_so_many_messages_of_a_bulk_send_wait():
    bulk_send = bulk_of(400)

    all_steps(most_waiting=150)

    bulk_send.refresh_from_db()
    assert (bulk_send.messages, bulk_send.state) == (150, BulkState.IN_PROGRESS)
    assert bulk_send.next_step_at > timezone.now()
    Notification.objects.filter(bulk_row__number__lt=60).update(status="sending")
    BulkSend.objects.update(next_step_at=timezone.now() - timedelta(seconds=1))
    all_steps(most_waiting=150)
    bulk_send.refresh_from_db()
    assert bulk_send.messages == 150 + 58


def test_bulk_sends_take_turns():
    first, second = bulk_of(30), bulk_of(30)

    for _ in range(4):
        steps.take_next(most_rows=10)

    assert [first.rows.filter(state=RowState.MESSAGE).count(), second.rows.filter(state="message").count()] == [20, 20]


def test_a_scheduled_bulk_send_waits_for_its_time():
    later = timezone.now() + timedelta(hours=1)
    bulk_send = bulk_of(1, state=BulkState.SCHEDULED, scheduled_for=later, next_step_at=later)
    assert steps.take_next() is None

    BulkSend.objects.update(scheduled_for=timezone.now(), next_step_at=timezone.now() - timedelta(seconds=1))
    bulk_send.refresh_from_db()
    assert bulk_send.shown_state == "pending"
    all_steps()
    bulk_send.refresh_from_db()
    assert bulk_send.state == BulkState.FINISHED


def test_another_worker_continues_when_the_lease_ends():
    bulk_send = bulk_of(3)
    assert bulk_send.lease().take()
    assert steps.take_next() is None

    BulkSend.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
    all_steps()

    assert Notification.objects.count() == 3


def test_rows_in_quiet_hours_wait_for_their_end():
    now = timezone.now()
    hours = {"email": {"from": f"{now - timedelta(hours=1):%H:%M}", "to": f"{now + timedelta(hours=2):%H:%M}"}}
    service = make_service(quiet_hours={"email": {**hours["email"], "zone": "service"}}, time_zone="UTC")
    bulk_send = bulk_of(2, make_template(service))

    all_steps()

    bulk_send.refresh_from_db()
    assert (bulk_send.messages, bulk_send.state) == (0, BulkState.PENDING)
    [until] = set(bulk_send.rows.values_list("not_before", flat=True))
    assert timedelta(minutes=118) < until - now <= timedelta(hours=2)
    assert bulk_send.next_send_at == until


def test_equal_rows_become_one_message_and_a_repeat():
    service = make_service(repeat_guard_minutes=60)
    bulk_send = bulk_of(3, make_template(service))
    bulk_send.rows.update(normalised_recipient="same@example.org", reference="r")

    all_steps()

    bulk_send.refresh_from_db()
    assert (bulk_send.messages, bulk_send.repeat, bulk_send.state) == (1, 2, BulkState.FINISHED)
    assert list(bulk_send.rows.order_by("number").values_list("state", flat=True)) == ["message", "repeat", "repeat"]


def test_the_messages_of_a_bulk_send_are_found_by_the_index_of_rows():
    """Without it, the statuses of 100,000 rows took SQLite more than two minutes."""
    bulk_send = bulk_of(3)
    steps.take_next()
    if connection.vendor == "postgresql":  # would scan a table of three rows
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")

    with CaptureQueriesContext(connection) as queries:
        assert bulk_send.status_counts() == [{"status": "created", "count": 3}]

    explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        cursor.execute(f"{explain} {queries.captured_queries[0]['sql']}")
        assert "notification_bulk_row_unique" in str(cursor.fetchall())


def test_a_bulk_send_that_counts_rows_which_do_not_wait_keeps_no_worker_busy():
    make_bulk_send(state=BulkState.IN_PROGRESS, waiting=3, row_count=3, accepted_at=timezone.now())

    assert steps.take_next() == steps.StepResult()
    assert steps.take_next() is None
