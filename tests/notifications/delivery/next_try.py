"""Check when a message is retried, independent of the machine's speed."""

from datetime import timedelta

from django.utils import timezone

from notifications.models import Notification

_ROUNDED = timedelta(seconds=0.1)  # databases store moments with different precision


def is_tried_again_in(message: Notification, least: timedelta, most: timedelta) -> bool:
    """Return whether the next attempt is due in this time after the row's creation, and after now."""
    from_the_making, from_now = message.next_attempt_at - message.created_at, message.next_attempt_at - timezone.now()
    return from_the_making >= least - _ROUNDED and from_now <= most + _ROUNDED
