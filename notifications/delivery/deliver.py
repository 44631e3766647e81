"""Hand one stored message to a provider. Source: the sending contract §12, §19; Security and reliability §9 to §11."""

import random
import time
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from config import figures
from notifications.delivery import providers, retries
from notifications.delivery.carrier import Carrier
from notifications.delivery.messages import Accepted, DeliveryFailure, Outgoing, PermanentFailure, TemporaryFailure
from notifications.delivery.outgoing import message_for
from notifications.delivery.posts import LONGEST_REFERENCE
from notifications.delivery.providers import sandbox
from notifications.models import Attempt, Channel, Claim, KeyType, Notification, Sent, Status
from notifications.models.notification import ACCEPTED_FOR_GOOD, EXPIRED

MAX_REPLY_CHARACTERS = 500
NOTE_AGAIN_AFTER_SECONDS = (0.2, 0.8, 2.0, 3.0)  # the end of a transaction that holds the row, or a switchover
_UNFORESEEN = "Signalbox had an error of its own. Operators find it in the log."

# What becomes of a test key's message, by normalised recipient; everything else is delivered.
TEST_STATUSES = {
    "447700900003": Status.TEMPORARY_FAILURE,
    "temp-fail@simulator.notify": Status.TEMPORARY_FAILURE,
    "447700900002": Status.PERMANENT_FAILURE,
    "perm-fail@simulator.notify": Status.PERMANENT_FAILURE,
}

log = structlog.get_logger()

_chance = random.SystemRandom()


def deliver(notification_id: UUID) -> timedelta | None:
    """Send one stored notification at most once per claim. Returns after how long to try again, if that is to be.

    The claim is committed before the provider is called: no transaction is open during network I/O.
    If the worker dies after the provider accepted, the sweep sends again with the same reference (at least once).
    """
    claim = Claim.take(notification_id)
    if claim is None:  # another worker has it, or it is done
        return None
    return hand_over(claim)[0]


def hand_over(claim: Claim, *, then: UUID | None = None) -> tuple[timedelta | None, Claim | None]:
    """Send the message a worker has taken. Returns what `deliver` does, and the next message if that was to be taken.

    then: to be taken with the word that this one was accepted; not after a failure.
    """
    delivery = _Delivery(claim)
    try:
        if not claim.service_is_active:
            raise PermanentFailure("service archived")
        if claim.notification.key_type == KeyType.TEST:
            delivery.end_as_test()
        else:
            return None, delivery.note(delivery.send(), then)
    except PermanentFailure as failure:
        delivery.fail(failure, Status.PERMANENT_FAILURE if failure.is_recipients else Status.TECHNICAL_FAILURE)
    except _TimeOver:
        delivery.expire()
    except TemporaryFailure as failure:
        return delivery.try_again(failure), None
    except Exception as error:  # whatever a provider's adapter raises, the message is tried again
        log.error("notification.unforeseen", notification_id=str(claim.notification.id), exc_info=error)
        unforeseen = TemporaryFailure(type(error).__name__, reply=_UNFORESEEN, is_uncertain=delivery.has_asked)
        return delivery.try_again(unforeseen), None
    return None, None


def status_once_accepted(notification: Notification, accepted: Accepted, *, reports: bool) -> Status:
    """Return the status of a message that a provider has accepted. reports: the provider reports deliveries."""
    if accepted.has_arrived:
        return Status.DELIVERED
    if not reports:
        return ACCEPTED_FOR_GOOD[Channel(notification.channel)]
    is_foreign_text = notification.channel == Channel.SMS and notification.is_international
    return Status.SENT if is_foreign_text else Status.SENDING


def _storable(text: str) -> str:
    """Return the text without what a database refuses, NUL and halves of characters among it."""
    return "".join(filter(str.isprintable, text))


class _TimeOver(Exception):
    """The message is past its give-up time and must not go out any more."""


