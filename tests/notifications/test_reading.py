"""A row read by SQL made once is the row the ORM would have read, on either database."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model
from django.utils import timezone

from config.reading import OneRow
from notifications.models import Notification, Service
from tests.factories import make_notification, make_service

pytestmark = pytest.mark.django_db

ALL = [field.attname for field in Notification._meta.concrete_fields]


def loaded(row: Model) -> dict[str, Any]:
    return {name: value for name, value in vars(row).items() if name in ALL}


@pytest.mark.parametrize("fields", [{}, {"subject": None, "reference": "“Łódź” %s", "scheduled_for": timezone.now()}])
def test_a_row_holds_what_the_orm_reads(fields: dict[str, Any]) -> None:
    stored = make_notification(attempts=[{"at": "now", "outcome": "accepted"}], **fields)

    found = OneRow(Notification, ALL, [("id", "=")]).find(stored.id)

    assert found is not None
    assert found._asdict() == loaded(Notification.objects.get(id=stored.id))


def test_it_has_what_is_asked_for_and_nothing_else() -> None:
    stored = make_notification(body="Dear Ana")

    found = OneRow(Notification, ["template", "id"], [("id", "=")]).find(stored.id)

    assert found._asdict() == {"id": stored.id, "template_id": stored.template_id}


def test_all_comparisons_have_to_hold() -> None:
    stored = make_notification()
    shown = OneRow(Notification, ["id"], [("id", "="), ("service", "="), ("created_at", ">=")])
    created_at = Notification.objects.get(id=stored.id).created_at

    assert shown.find(stored.id, stored.service_id, created_at) == (stored.id,)
    assert shown.find(stored.id, stored.service_id, created_at + timedelta(microseconds=1)) is None
    assert shown.find(stored.id, make_service().id, created_at) is None


def test_words_of_a_value_stay_a_value() -> None:
    service = make_service(name="' OR 1=1 --")
    by_name = OneRow(Service, ["id", "name"], [("name", "=")])

    assert by_name.find("' OR 1=1 --") == (service.id, "' OR 1=1 --")
    assert by_name.find("' OR 2=2 --") is None
