"""What is owed to an endpoint: one row per callback, written in the transaction of what it tells of.

This row is the truth and the queue; the broker only carries its id. It copies no recipient: what it tells is in the
message it hangs on, which never changes, but for the status and its moments, which it keeps as they were.
Source: the sending contract §20; Security and reliability §9 to §11.
"""

import uuid
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Self, TypedDict
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Now, RowNumber
from django.utils import timezone

from config import publishing
from config.celery import app
from notifications.models.callback import CallbackEndpoint, CallbackKind
from notifications.models.received_text import ReceivedText
from notifications.models.status import Status
from notifications.models.unsubscribe_request import UnsubscribeRequest

CALL_BACK = app.signature("notifications.tasks.callbacks.call_back")  # by name: tasks stand above models
TESTS_ARE_KEPT_FOR = timedelta(days=7)
HINTED_AT_ONCE = 20  # callbacks of one change; more are left to the sweep, which lets services take turns


class CallbackAttempt(TypedDict):
    """One entry of `CallbackDelivery.attempts`. outcome: accepted, temporary, permanent, or uncertain.

    status: what was answered, None for nothing; reply: its first 4096 characters, or our own words.
    """

    at: str | None
    outcome: str
    status: int | None
    reply: str
    ms: int


_IS_TEST = Q(notification=None, received_text=None, unsubscribe_request=None)

LOST = CallbackAttempt(at=None, outcome="uncertain", status=None, reply="The worker ended before it could say.", ms=0)


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    ACCEPTED = "accepted", "Accepted"
    GIVEN_UP = "given-up", "Given up"


class CallbackDeliveryQuerySet(models.QuerySet["CallbackDelivery"]):
    """The table as a queue."""

    def owe_statuses(self, ended: models.QuerySet[Any], endpoints: Mapping[UUID, UUID]) -> None:
        """Write down that endpoints (by message) are to be told of messages that have just come to their end.

        ended: notifications, as this transaction has left them.
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
        """Write down that the endpoint of a service, if it has one, is to be told of a received text."""
        ids = _endpoints(text.service_id, CallbackKind.RECEIVED_TEXT_MESSAGE)
        self._owe(CallbackDelivery(endpoint_id=identifier, received_text=text) for identifier in ids)

    def owe_unsubscribe_request(self, request: UnsubscribeRequest) -> None:
        """Store the callback for an unsubscribe request, if its service has an endpoint for them."""
        ids = _endpoints(request.service_id, CallbackKind.UNSUBSCRIBE_REQUEST)
        self._owe(CallbackDelivery(endpoint_id=identifier, unsubscribe_request=request) for identifier in ids)

    def owe_test(self, endpoint: CallbackEndpoint) -> "CallbackDelivery":
        """Write down a callback about nothing, to try an endpoint; it goes although the endpoint is paused."""
        delivery = CallbackDelivery(endpoint=endpoint)
        self._owe([delivery])
        return delivery

    def due(self) -> Self:
        """Return those whose time has come, that no worker holds and that nobody was told of lately."""
        hint_lasts = timedelta(seconds=settings.DELIVERY_HINT_SECONDS)
        untold = Q(enqueued_at=None) | Q(enqueued_at__lt=Now() - hint_lasts) | Q(enqueued_at__lt=F("next_attempt_at"))
        return self._callable().filter(untold)

    def due_in_turn(self, limit: int) -> list[UUID]:
        """Return up to `limit` ids of due callbacks: the oldest of each endpoint, then the next of each, and so on.

        Of an endpoint that fails only the oldest: whoever has called it leads the next one in.
        """
        place = models.Window(RowNumber(), partition_by=F("endpoint_id"), order_by="next_attempt_at")
        due = self.due().annotate(place=place).filter(Q(endpoint__failing_since=None) | Q(place=1))
        return list(due.order_by("place", "next_attempt_at").values_list("id", flat=True)[:limit])

    def endpoints_waiting(self) -> set[UUID]:
        """Return the endpoints to which a callback could go now."""
        mine = self._takeable().filter(endpoint=OuterRef("pk"))
        return set(CallbackEndpoint.objects.filter(Exists(mine)).order_by().values_list("id", flat=True))

    def oldest_of(self, endpoint_id: UUID, limit: int) -> list[UUID]:
        """Return those that have waited longest for an endpoint and could go now."""
        mine = self._takeable().filter(endpoint=endpoint_id)
        return list(mine.order_by("next_attempt_at").values_list("id", flat=True)[:limit])

    def next_to_failing(self) -> list[UUID]:
        """Return the one, or none, that has waited longest for an endpoint that fails and could go now."""
        failing = self._takeable().exclude(endpoint__failing_since=None)
        return list(failing.order_by("next_attempt_at").values_list("id", flat=True)[:1])

    def mark_enqueued(self) -> int:
        return self.update(enqueued_at=Now())

    def take(self, delivery_id: UUID) -> "CallbackDelivery | None":
        """Take hold of one for DELIVERY_CLAIM_SECONDS, with all it tells of.

        None: somebody else has it, it is done, not yet due, or its endpoint is paused, or fails while another callback
        is with one that fails.
        """
        mine = self.filter(id__in=self._takeable().filter(id=delivery_id).values("id"))
        with transaction.atomic():
            lease = Now() + timedelta(seconds=settings.DELIVERY_CLAIM_SECONDS)
            still_free = Q(claimed_until=None) | Q(claimed_until__lt=Now())  # PostgreSQL asks again after a wait
            if not mine.filter(still_free).update(claimed_until=lease, attempt=F("attempt") + 1):
                return None
            told = ("endpoint__service", "notification", "received_text", "unsubscribe_request")
            return self.select_related(*told).get(id=delivery_id)

    def repeat(self) -> int:
        """Begin anew with what has ended, under the same webhook-id. Returns how many."""
        ended = self.exclude(state=DeliveryState.WAITING)
        return ended.update(
            state=DeliveryState.WAITING, failed_attempts=0, finished_at=None, next_attempt_at=Now(), enqueued_at=None
        )

    def to_forget(self) -> Self:
        """Return the test events of long ago; every other one is deleted with the row that it is about."""
        return self.filter(_IS_TEST, created_at__lt=timezone.now() - TESTS_ARE_KEPT_FOR).order_by("created_at")

    def _callable(self) -> Self:
        is_free = Q(claimed_until=None) | Q(claimed_until__lt=Now())
        may_go = Q(endpoint__paused_at=None) | _IS_TEST
        return self.filter(is_free, may_go, state=DeliveryState.WAITING, next_attempt_at__lte=Now())

    def _takeable(self) -> Self:
        """Return what could go now: to endpoints that fail one at a time, so that they keep one worker from others."""
        with_failing = self.model.objects.filter(claimed_until__gte=Now()).exclude(endpoint__failing_since=None)
        return self._callable().exclude(~Q(endpoint__failing_since=None) & Exists(with_failing))

    def _owe(self, deliveries: Iterable["CallbackDelivery"]) -> None:
        rows = list(deliveries)
        is_hinted = len(rows) <= HINTED_AT_ONCE
        for row in rows:
            row.enqueued_at = Now() if is_hinted else None  # the very moment of next_attempt_at, or it counts as early
        self.bulk_create(rows, batch_size=500)
        for row in rows if is_hinted else ():
            publishing.enqueue(CALL_BACK, str(row.id))


def _endpoints(service_id: UUID, kind: CallbackKind) -> models.QuerySet[CallbackEndpoint, UUID]:
    """Return the id of the service's endpoint of this kind, or nothing."""
    return CallbackEndpoint.objects.filter(service_id=service_id, kind=kind).values_list("id", flat=True)


