"""The filters of the list of conversations."""

from django.db.models import Exists, OuterRef, Q

from config.console.admin.filters import ChoiceFilter, by
from notifications.admin import recipient_search
from notifications.models import Channel, KeyType, Notification

# A test has not reached its recipient.
_LATER = Notification.objects.filter(
    normalised_recipient=OuterRef("user_number"),
    service=OuterRef("service"),
    channel=Channel.SMS,
    created_at__gt=OuterRef("created_at"),
).exclude(key_type=KeyType.TEST)
IS_ANSWERED = Exists(_LATER)


class StateFilter(ChoiceFilter):
    title = "state"
    parameter_name = "state"
    options = {"waiting": ("Not answered", by(~Q(IS_ANSWERED))), "answered": ("Answered", by(Q(IS_ANSWERED)))}


class RecipientFilter(recipient_search.RecipientFilter):
    title = "phone number"
    kind = "received-texts"
    column = "user_number"
