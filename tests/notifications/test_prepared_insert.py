"""A prepared INSERT stores the same row as the ORM, on both databases."""

import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from config.databases.prepared import Condition, Statement, insert
from notifications.models import Notification, Service, Status
from tests.factories import make_notification

pytestmark = pytest.mark.django_db

DATABASE_DECIDES = {"id", "due_at", "next_attempt_at", "enqueued_at"}


def columns(row: Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def copy_of(message: Notification, **fields: Any) -> Notification:
    """Return a new message with the values of a stored one. The database sets its queue times unless given."""
    values = {name: value for name, value in columns(message).items() if name not in DATABASE_DECIDES}
    return Notification(**values | fields)


@pytest.mark.parametrize("fields", [{}, {"subject": None, "reference": "", "is_international": True, "parts": 7}])
def test_an_inserted_row_has_the_given_values(fields: dict[str, Any]) -> None:
    saved = make_notification(attempts=[{"at": "now", "outcome": "accepted"}], body="“Łódź” – 5 € 🚲 100 %s", **fields)
    message = copy_of(saved)

    insert(message)

    stored = columns(Notification.objects.get(id=message.id))
    assert stored | {"id": saved.id} == columns(saved) | {name: stored[name] for name in DATABASE_DECIDES - {"id"}}
    assert None not in [stored[name] for name in DATABASE_DECIDES]


def test_a_new_message_has_empty_lists() -> None:
    saved = make_notification()
    values = {name: value for name, value in columns(saved).items() if name not in {"attempts", "receipts"}}
    message = Notification(**values | {"id": uuid.uuid4()})

    insert(message)

    stored = Notification.objects.get(id=message.id)
    assert (stored.attempts, stored.receipts) == ([], [])


def test_a_given_moment_is_not_replaced() -> None:
    later = timezone.now() + timedelta(hours=5)
    message = copy_of(make_notification(), due_at=later, next_attempt_at=later, enqueued_at=None, scheduled_for=later)

    insert(message)

    stored = Notification.objects.get(id=message.id)
    assert (stored.due_at, stored.next_attempt_at, stored.enqueued_at, stored.scheduled_for) == (
        later,
        later,
        None,
        later,
    )


def test_an_inserted_row_can_be_saved_again() -> None:
    message = copy_of(make_notification())
    insert(message)

    message.status = Status.DELIVERED
    message.save(update_fields=["status"])

    assert Notification.objects.get(id=message.id).status == Status.DELIVERED


@pytest.mark.parametrize("is_met", [True, False])
def test_a_row_is_only_inserted_if_its_condition_changes_a_row(is_met: bool) -> None:
    message = copy_of(make_notification(parts=3))
    table = Service._meta.db_table
    condition = Condition(
        update=Statement(f"UPDATE {table} SET name = %s WHERE name = %s"),  # noqa: S608  constant text
        values=("Renamed", message.service.name if is_met else "Another"),
    )
    before = message.service.name

    is_stored = insert(message, condition=condition)

    assert is_stored is is_met
    assert Notification.objects.filter(id=message.id, parts=3).exists() is is_met
    assert Service.objects.get(id=message.service_id).name == ("Renamed" if is_met else before)


def test_a_value_that_is_too_long_is_not_truncated() -> None:
    """SQLite stores it as a whole, PostgreSQL rejects it."""
    message = copy_of(make_notification(), request_id="x" * 500)

    with suppress(DataError), transaction.atomic():
        insert(message)

    assert set(Notification.objects.filter(id=message.id).values_list("request_id", flat=True)) <= {"x" * 500}


def test_a_row_that_breaks_a_constraint_is_rejected() -> None:
    message = copy_of(make_notification(), id=uuid.uuid4())
    insert(message)

    with pytest.raises(IntegrityError), transaction.atomic():
        insert(copy_of(message, id=message.id))