class _Delivery:
    """One claim on its way to an outcome, with the clock running."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._notification = claim.notification
        self._started_at = timezone.now()
        self._started = time.monotonic()
        self._carrier: Carrier | None = None
        self._has_another = False

    def send(self) -> Accepted:
        """Hand the message to the first provider that may take it, after a failure rather to another one.

        Not so after an attempt nobody knows the outcome of: who may have it already can drop the copy, others cannot.
        Those who can be asked whether they have it are asked first.
        """
        message = message_for(self._claim)
        able = providers.able_to_take(message)
        if self._may_have_been_taken and (found := self._found(message, able)):
            return found
        if timezone.now() >= self._last_chance:
            raise _TimeOver
        last = self._notification.provider
        able.sort(key=lambda carrier: (carrier.name == last) is not self._is_in_doubt)
        free = next((carrier for carrier in able if carrier.lets_in()), None)
        if free is None:
            raise TemporaryFailure("no provider can take it now", is_our_fault=bool(able))
        self._carrier = free
        self._has_another = any(not carrier.is_paused() for carrier in able if carrier is not free)
        return free.send(message)

    def _found(self, message: Outgoing, able: list[Carrier]) -> Accepted | None:
        """Ask those who can tell. One that should and cannot now leaves the doubt: sent again it might go twice."""
        for carrier in able:
            if carrier.is_askable and not carrier.is_paused():
                self._carrier = carrier
                try:
                    found = carrier.find(message)
                except DeliveryFailure as failure:
                    is_our_fault = isinstance(failure, TemporaryFailure) and failure.is_our_fault
                    raise TemporaryFailure(
                        f"asked: {failure.reason}", reply=failure.reply, is_uncertain=True, is_our_fault=is_our_fault
                    ) from failure
                if found:
                    return found
        return None

    @property
    def has_asked(self) -> bool:
        """Return whether a provider has been called; before that, nobody can have the message."""
        return self._carrier is not None

    @property
    def _last_chance(self) -> datetime:
        return retries.give_up_at(self._notification.channel, self._notification.due_at)

    @property
    def _provider(self) -> str:
        return self._carrier.name if self._carrier else ""

    @property
    def _may_have_been_taken(self) -> bool:
        """Say whether of any attempt nobody knows the outcome: of a claim that left no word, too."""
        attempts = self._notification.attempts
        return len(attempts) < self._notification.attempt - 1 or any(one["outcome"] == "uncertain" for one in attempts)

    @property
    def _is_in_doubt(self) -> bool:
        attempts = self._notification.attempts
        return bool(attempts) and attempts[-1]["outcome"] == "uncertain"

    def note(self, accepted: Accepted, then: UUID | None) -> Claim | None:
        reports = self._carrier is not None and self._carrier.provider.reports_deliveries
        status = status_once_accepted(self._notification, accepted, reports=reports)
        sent = Sent(
            status=status,
            at=timezone.now(),
            provider=self._provider,
            reference=_storable(accepted.reference)[:LONGEST_REFERENCE],
            is_acceptance_final=not reports and not accepted.has_arrived,
        )
        was_ours, following = self._mark_sent(self._attempt("accepted", accepted.reply), sent, then)
        self._count(status, was_ours)
        self._say("sent", was_ours)
        return following

    def _mark_sent(self, attempt: Attempt, sent: Sent, then: UUID | None) -> tuple[bool, Claim | None]:
        """Note the acceptance, again and again for some seconds: a message that is not noted goes out twice."""
        for pause_seconds in NOTE_AGAIN_AFTER_SECONDS:
            try:
                return self._claim.mark_sent_and_take(then, attempt, sent)
            except DatabaseError as error:
                log.warning("notification.not_noted", notification_id=str(self._notification.id), exc_info=error)
                close_old_connections()
                time.sleep(pause_seconds)
        return self._claim.mark_sent_and_take(then, attempt, sent)

    def end_as_test(self) -> None:
        """A test key's message is handed to no provider; where there is a sandbox inbox, it is seen there."""
        if settings.SANDBOX_INBOX:
            sandbox.keep(message_for(self._claim))
        status = TEST_STATUSES.get(self._notification.normalised_recipient, Status.DELIVERED)
        was_ours = self._claim.mark_sent(self._attempt("test"), Sent(status=status, at=timezone.now()))
        self._count(status, was_ours)
        self._say("ended", was_ours, status=status.value)

    def fail(self, failure: DeliveryFailure, status: Status) -> None:
        attempt = self._attempt("permanent", failure.reply or failure.reason)
        was_ours = self._claim.fail(attempt, status=status, at=timezone.now())
        self._count(status, was_ours)
        self._say("failed", was_ours, reason=failure.reason, status=status.value)

    def expire(self, *attempts: Attempt) -> None:
        """End the message because its time is over. attempts: the last one, if there was one."""
        now, status = timezone.now(), Status.TECHNICAL_FAILURE
        over = Attempt(at=now.isoformat(), provider="", outcome=EXPIRED, reply="", ms=0)
        was_ours = self._claim.fail(*attempts, over, status=status, at=now)
        self._count(status, was_ours)
        if was_ours:
            figures.EXPIRED.add(self._notification.channel, self._notification.key_type)
        self._say("expired", was_ours, status=status.value)

    def try_again(self, failure: TemporaryFailure) -> timedelta | None:
        """Let the message go until its next time. Past the give-up time there is none."""
        attempt = self._attempt("uncertain" if failure.is_uncertain else "temporary", failure.reply or failure.reason)
        left = self._last_chance - timezone.now()
        if left <= timedelta(0):
            self.expire(*([attempt] if self._carrier else []))
            return None
        delay = min(self._delay(failure), left)
        if failure.is_our_fault and not self._is_news(attempt):
            was_ours = self._claim.put_back(delay=delay)
        else:
            was_ours = self._claim.release(attempt, delay=delay, counts=not failure.is_our_fault)
        self._say("deferred", was_ours, reason=failure.reason, seconds=round(delay.total_seconds()))
        return delay if was_ours else None

    def _delay(self, failure: TemporaryFailure) -> timedelta:
        has_another = self._has_another and not failure.is_uncertain
        if failure.is_our_fault:
            return timedelta(0) if has_another else retries.delay_while_paused(_chance)
        failed_attempts = self._notification.failed_attempts + 1
        delay = retries.delay_after(failed_attempts, another_provider=has_another, chance=_chance)
        return failure.retry_after if failure.retry_after and delay else delay

    def _is_news(self, attempt: Attempt) -> bool:
        """Say whether it is worth a line of the timeline: a message may wait for a paused provider for days."""
        if not self._provider:
            return False
        last = self._notification.attempts[-1:]
        return not any((one["provider"], one["reply"]) == (attempt["provider"], attempt["reply"]) for one in last)

    def _attempt(self, outcome: str, reply: str = "") -> Attempt:
        if self._provider:
            figures.ATTEMPTS.add(self._provider, outcome, seconds=time.monotonic() - self._started)
        return Attempt(
            at=self._started_at.isoformat(),
            provider=self._provider,
            outcome=outcome,
            reply=_storable(reply)[:MAX_REPLY_CHARACTERS],
            ms=round((time.monotonic() - self._started) * 1000),
        )

    def _count(self, status: Status, was_ours: bool) -> None:
        if was_ours:
            figures.MESSAGES.add(self._notification.channel, self._notification.key_type, status.value)

    def _say(self, what: str, was_ours: bool, **details: object) -> None:
        log.info(
            f"notification.{what}" if was_ours else "notification.finished_late",
            notification_id=str(self._notification.id),
            provider=self._provider,
            attempt=self._notification.attempt,
            **details,
        )