def endpoint_told_of(kind: CallbackKind) -> Subquery:
    """Return, for a query over rows of a service, the id of the endpoint that is told of them."""
    return Subquery(CallbackEndpoint.objects.filter(service=OuterRef("service"), kind=kind).values("id")[:1])


class CallbackDelivery(models.Model):
    """One callback: about a message's final status, a received text, an unsubscribe request, or a test event.

    attempts: what came of each, in order; attempt: how many claims there have been, so that a late finisher knows that
    the row is no longer its own. Its moments are the database's.
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
    enqueued_at = models.DateTimeField(null=True)
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
                fields=["claimed_until"], condition=~models.Q(claimed_until=None), name="callback_delivery_held"
            ),
        ]

    def __str__(self) -> str:
        return f"Callback delivery {str(self.id)[:8]}"

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
        """Return what a receiver knows a repetition by: the same over all tries."""
        return f"msg_{self.id.hex}"

    def accept(self, attempt: CallbackAttempt) -> bool:
        """The receiver has it. Returns, as the other two, whether the row was still ours."""
        return self._finish(attempt, state=DeliveryState.ACCEPTED, finished_at=Now())

    def give_up(self, attempt: CallbackAttempt) -> bool:
        """Nobody will try again by himself."""
        return self._finish(
            attempt, state=DeliveryState.GIVEN_UP, finished_at=Now(), failed_attempts=F("failed_attempts") + 1
        )

    def release(self, attempt: CallbackAttempt, *, delay: timedelta, is_hinted: bool) -> bool:
        """Somebody shall try again after `delay`; is_hinted: a hint for then will be given."""
        then = Now() + delay
        return self._finish(
            attempt,
            next_attempt_at=then,
            enqueued_at=then if is_hinted else None,
            failed_attempts=F("failed_attempts") + 1,
        )

    def _finish(self, attempt: CallbackAttempt, **changes: Any) -> bool:  # Any: values and expressions of the columns
        mine = CallbackDelivery.objects.filter(id=self.id, attempt=self.attempt, state=DeliveryState.WAITING)
        lost = [LOST] * (self.attempt - 1 - len(self.attempts))  # a claim that left no word
        return bool(mine.update(claimed_until=None, attempts=[*self.attempts, *lost, attempt], **changes))
