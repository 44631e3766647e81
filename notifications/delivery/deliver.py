"""Hand one stored message to a provider. Source: the sending contract §12, §19; Security and reliability §9 to §11."""

import random
import time
from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone

from notifications.delivery import providers, retries
from notifications.delivery.messages import Accepted, DeliveryFailure, PermanentFailure, TemporaryFailure
from notifications.delivery.outgoing import message_for
from notifications.delivery.providers import sandbox
from notifications.models import Attempt, Channel, Claim, KeyType, Notification, Status

MAX_REPLY_CHARACTERS = 500

# What becomes of a test key's message, by normalised recipient; everything else is delivered.
TEST_STATUSES = {
    "447700900003": Status.TEMPORARY_FAILURE,
    "temp-fail@simulator.notify": Status.TEMPORARY_FAILURE,
    "447700900002": Status.PERMANENT_FAILURE,
    "perm-fail@simulator.notify": Status.PERMANENT_FAILURE,
}

log = structlog.get_logger()


def deliver(notification_id: UUID) -> timedelta | None:
    """Send one stored notification at most once per claim. Returns after how long to try again, if that is to be.

    The claim is committed before the provider is called: no transaction is open during network I/O.
    If the worker dies after the provider accepted, the sweep sends again with the same reference (at least once).
    """
    claim = Claim.take(notification_id)
    if claim is None:  # another worker has it, or it is done
        return None
    delivery = _Delivery(claim)
    try:
        if not claim.service_is_active:
            raise PermanentFailure("service archived")
        if claim.notification.key_type == KeyType.TEST:
            delivery.end_as_test()
        else:
            delivery.note(delivery.send())
    except PermanentFailure as failure:
        delivery.fail(failure, Status.PERMANENT_FAILURE if failure.is_recipients else Status.TECHNICAL_FAILURE)
    except TemporaryFailure as failure:
        return delivery.try_again(failure)
    except Exception as error:  # whatever a provider's adapter raises, the message is tried again
        log.error("notification.unforeseen", notification_id=str(notification_id), exc_info=error)
        return delivery.try_again(TemporaryFailure(type(error).__name__, is_uncertain=True))
    return None


def status_once_accepted(notification: Notification, accepted: Accepted) -> Status:
    """Return what a provider's acceptance makes of a message: for foreign texts it is the last word, mostly."""
    if accepted.has_arrived:
        return Status.DELIVERED
    is_foreign_text = notification.channel == Channel.SMS and notification.is_international
    return Status.SENT if is_foreign_text else Status.SENDING


class _Delivery:
    """One claim on its way to an outcome, with the clock running."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._notification = claim.notification
        self._started_at = timezone.now()
        self._started = time.monotonic()
        self._provider = ""
        self._others: list[providers.Carrier] = []

    def send(self) -> Accepted:
        """Hand the message to the first provider that may take it, after a failure rather to another one."""
        message = message_for(self._claim)
        able = providers.able_to_take(message)
        able.sort(key=lambda carrier: carrier.name == self._notification.provider)  # the one that failed comes last
        if not able:
            raise TemporaryFailure("no provider can take it now")
        self._provider = able[0].name
        self._others = able[1:]
        return able[0].send(message)

    def note(self, accepted: Accepted) -> None:
        was_ours = self._claim.mark_sent(
            self._attempt("accepted", accepted.reply),
            status=status_once_accepted(self._notification, accepted),
            at=timezone.now(),
            provider=self._provider,
            reference=accepted.reference,
        )
        self._say("sent", was_ours)

    def end_as_test(self) -> None:
        """A test key's message is handed to no provider; where there is a sandbox inbox, it is seen there."""
        if settings.SANDBOX_INBOX:
            sandbox.keep(message_for(self._claim))
        status = TEST_STATUSES.get(self._notification.normalised_recipient, Status.DELIVERED)
        was_ours = self._claim.mark_sent(self._attempt("test"), status=status, at=timezone.now(), provider="")
        self._say("ended", was_ours, status=status.value)

    def fail(self, failure: DeliveryFailure, status: Status) -> None:
        attempt = self._attempt("permanent", failure.reply or failure.reason)
        was_ours = self._claim.fail(attempt, status=status, at=timezone.now())
        self._say("failed", was_ours, reason=failure.reason, status=status.value)

    def try_again(self, failure: TemporaryFailure) -> timedelta | None:
        """Let the message go until its next time. Past the give-up time there is none."""
        now = timezone.now()
        last_chance = retries.give_up_at(self._notification.channel, self._notification.due_at)
        if now >= last_chance:
            self.fail(failure, Status.TECHNICAL_FAILURE)
            return None
        failed_attempts = self._notification.failed_attempts + 1
        delay = retries.delay_after(failed_attempts, another_provider=bool(self._others), chance=random.SystemRandom())
        delay = min(delay, last_chance - now)
        attempt = self._attempt("uncertain" if failure.is_uncertain else "temporary", failure.reply or failure.reason)
        was_ours = self._claim.release(attempt, delay=delay)
        self._say("deferred", was_ours, reason=failure.reason, seconds=round(delay.total_seconds()))
        return delay if was_ours else None

    def _attempt(self, outcome: str, reply: str = "") -> Attempt:
        return Attempt(
            at=self._started_at.isoformat(),
            provider=self._provider,
            outcome=outcome,
            reply="".join(filter(str.isprintable, reply))[:MAX_REPLY_CHARACTERS],  # PostgreSQL's JSON refuses NUL
            ms=round((time.monotonic() - self._started) * 1000),
        )

    def _say(self, what: str, was_ours: bool, **details: object) -> None:
        log.info(
            f"notification.{what}" if was_ours else "notification.finished_late",
            notification_id=str(self._notification.id),
            provider=self._provider,
            attempt=self._notification.attempt,
            **details,
        )
