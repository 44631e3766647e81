"""The queue of callbacks: one row for each, written in the transaction of the event that it reports.

The row is the work; the broker only wakes workers. A row does not copy the message, which never changes, except for the
status and its times at the moment of the event.
Source: docs/reference/sending-api.md §20; docs/reference/security.md §9 to §11.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Self, TypedDict
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Now
from django.utils import timezone

from config.queue import publishing
from config.queue.app import app
from notifications.models.callback import CallbackEndpoint, CallbackKind
from notifications.models.received_text import ReceivedText
from notifications.models.status import Status
from notifications.models.unsubscribe_request import UnsubscribeRequest

DRAIN = app.signature("notifications.tasks.callbacks.drain_callbacks")  # by name, because models cannot import tasks
TESTS_ARE_KEPT_FOR = timedelta(days=7)


class CallbackAttempt(TypedDict):
    """One entry of `CallbackDelivery.attempts`.

    outcome: accepted, temporary, permanent or uncertain
    status: the HTTP status of the response, or None
    reply: the first 4096 characters of the response, or a description of the failure
    """

    at: str | None
    outcome: str
    status: int | None
    reply: str
    ms: int


_IS_TEST = Q(notification=None, received_text=None, unsubscribe_request=None)

LOST = CallbackAttempt(
    at=None, outcome="uncertain", status=None, reply="The worker ended before it recorded a result.", ms=0
)


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    ACCEPTED = "accepted", "Accepted"
    GIVEN_UP = "given-up", "Failed"


class CallbackDeliveryQuerySet(models.QuerySet["CallbackDelivery"]):
    """The table as a queue."""

    def owe_statuses(self, ended: models.QuerySet[Any], endpoints: Mapping[UUID, UUID]) -> None:
        """Create the callbacks for messages that have just reached a final status.

        ended: these messages, after the update in the same transaction
        endpoints: id of the endpoint by id of the message
        """
        columns = ("id", "status", "sent_at", "completed_at")
        self._owe(
            CallbackDelivery(
                endpoint_id=endpoints[identifier],
                notification_id=identifier,
                status=status,
                sent_at=sent_at,
                completed_at=completed_at,
            )
            for identifier, status, sent_at, completed_at in ended.values_list(*columns)
        )

    def owe_text(self, text: ReceivedText) -> None:
        """Create the callback for a received text, if the service has an endpoint for it."""
        ids = _endpoints(text.service_id, CallbackKind.RECEIVED_TEXT_MESSAGE)
        self._owe(CallbackDelivery(endpoint_id=identifier, received_text=text) for identifier in ids)

    def owe_unsubscribe_request(self, request: UnsubscribeRequest) -> None:
        """Create the callback for an unsubscribe request, if the service has an endpoint for it."""
        ids = _endpoints(request.service_id, CallbackKind.UNSUBSCRIBE_REQUEST)
        self._owe(CallbackDelivery(endpoint_id=identifier, unsubscribe_request=request) for identifier in ids)

    def owe_test(self, endpoint: CallbackEndpoint) -> "CallbackDelivery":
        """Create a test event for an endpoint. It is sent even if the endpoint is paused."""
        delivery = CallbackDelivery(endpoint=endpoint)
        self._owe([delivery])
        return delivery

    def due(self) -> Self:
        """Return the callbacks that are due, unclaimed, and not for a paused endpoint. Test events ignore the pause.

        While a callback to a failing endpoint is claimed, no other callback to a failing endpoint is due. So failing
        endpoints occupy at most one worker.
        """
        with_failing = self.model.objects.filter(claimed_until__gte=Now()).exclude(endpoint__failing_since=None)
        is_free = Q(claimed_until=None) | Q(claimed_until__lt=Now())
        may_go = Q(endpoint__paused_at=None) | _IS_TEST
        due = self.filter(is_free, may_go, state=DeliveryState.WAITING, next_attempt_at__lte=Now())
        return due.exclude(~Q(endpoint__failing_since=None) & Exists(with_failing))

    def claim_next(self, served: Sequence[UUID] = ()) -> "CallbackDelivery | None":
        """Claim the oldest due callback of the next endpoint for DELIVERY_CLAIM_SECONDS. Return None if none is due.

        served: ids of endpoints, the one served longest ago first; endpoints that are not in it come before these
        """
        places = {endpoint_id: place for place, endpoint_id in enumerate(served)}
        mine = self.due().filter(endpoint=OuterRef("pk"))
        waiting = list(CallbackEndpoint.objects.filter(Exists(mine)).order_by("?").values_list("id", flat=True))
        ordered = sorted(waiting, key=lambda endpoint_id: places.get(endpoint_id, -1))
        return next((found for endpoint_id in ordered if (found := self._claim_oldest(endpoint_id))), None)

    def repeat(self) -> int:
        """Make ended callbacks due again with the same webhook-id, and return their number."""
        ended = self.exclude(state=DeliveryState.WAITING)
        return ended.update(state=DeliveryState.WAITING, failed_attempts=0, finished_at=None, next_attempt_at=Now())

    def to_forget(self) -> Self:
        """Return the old test events to delete. Other callbacks are deleted with the row that they report."""
        return self.filter(_IS_TEST, created_at__lt=timezone.now() - TESTS_ARE_KEPT_FOR).order_by("created_at")

    def _claim_oldest(self, endpoint_id: UUID) -> "CallbackDelivery | None":
        """Claim the oldest due callback of an endpoint, except those that other workers are about to claim."""
        with transaction.atomic():
            due = self.due().filter(endpoint=endpoint_id).order_by("next_attempt_at")
            found = due.select_for_update(skip_locked=True, of=("self",)).values_list("id", flat=True).first()
            if found is None:
                return None
            lease = Now() + timedelta(seconds=settings.DELIVERY_CLAIM_SECONDS)
            self.filter(id=found).update(claimed_until=lease, attempt=F("attempt") + 1)
            related = ("endpoint__service", "notification", "received_text", "unsubscribe_request")
            return self.select_related(*related).get(id=found)

    def _owe(self, deliveries: Iterable["CallbackDelivery"]) -> None:
        """Store callbacks, and wake a worker after the commit."""
        if self.bulk_create(deliveries, batch_size=500):
            publishing.enqueue(DRAIN)


def _endpoints(service_id: UUID, kind: CallbackKind) -> models.QuerySet[CallbackEndpoint, UUID]:
    """Return the ids of the service's endpoints of this kind: at most one."""
    return CallbackEndpoint.objects.filter(service_id=service_id, kind=kind).values_list("id", flat=True)


