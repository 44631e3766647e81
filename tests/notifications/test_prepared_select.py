"""A prepared SELECT returns the same row as the ORM, on both databases."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model
from django.utils import timezone

from config.databases.prepared import Columns, Statement
from notifications.models import Notification, Service
from tests.factories import make_notification, make_service

pytestmark = pytest.mark.django_db

TABLE, SERVICES = Notification._meta.db_table, Service._meta.db_table
ALL = [field.attname for field in Notification._meta.concrete_fields]


def find_by_id(stored: Notification, names: list[str]) -> Any:  # Any: its attributes are the columns
    columns = Columns((Notification, names))
    by_id = Statement(f"SELECT {{columns}} FROM {TABLE} WHERE id = %s", [field_of("id")], reads=columns)  # noqa: S608
    return columns.named(by_id.first(stored.id))


def field_of(name: str) -> Any:  # Any: a field of any type
    return Notification._meta.get_field(name)


def loaded(row: Model) -> dict[str, Any]:
    return {name: value for name, value in vars(row).items() if name in ALL}


@pytest.mark.parametrize("fields", [{}, {"subject": None, "reference": "“Łódź” %s", "scheduled_for": timezone.now()}])
def test_a_row_equals_the_orms(fields: dict[str, Any]) -> None:
    stored = make_notification(attempts=[{"at": "now", "outcome": "accepted"}], **fields)

    found = find_by_id(stored, ALL)

    assert found._asdict() == loaded(Notification.objects.get(id=stored.id))


def test_only_requested_columns_are_loaded() -> None:
    stored = make_notification(body="Dear Ana")

    found = find_by_id(stored, ["template", "id"])

    assert found._asdict() == {"id": stored.id, "template_id": stored.template_id}


def test_parameters_are_converted_by_their_fields() -> None:
    stored = make_notification()
    created_at = Notification.objects.get(id=stored.id).created_at
    fields = [field_of(name) for name in ("id", "service", "created_at")]
    by_all = Statement(f"SELECT 1 FROM {TABLE} WHERE id = %s AND service_id = %s AND created_at >= %s", fields)  # noqa: S608

    assert by_all.first(stored.id, stored.service_id, created_at) == (1,)
    assert by_all.first(stored.id, stored.service_id, created_at + timedelta(microseconds=1)) is None
    assert by_all.first(stored.id, make_service().id, created_at) is None


def test_columns_of_two_tables_return_a_row_of_each() -> None:
    stored = make_notification()
    columns = Columns((Notification, ["id", "created_at"]), (Service, ["id", "name"]))
    joined = Statement(
        f"SELECT {{columns}} FROM {TABLE} JOIN {SERVICES}"  # noqa: S608
        f" ON {SERVICES}.id = {TABLE}.service_id WHERE {TABLE}.id = %s",
        [field_of("id")],
        reads=columns,
    )

    message, service = columns.rows(joined.first(stored.id))

    assert (message, message.created_at) == (stored, Notification.objects.get(id=stored.id).created_at)
    assert (service, service.name) == (stored.service, stored.service.name)


def test_a_change_returns_how_many_rows_it_changed() -> None:
    service = make_service(name="Before")
    rename = Statement(f"UPDATE {SERVICES} SET name = %s WHERE name = %s")  # noqa: S608

    assert [rename.run("After", "Before"), rename.run("After", "Before")] == [1, 0]
    assert Service.objects.get(id=service.id).name == "After"


def test_sql_in_a_value_stays_a_value() -> None:
    service = make_service(name="' OR 1=1 --")
    by_name = Statement(f"SELECT id FROM {SERVICES} WHERE name = %s", [Service._meta.get_field("name")])  # noqa: S608

    assert by_name.first("' OR 2=2 --") is None
    assert Service.objects.get(id=by_name.first("' OR 1=1 --")[0]) == service
