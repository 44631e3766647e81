"""The filters of the list of conversations."""

from django.db.models import Exists, OuterRef, Q

from config.console.admin.filters import by, choice_filter
from notifications.admin.recipient_search import recipient_filter
from notifications.models import Channel, KeyType, Notification

# A test has not reached its recipient.
_LATER = Notification.objects.filter(
    normalised_recipient=OuterRef("user_number"),
    service=OuterRef("service"),
    channel=Channel.SMS,
    created_at__gt=OuterRef("created_at"),
).exclude(key_type=KeyType.TEST)
IS_ANSWERED = Exists(_LATER)


STATE_FILTER = choice_filter(
    "state", "state", {"waiting": ("Not answered", by(~Q(IS_ANSWERED))), "answered": ("Answered", by(Q(IS_ANSWERED)))}
)


RECIPIENT_FILTER = recipient_filter("received-texts", title="phone number", column="user_number")
