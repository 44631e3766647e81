"""Pages ask the database as often for many rows as for a few."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from notifications.models import Notification
from tests import factories
from tests.datasets import making

ROWS = 5


def replies(number: int) -> None:
    """Create emails that answer redacted messages."""
    template = factories.make_template(factories.make_service(), subject="Hello", redact_personalisation=True)
    for _ in range(number):
        message = factories.make_notification(template)
        factories.make_received_email(template.service, "Thank you", notification_id=message.pk)


def services_with_old_rows(number: int) -> None:
    for _ in range(number):
        message = factories.make_notification(factories.make_template(factories.make_service()))
        Notification.objects.filter(pk=message.pk).update(created_at="2020-01-01T00:00:00Z")


def data_sets_with_retention(number: int) -> None:
    for place in range(number):
        data_set = making.make_data_set(type=f"type-{number}-{place}", retention_days=3)
        making.put_in(data_set, [{"_timestamp": "2020-01-01T00:00:00Z"}])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("place", "make"),
    [
        ("/admin/notifications/receivedemail/", replies),
        ("/admin/operations/clean-up/", services_with_old_rows),
        ("/admin/operations/clean-up/", data_sets_with_retention),
    ],
)
def test_more_rows_need_no_more_statements(console: Client, place: str, make: Callable[[int], None]) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as found:
            assert console.get(place).status_code == 200
        return len(found)

    make(1)
    statements()  # the first request also reads what is cached
    few = statements()
    make(ROWS)

    assert statements() == few
