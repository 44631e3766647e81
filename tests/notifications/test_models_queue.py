"""A message's status changes as the table allows, never backwards."""

import pytest
from django.utils import timezone

from notifications.models import Notification, Status
from tests.factories import make_notification

pytestmark = pytest.mark.django_db


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
def test_a_status_changes_as_the_table_allows(before, after, moves):
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
