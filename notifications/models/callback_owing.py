"""Store the callbacks of an event, in the transaction of the event. Source: docs/callbacks.md."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Exists, OuterRef
from django.dispatch import Signal

from config.data_sets import DataSetChange, FreshnessChange
from notifications.models.bulk_send import BulkSend
from notifications.models.callback import CallbackEndpoint
from notifications.models.callback_event import DEFAULT_EVENTS, EVENT_OF_STATUS, CallbackEvent, CallbackKind
from notifications.models.data_set_event import DataSetEvent
from notifications.models.received_email import ReceivedEmail
from notifications.models.received_text import ReceivedText
from notifications.models.request_callback import RequestCallback
from notifications.models.status import Status
from notifications.models.suppression import Suppression
from notifications.models.unsubscribe_request import UnsubscribeRequest

callbacks_stored = Signal()  # sent in the transaction that stores callbacks; the receiver wakes a worker


class OwedCallbacks(models.QuerySet[Any]):  # Any: callback deliveries, whose class derives from this module
    """The methods that create callbacks."""

    def owe_statuses(self, ended: models.QuerySet[Any], status: Status) -> None:
        """Create the callbacks for messages that have just reached a status.

        ended: these messages, after the update in the same transaction
        """
        event = EVENT_OF_STATUS[status]
        rows = list(ended.values_list("id", "service_id", "status", "sent_at", "completed_at"))
        endpoints: defaultdict[UUID, list[CallbackEndpoint]] = defaultdict(list)
        for endpoint in CallbackEndpoint.objects.wanting(event).filter(service__in={row[1] for row in rows}):
            endpoints[endpoint.service_id].append(endpoint)
        requested: set[UUID] = set()
        if any(endpoint.is_of_requests for some in endpoints.values() for endpoint in some):
            with_callback = RequestCallback.objects.filter(notification__in=[row[0] for row in rows])
            requested = set(with_callback.values_list("notification_id", flat=True))
        self._owe(
            self.model(
                endpoint=endpoint,
                event=event,
                notification_id=identifier,
                status=status,
                sent_at=sent_at,
                completed_at=completed_at,
            )
            for identifier, service_id, status, sent_at, completed_at in rows
            for endpoint in endpoints[service_id]
            if identifier in requested or not endpoint.is_of_requests
        )

    def owe_text(self, text: ReceivedText) -> None:
        """Create the callbacks for a received text."""
        self._owe_all(text.service_id, CallbackEvent.RECEIVED_TEXT, received_text=text)

    def owe_email(self, email: ReceivedEmail) -> None:
        """Create the callbacks for a received email."""
        self._owe_all(email.service_id, CallbackEvent.RECEIVED_EMAIL, received_email=email)

    def owe_unsubscribe_request(self, request: UnsubscribeRequest) -> None:
        """Create the callbacks for an unsubscribe request."""
        self._owe_all(request.service_id, CallbackEvent.UNSUBSCRIBE_REQUEST, unsubscribe_request=request)

    def owe_bulk_send(self, bulk_send: BulkSend) -> None:
        """Create the callbacks for a bulk send that has just ended."""
        self._owe_all(bulk_send.service_id, CallbackEvent.BULK_SEND_FINISHED, bulk_send=bulk_send)

    def owe_data_set(self, change: FreshnessChange) -> None:
        """Create the callbacks for a data set that became late or recovered, in every service that chose it."""
        event = CallbackEvent.DATA_SET_LATE if change.is_late else CallbackEvent.DATA_SET_RECOVERED
        self._owe_of_data_set(
            event,
            data_set_id=change.data_set_id,
            name=change.name,
            path=change.path,
            state=change.state,
            last_write_at=change.last_write_at,
            expected_every_seconds=change.expected_every_seconds,
            created_at=change.at,
        )

    def owe_change(self, change: DataSetChange) -> None:
        """Create the callbacks for another event of a data set, in every service that chose it."""
        self._owe_of_data_set(
            CallbackEvent(change.event),
            data_set_id=change.data_set_id,
            name=change.name,
            path=change.path,
            details=dict(change.details),
            created_at=change.at,
        )

    def _owe_of_data_set(self, event: CallbackEvent, **columns: Any) -> None:  # Any: columns of DataSetEvent
        endpoints = CallbackEndpoint.objects.wanting(event).filter(service__active=True)
        wanting = [endpoint for endpoint in endpoints if columns["data_set_id"] in endpoint.data_sets]
        if wanting:
            row = DataSetEvent.objects.create(**columns)
            self._owe(self.model(endpoint=endpoint, event=event, data_set_event=row) for endpoint in wanting)

    def owe_suppressions(self, suppressions: Sequence[Suppression]) -> None:
        """Create the callbacks for new suppressions of one service.

        A suppression of the whole installation has none: a service must not learn of recipients of others.
        """
        service_id = suppressions[0].service_id if suppressions else None
        if service_id is None:
            return
        endpoints = list(CallbackEndpoint.objects.wanting(CallbackEvent.SUPPRESSION_ADDED).filter(service=service_id))
        self._owe(
            self.model(endpoint=endpoint, event=CallbackEvent.SUPPRESSION_ADDED, suppression=suppression)
            for suppression in suppressions
            for endpoint in endpoints
        )

    def owe_test(self, endpoint: CallbackEndpoint, event: CallbackEvent | None = None) -> Any:
        """Create a test event for an endpoint and return its delivery. It is sent even if the endpoint is paused.

        event: by default the first one that the endpoint gets
        """
        delivery = self.model(endpoint=endpoint, event=event or endpoint.chosen_events[0])
        self._owe([delivery])
        return delivery

    def _owe_all(self, service_id: UUID, event: CallbackEvent, **subject: Any) -> None:  # Any: the row it reports
        endpoints = CallbackEndpoint.objects.wanting(event).filter(service=service_id)
        self._owe(self.model(endpoint=endpoint, event=event, **subject) for endpoint in endpoints)

    def _owe(self, deliveries: Iterable[Any]) -> None:
        if self.bulk_create(deliveries, batch_size=500):
            callbacks_stored.send(self.model)


def has_callback(event: CallbackEvent) -> Exists | models.Q:
    """Return a condition for messages: an endpoint of the service or their request gets this event of them."""
    endpoints = CallbackEndpoint.objects.wanting(event).exclude(kind=CallbackKind.REQUEST)
    of_service = Exists(endpoints.filter(service=OuterRef("service")))
    if event not in DEFAULT_EVENTS[CallbackKind.REQUEST]:
        return of_service
    return of_service | Exists(RequestCallback.objects.filter(notification=OuterRef("pk")))
