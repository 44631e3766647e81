"""The table as a queue: what is due, whose turn it is, and that a status never goes back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from notifications.models import Notification, Status
from tests.factories import make_notification, make_service, make_template

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)  # these moments are counted from the collection of the tests, minutes before the last is run


def due_ids() -> set[object]:
    return set(Notification.objects.due().values_list("id", flat=True))


def lost_hint() -> dict[str, object]:
    return {"enqueued_at": timezone.now() - MINUTE, "next_attempt_at": timezone.now() - MINUTE}


def test_a_message_nobody_was_told_of_is_due():
    message = make_notification(enqueued_at=None)

    assert due_ids() == {message.id}


def test_a_message_just_enqueued_is_left_to_its_hint():
    make_notification()

    assert due_ids() == set()


def test_a_hint_older_than_30_seconds_is_taken_for_lost():
    message = make_notification(**lost_hint())

    assert due_ids() == {message.id}


def test_a_hint_given_before_the_time_came_does_not_count():
    now = timezone.now()
    message = make_notification(
        enqueued_at=now - timedelta(seconds=6), next_attempt_at=now - timedelta(seconds=1), scheduled_for=now
    )

    assert due_ids() == {message.id}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"next_attempt_at": timezone.now() + DAY}, id="its time has not come"),
        pytest.param({"claimed_until": timezone.now() + DAY}, id="a worker holds it"),
        pytest.param({"status": Status.SENDING}, id="a provider has it"),
        pytest.param({"status": Status.DELIVERED}, id="it has arrived"),
    ],
)
def test_a_message_is_not_due_when(fields):
    make_notification(**lost_hint() | fields)

    assert due_ids() == set()


def test_a_claim_that_ran_out_makes_the_message_due_again():
    message = make_notification(**lost_hint(), claimed_until=timezone.now() - timedelta(seconds=1))

    assert due_ids() == {message.id}


def test_marking_as_enqueued_takes_a_message_out_for_a_while():
    make_notification(**lost_hint())

    assert Notification.objects.mark_enqueued() == 1
    assert due_ids() == set()


def test_services_get_equal_shares_oldest_first():
    big, small = make_template(make_service()), make_template(make_service())
    now = timezone.now()
    backlog = [
        make_notification(big, enqueued_at=None, next_attempt_at=now - timedelta(hours=2, seconds=-n)).id
        for n in range(9)
    ]
    late = make_notification(small, enqueued_at=None, next_attempt_at=now - timedelta(seconds=1)).id

    turn = Notification.objects.due_in_turn(4)

    assert late in turn
    assert [identifier for identifier in turn if identifier != late] == backlog[:3]


def test_many_services_cost_one_statement(django_assert_num_queries):
    ids = [make_notification(make_template(make_service()), enqueued_at=None).id for _ in range(8)]

    with django_assert_num_queries(1):
        turn = Notification.objects.due_in_turn(5)

    assert len(turn) == 5
    assert set(turn) < set(ids)


def test_nothing_due_is_nobodys_turn():
    assert Notification.objects.due_in_turn(500) == []


@pytest.mark.parametrize(
    ("before", "after", "moves"),
    [
        (Status.CREATED, Status.SENDING, True),
        (Status.CREATED, Status.DELIVERED, True),
        (Status.CREATED, Status.PENDING, False),
        (Status.SENDING, Status.PENDING, True),
        (Status.SENDING, Status.TECHNICAL_FAILURE, True),
        (Status.SENDING, Status.SENT, False),
        (Status.SENT, Status.DELIVERED, True),
        (Status.SENT, Status.TECHNICAL_FAILURE, False),
        (Status.PENDING, Status.DELIVERED, True),
        (Status.PENDING, Status.SENDING, False),
        (Status.DELIVERED, Status.TEMPORARY_FAILURE, False),
        (Status.PERMANENT_FAILURE, Status.DELIVERED, False),
        (Status.TECHNICAL_FAILURE, Status.SENDING, False),
    ],
)
def test_a_status_moves_by_the_table_alone(before, after, moves):
    message = make_notification(status=before)

    moved = Notification.objects.filter(id=message.id).advance(after, timezone.now())

    message.refresh_from_db()
    assert (moved, message.status) == ((1, after) if moves else (0, before))


@pytest.mark.parametrize(("status", "completes"), [(Status.PENDING, False), (Status.DELIVERED, True)])
def test_only_a_completing_status_sets_the_moment(status, completes):
    message = make_notification(status=Status.SENDING)
    now = timezone.now()

    Notification.objects.filter(id=message.id).advance(status, now)

    message.refresh_from_db()
    assert message.completed_at == (now if completes else None)
