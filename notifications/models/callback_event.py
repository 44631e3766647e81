"""The events that callbacks report. Source: docs/callbacks.md."""

from collections.abc import Iterable

from django.db import models

from config.invalid import InvalidValue
from notifications.models.status import FAILURES, Status


class CallbackEvent(models.TextChoices):
    MESSAGE_DELIVERED = "message.delivered", "Message delivered"
    MESSAGE_FAILED = "message.failed", "Message failed"
    MESSAGE_SENT = "message.sent", "Message sent to a provider"
    RECEIVED_TEXT = "received_text", "Text message received"
    RECEIVED_EMAIL = "received_email", "Email received"
    UNSUBSCRIBE_REQUEST = "unsubscribe_request", "Unsubscribe request"
    SUPPRESSION_ADDED = "suppression.added", "Suppression added"
    BULK_SEND_FINISHED = "bulk_send.finished", "Bulk send finished or cancelled"
    DATA_SET_LATE = "data_set.late", "Data set late"
    DATA_SET_RECOVERED = "data_set.recovered", "Data set no longer late"
    DATA_SET_WRITTEN = "data_set.written", "Data set written to"
    DATA_SET_EMPTIED = "data_set.emptied", "Data set emptied"
    ALARM_RAISED = "alarm.raised", "Alarm of a data set raised"
    ALARM_ENDED = "alarm.ended", "Alarm of a data set ended"


class CallbackKind(models.TextChoices):
    """The format of the bodies that an endpoint gets. The first three are those of GOV.UK Notify.

    EVENTS: the type, the time and the data of any event
    REQUEST: the row of a service for the callbacks that single requests name; each has its own URL
    """

    DELIVERY_STATUS = "delivery_status", "Delivery status"
    RECEIVED_TEXT_MESSAGE = "received_text_message", "Received text message"
    UNSUBSCRIBE_REQUEST = "unsubscribe_request", "Unsubscribe request"
    EVENTS = "events", "Events"
    REQUEST = "request", "Callbacks of single requests"


EVENT_OF_STATUS = {
    Status.SENDING: CallbackEvent.MESSAGE_SENT,
    Status.SENT: CallbackEvent.MESSAGE_SENT,
    Status.DELIVERED: CallbackEvent.MESSAGE_DELIVERED,
    **dict.fromkeys(FAILURES, CallbackEvent.MESSAGE_FAILED),
}
OF_DATA_SETS = (
    CallbackEvent.DATA_SET_LATE,
    CallbackEvent.DATA_SET_RECOVERED,
    CallbackEvent.DATA_SET_WRITTEN,
    CallbackEvent.DATA_SET_EMPTIED,
    CallbackEvent.ALARM_RAISED,
    CallbackEvent.ALARM_ENDED,
)
_OF_MESSAGES = (CallbackEvent.MESSAGE_DELIVERED, CallbackEvent.MESSAGE_FAILED)

# The events of an endpoint that has not chosen any, and the events that endpoints of each kind may choose.
DEFAULT_EVENTS: dict[CallbackKind, tuple[CallbackEvent, ...]] = {
    CallbackKind.DELIVERY_STATUS: _OF_MESSAGES,
    CallbackKind.RECEIVED_TEXT_MESSAGE: (CallbackEvent.RECEIVED_TEXT,),
    CallbackKind.UNSUBSCRIBE_REQUEST: (CallbackEvent.UNSUBSCRIBE_REQUEST,),
    CallbackKind.EVENTS: (),
    CallbackKind.REQUEST: _OF_MESSAGES,
}
ALLOWED_EVENTS: dict[CallbackKind, tuple[CallbackEvent, ...]] = {
    **DEFAULT_EVENTS,
    CallbackKind.DELIVERY_STATUS: (*_OF_MESSAGES, CallbackEvent.MESSAGE_SENT),
    CallbackKind.EVENTS: tuple(CallbackEvent),
}


def parse_events(kind: CallbackKind, chosen: Iterable[str]) -> list[str]:
    """Return the events of an endpoint in their usual order; none for the default events of its kind.

    Raises InvalidValue.

    >>> parse_events(CallbackKind.EVENTS, ["received_text", "message.failed"])
    ['message.failed', 'received_text']
    >>> parse_events(CallbackKind.DELIVERY_STATUS, ["message.failed", "message.delivered"])
    []
    """
    wanted = set(chosen)
    if unknown := sorted(wanted - set(CallbackEvent.values)):
        raise InvalidValue(f"{unknown[0]} is not an event")
    if other := sorted(wanted - set(ALLOWED_EVENTS[kind])):
        raise InvalidValue(f"{other[0]} is not an event of this kind of callback")
    if not wanted and not DEFAULT_EVENTS[kind]:
        raise InvalidValue("Choose at least one event.")
    if wanted == set(DEFAULT_EVENTS[kind]):
        return []
    return [event.value for event in CallbackEvent if event in wanted]


def parse_data_sets(events: Iterable[str], chosen: Iterable[int]) -> list[int]:
    """Return the ids of the data sets whose events an endpoint gets. events: those it has chosen. Raises InvalidValue.

    >>> parse_data_sets(["data_set.late"], [7, 3])
    [3, 7]
    >>> parse_data_sets(["received_text"], [])
    []
    """
    ids = sorted(set(chosen))
    wants = not set(OF_DATA_SETS).isdisjoint(events)
    if wants and not ids:
        raise InvalidValue("Choose at least one data set.")
    if ids and not wants:
        raise InvalidValue("Choose an event of data sets, or no data set.")
    return ids
