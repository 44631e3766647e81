"""The queue of callbacks: one row for each, written in the transaction of the event that it reports.

The row is the work; the broker only wakes workers. A row does not copy the message, which never changes, except for the
status and its times at the moment of the event.
Source: docs/reference/sending-api.md §20; docs/reference/security.md §9 to §11.
"""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Self, TypedDict
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from config import formats
from notifications.models.bulk_send import BulkSend
from notifications.models.callback import CallbackEndpoint
from notifications.models.callback_event import EVENT_OF_STATUS, CallbackEvent
from notifications.models.callback_owing import OwedCallbacks
from notifications.models.data_set_event import DataSetEvent
from notifications.models.received_email import ReceivedEmail
from notifications.models.received_text import ReceivedText
from notifications.models.request_callback import RequestCallback
from notifications.models.status import Status
from notifications.models.suppression import Suppression
from notifications.models.unsubscribe_request import UnsubscribeRequest

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


_SUBJECTS = (
    "notification",
    "received_text",
    "received_email",
    "unsubscribe_request",
    "suppression",
    "bulk_send",
    "data_set_event",
)
_SHORT = {
    "received_text": "text",
    "received_email": "email",
    "unsubscribe_request": "request",
    "suppression": "suppression",
    "bulk_send": "bulk_send",
    "data_set_event": "data_set",
}
_IS_TEST = Q(**dict.fromkeys(_SUBJECTS))

LOST = CallbackAttempt(
    at=None, outcome="uncertain", status=None, reply="The worker ended before it recorded a result.", ms=0
)


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    ACCEPTED = "accepted", "Accepted"
    GIVEN_UP = "given-up", "Failed"


class CallbackDeliveryQuerySet(OwedCallbacks):
    """The table as a queue."""

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
        return self.filter(_IS_TEST, created_at__lt=Now() - TESTS_ARE_KEPT_FOR).order_by("created_at")

    def _claim_oldest(self, endpoint_id: UUID) -> "CallbackDelivery | None":
        """Claim the oldest due callback of an endpoint, except those that other workers are about to claim."""
        with transaction.atomic():
            due = self.due().filter(endpoint=endpoint_id).order_by("next_attempt_at")
            found = due.select_for_update(skip_locked=True, of=("self",)).values_list("id", flat=True).first()
            if found is None:
                return None
            lease = Now() + timedelta(seconds=settings.DELIVERY_CLAIM_SECONDS)
            self.filter(id=found).update(claimed_until=lease, attempt=F("attempt") + 1)
            related = ("endpoint__service", "notification__request_callback", *_SUBJECTS)
            claimed: CallbackDelivery = self.select_related(*related).get(id=found)
            return claimed


class CallbackDelivery(models.Model):
    """One callback about an event, or a test event, which has no subject.

    event: blank in a row of an earlier version
    attempts: the results of the attempts, in order
    attempt: the number of claims, which shows a late worker that another worker has claimed the row since
    The times of the queue come from the clock of the database.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    endpoint = models.ForeignKey(CallbackEndpoint, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    notification = models.ForeignKey("notifications.Notification", on_delete=models.CASCADE, null=True, db_index=False)
    received_text = models.ForeignKey(ReceivedText, on_delete=models.CASCADE, null=True, db_index=False)
    received_email = models.ForeignKey(ReceivedEmail, on_delete=models.CASCADE, null=True, db_index=False)
    unsubscribe_request = models.ForeignKey(UnsubscribeRequest, on_delete=models.CASCADE, null=True, db_index=False)
    suppression = models.ForeignKey(Suppression, on_delete=models.CASCADE, null=True, db_index=False)
    bulk_send = models.ForeignKey(BulkSend, on_delete=models.CASCADE, null=True, db_index=False)
    data_set_event = models.ForeignKey(DataSetEvent, on_delete=models.CASCADE, null=True, db_index=False)
    event = models.CharField(max_length=40, blank=True, default="", db_default="")
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
            # An endpoint gets each event once. The first column also finds the callbacks of a deleted row. With a
            # condition, a migration can add them as unique indexes without stopping writers.
            models.UniqueConstraint(
                fields=["notification", "status", "endpoint"],
                condition=Q(notification__isnull=False),
                name="callback_delivery_of_message",
            ),
            *(
                models.UniqueConstraint(
                    fields=[subject, "endpoint"],
                    condition=Q(**{f"{subject}__isnull": False}),
                    name=f"callback_delivery_of_{short}",
                )
                for subject, short in _SHORT.items()
            ),
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
        return f"{self.about}, {formats.full(self.created_at)}"

    @property
    def is_test(self) -> bool:
        return all(getattr(self, f"{subject}_id") is None for subject in _SUBJECTS)

    @property
    def event_type(self) -> CallbackEvent:
        """Return the event, also of a row of an earlier version."""
        if self.event:
            return CallbackEvent(self.event)
        return EVENT_OF_STATUS[Status(self.status)] if self.status else self.endpoint.chosen_events[0]

    @property
    def subject_id(self) -> str:
        """Return the id of the row that it reports, or "" for a test event."""
        return next((str(found) for subject in _SUBJECTS if (found := getattr(self, f"{subject}_id"))), "")

    @property
    def url(self) -> str:
        return self._target.url

    @property
    def bearer_token(self) -> str:
        """Return the decrypted token. Raises config.encryption.DecryptionFailed."""
        return self._target.bearer_token

    @property
    def _target(self) -> CallbackEndpoint | RequestCallback:
        """Return the row with the URL. Without the callback of its request, that is an endpoint without a URL."""
        if not self.endpoint.is_of_requests:
            return self.endpoint
        return getattr(self.notification, "request_callback", self.endpoint)

    @property
    def about(self) -> str:
        """Return the event in words, with the status of a message."""
        if self.is_test:
            return "Test event"
        return f"Message {self.status}" if self.notification_id is not None else self.event_type.label

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