def endpoint_for(kind: CallbackKind) -> Subquery:
    """Return a subquery for rows with a service: the id of the endpoint that gets their callbacks."""
    return Subquery(CallbackEndpoint.objects.filter(service=OuterRef("service"), kind=kind).values("id")[:1])


class CallbackDelivery(models.Model):
    """One callback: about a message's final status, a received text, an unsubscribe request, or a test event.

    attempts: the results of the attempts, in order
    attempt: the number of claims, which shows a late worker that another worker has claimed the row since
    The times of the queue come from the clock of the database.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    endpoint = models.ForeignKey(CallbackEndpoint, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    notification = models.ForeignKey("notifications.Notification", on_delete=models.CASCADE, null=True, db_index=False)
    received_text = models.ForeignKey(ReceivedText, on_delete=models.CASCADE, null=True, db_index=False)
    unsubscribe_request = models.ForeignKey(UnsubscribeRequest, on_delete=models.CASCADE, null=True, db_index=False)
    status = models.CharField(max_length=20, choices=Status.choices, blank=True)
    sent_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    state = models.CharField(max_length=8, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    finished_at = models.DateTimeField(null=True)
    next_attempt_at = models.DateTimeField(db_default=Now())
    claimed_until = models.DateTimeField(null=True)
    enqueued_at = models.DateTimeField(null=True)  # only for the previous version; to be removed
    attempt = models.PositiveSmallIntegerField(default=0)
    failed_attempts = models.PositiveSmallIntegerField(default=0)
    attempts = models.JSONField(default=list)

    objects = CallbackDeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "callback deliveries"
        constraints = [
            models.UniqueConstraint(fields=["notification", "status"], name="callback_delivery_once_a_status"),
            models.UniqueConstraint(fields=["received_text"], name="callback_delivery_once_a_text"),
            models.UniqueConstraint(fields=["unsubscribe_request"], name="callback_delivery_once_a_request"),
        ]
        indexes = [
            models.Index(fields=["endpoint", "-created_at", "-id"], name="callback_delivery_list"),
            models.Index(
                fields=["endpoint", "next_attempt_at"],
                condition=models.Q(state="waiting"),
                name="callback_delivery_due",
            ),
            models.Index(
                fields=["claimed_until"], condition=~models.Q(claimed_until=None), name="callback_delivery_claimed"
            ),
            models.Index(
                fields=["finished_at"], condition=models.Q(state="given-up"), name="callback_delivery_given_up"
            ),
        ]

    def __str__(self) -> str:
        return f"Callback delivery {str(self.id)[:8]}"

    @property
    def audit_scope(self) -> dict[str, uuid.UUID]:
        return {"service_id": self.endpoint.service_id}

    @property
    def title(self) -> str:
        return f"{self._about()}, {timezone.localtime(self.created_at):%-d %b %Y, %H:%M %Z}"

    @property
    def is_test(self) -> bool:
        return self.notification_id is None and self.received_text_id is None and self.unsubscribe_request_id is None

    def _about(self) -> str:
        if self.is_test:
            return "Test event"
        if self.received_text_id is not None:
            return "Received text message"
        return "Unsubscribe request" if self.unsubscribe_request_id is not None else f"Message {self.status}"

    @property
    def webhook_id(self) -> str:
        """Return the id by which a receiver recognises a repeated callback. It is the same for all attempts."""
        return f"msg_{self.id.hex}"

    def accept(self, attempt: CallbackAttempt) -> bool:
        """Record that the receiver accepted the callback. Return False if another worker has claimed the row since."""
        return self._finish(attempt, state=DeliveryState.ACCEPTED, finished_at=Now())

    def give_up(self, attempt: CallbackAttempt) -> bool:
        """End the callback as failed. Return as `accept` does."""
        return self._finish(
            attempt, state=DeliveryState.GIVEN_UP, finished_at=Now(), failed_attempts=F("failed_attempts") + 1
        )

    def release(self, attempt: CallbackAttempt, *, delay: timedelta) -> bool:
        """Make the callback due again after `delay`. Return as `accept` does."""
        return self._finish(attempt, next_attempt_at=Now() + delay, failed_attempts=F("failed_attempts") + 1)

    def _finish(self, attempt: CallbackAttempt, **changes: Any) -> bool:  # Any: values and expressions of the columns
        mine = CallbackDelivery.objects.filter(id=self.id, attempt=self.attempt, state=DeliveryState.WAITING)
        lost = [LOST] * (self.attempt - 1 - len(self.attempts))  # earlier claims that recorded no result
        return bool(mine.update(claimed_until=None, attempts=[*self.attempts, *lost, attempt], **changes))
