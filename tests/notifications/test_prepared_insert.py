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
from notifications.models import Lane, MessageOrigin, Notification, Service, Status
from tests.factories import make_notification

pytestmark = pytest.mark.django_db

DATABASE_DECIDES = {"id", "due_at", "next_attempt_at", "enqueued_at"}


def columns(row: Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def copy_of(message: Notification, **fields: Any) -> dict[str, Any]:
    """Return the columns of a new message like a stored one. The database sets its queue times unless given."""
    values = {name: value for name, value in columns(message).items() if name not in DATABASE_DECIDES}
    return {"id": uuid.uuid4(), **values, **fields}


def stored(message: dict[str, Any]) -> Notification:
    return Notification.objects.get(id=message["id"])


@pytest.mark.parametrize("fields", [{}, {"subject": None, "reference": "", "is_international": True, "parts": 7}])
def test_an_inserted_row_has_the_given_values(fields: dict[str, Any]) -> None:
    saved = make_notification(attempts=[{"at": "now", "outcome": "accepted"}], body="“Łódź” – 5 € 🚲 100 %s", **fields)
    message = copy_of(saved)

    insert(Notification, message)

    found = columns(stored(message))
    assert found | {"id": saved.id} == columns(saved) | {name: found[name] for name in DATABASE_DECIDES - {"id"}}
    assert None not in [found[name] for name in DATABASE_DECIDES]


def test_columns_that_are_left_out_get_the_default_of_the_model_or_of_the_database() -> None:
    saved = make_notification()
    needed = {"id", "service_id", "key_type", "channel", "template_id", "template_version", "created_at"}
    message = copy_of(saved)

    insert(Notification, {name: value for name, value in message.items() if name in needed})

    row = stored(message)
    assert (row.status, row.origin, row.attempt, row.unsubscribe_link) == (Status.CREATED, MessageOrigin.API, 0, False)
    assert (row.created_by, row.reference, row.subject, row.sms_sender_id) == ("", None, None, None)
    assert (row.attempts, row.receipts, row.lane, row.is_acceptance_final) == ([], [], Lane.SINGLE, False)


def test_a_default_that_a_function_computes_must_be_given() -> None:
    message = copy_of(make_notification())
    del message["created_at"]

    with pytest.raises(TypeError, match="needs the columns created_at"):
        insert(Notification, message)


def test_a_given_moment_is_not_replaced() -> None:
    later = timezone.now() + timedelta(hours=5)
    message = copy_of(make_notification(), due_at=later, next_attempt_at=later, enqueued_at=None, scheduled_for=later)

    insert(Notification, message)

    row = stored(message)
    assert (row.due_at, row.next_attempt_at, row.enqueued_at, row.scheduled_for) == (later, later, None, later)


@pytest.mark.parametrize("is_met", [True, False])
def test_a_row_is_only_inserted_if_its_condition_changes_a_row(is_met: bool) -> None:
    saved = make_notification(parts=3)
    message = copy_of(saved)
    table, name = Service._meta.db_table, Service._meta.get_field("name")
    condition = Condition(
        update=Statement(f"UPDATE {table} SET name = %s WHERE name = %s", [name, name]),  # noqa: S608  constant text
        values=("Renamed", saved.service.name if is_met else "Another"),
    )
    before = saved.service.name

    is_stored = insert(Notification, message, condition=condition)

    assert is_stored is is_met
    assert Notification.objects.filter(id=message["id"], parts=3).exists() is is_met
    assert Service.objects.get(id=saved.service_id).name == ("Renamed" if is_met else before)


def test_a_value_that_is_too_long_is_not_truncated() -> None:
    """SQLite stores it as a whole, PostgreSQL rejects it."""
    message = copy_of(make_notification(), request_id="x" * 500)

    with suppress(DataError), transaction.atomic():
        insert(Notification, message)

    assert set(Notification.objects.filter(id=message["id"]).values_list("request_id", flat=True)) <= {"x" * 500}


def test_a_row_that_breaks_a_constraint_is_rejected() -> None:
    message = copy_of(make_notification())
    insert(Notification, message)

    with pytest.raises(IntegrityError), transaction.atomic():
        insert(Notification, message)
