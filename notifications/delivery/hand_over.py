"""One attempt to send one claimed message, and the times of further attempts.

Source: docs/reference/sending-api.md §12, §19; docs/reference/security.md §9 to §11.
"""

import random
import time
from datetime import datetime, timedelta

import structlog
from django.conf import settings

from config.metrics import registry
from config.telemetry import traces
from notifications.delivery import pauses, providers, results, retry_times, suppressions
from notifications.delivery.claiming import Attempt, Claim, RecordedMessage, Sent
from notifications.delivery.messages import Accepted, DeliveryFailure, Outgoing, PermanentFailure, TemporaryFailure
from notifications.delivery.outgoing import message_for
from notifications.delivery.posts import LONGEST_REFERENCE
from notifications.delivery.providers import Provider, sandbox
from notifications.models import AttemptResult, Channel, KeyType, Notification, Status, SuppressionReason
from notifications.models.notification import ACCEPTED_FOR_GOOD, EXPIRED, SUPPRESSED

MAX_REPLY_CHARACTERS = 500
_UNFORESEEN = "Signalbox failed with an unexpected error. The log has the details."

# Final statuses of messages with a test key, by normalised recipient. All other recipients get `delivered`.
TEST_STATUSES = {
    "447700900003": Status.TEMPORARY_FAILURE,
    "temp-fail@simulator.notify": Status.TEMPORARY_FAILURE,
    "447700900002": Status.PERMANENT_FAILURE,
    "perm-fail@simulator.notify": Status.PERMANENT_FAILURE,
}

log = structlog.get_logger()

_chance = random.SystemRandom()


def status_once_accepted(notification: Notification, accepted: Accepted, *, has_receipts: bool) -> Status:
    """Return the status of an accepted message. has_receipts: the provider sends delivery receipts."""
    if accepted.has_arrived:
        return Status.DELIVERED
    if not has_receipts:
        return ACCEPTED_FOR_GOOD[Channel(notification.channel)]
    is_foreign_text = notification.channel == Channel.SMS and notification.is_international
    return Status.SENT if is_foreign_text else Status.SENDING


def _storable(text: str) -> str:
    """Return the text without the characters that a database rejects, such as NUL and lone surrogates."""
    return "".join(filter(str.isprintable, text))


class _TimeOver(Exception):
    """The message has reached its give-up time and must not be sent."""


class HandOver:
    """One attempt to send one message.

    The claim is already committed, so no transaction is open during the call to the provider. `run` records every
    outcome except an acceptance. The caller records acceptances in batches. If the worker dies before that, the message
    is sent again with the same reference (at least once).

    sent: the acceptance, which the caller records
    retry_in: the delay until the message is due again, if it is
    """

    def __init__(self, claim: Claim) -> None:
        self.sent: RecordedMessage | None = None
        self.retry_in: timedelta | None = None
        self._claim = claim
        self._notification = claim.notification
        self._started_at = self._claim.now()
        self._started = time.monotonic()
        self._called: Provider | None = None
        self._has_another = False

    def run(self) -> None:
        """Send the message. Raises only django.db.DatabaseError, if the outcome cannot be recorded."""
        try:
            if not self._claim.service_is_active:
                raise PermanentFailure("service archived")
            if self._notification.key_type == KeyType.TEST:
                self._end_as_test()
            elif self._claim.suppressed_by:
                self._end_as_suppressed(self._claim.suppressed_by)
            else:
                self._accept(self._send())
        except PermanentFailure as failure:
            self._fail(failure, Status.PERMANENT_FAILURE if failure.is_recipients else Status.TECHNICAL_FAILURE)
        except _TimeOver:
            self._expire()
        except TemporaryFailure as failure:
            self.retry_in = self._try_again(failure)
        except Exception as error:  # an unexpected error of an adapter must not lose the message
            log.error("notification.unforeseen", notification_id=str(self._notification.id), exc_info=error)
            has_called = self._called is not None  # without a call, no provider can have the message
            unforeseen = TemporaryFailure(type(error).__name__, reply=_UNFORESEEN, is_uncertain=has_called)
            self.retry_in = self._try_again(unforeseen)

    def note_recorded(self, *, is_recorded: bool) -> None:
        """Count and log a recorded acceptance."""
        if self.sent is None:
            return
        status = self.sent.sent.status
        self._count(status, is_recorded)
        if self._notification.key_type == KeyType.TEST:
            self._log("ended", is_recorded, status=status.value)
        else:
            self._log("sent", is_recorded)

    def _send(self) -> Accepted:
        """Send the message through the first available provider; after a failure, prefer another provider.

        After an attempt with an unknown outcome, prefer the same provider, because it can drop a duplicate. If a
        provider can find a message by its reference, look there first.
        """
        message = message_for(self._claim)
        able = providers.able_to_take(message)
        if self._may_have_been_taken and (found := self._found(message, able)):
            return found
        if self._claim.now() >= self._last_chance:
            raise _TimeOver
        last = self._notification.provider
        able.sort(key=lambda provider: (provider.name == last) is not self._is_in_doubt)
        free = next((provider for provider in able if provider.allows()), None)
        if free is None:
            raise TemporaryFailure("no provider can accept it now", opens_circuit=bool(able))
        self._called = free
        self._has_another = any(not provider.is_stopped() for provider in able if provider is not free)
        return free.send(message)

    def _found(self, message: Outgoing, able: list[Provider]) -> Accepted | None:
        """Look the message up at askable providers. If one fails, do not send: the message might go out twice."""
        for provider in able:
            if provider.is_askable and not provider.is_stopped():
                self._called = provider
                try:
                    found = provider.find(message)
                except DeliveryFailure as failure:
                    opens_circuit = isinstance(failure, TemporaryFailure) and failure.opens_circuit
                    raise TemporaryFailure(
                        f"asked: {failure.reason}", reply=failure.reply, is_uncertain=True, opens_circuit=opens_circuit
                    ) from failure
                if found:
                    return found
        return None

    @property
    def _last_chance(self) -> datetime:
        """Return the give-up time of the message. The time in which its channel was stopped does not count."""
        channel, due_at = Channel(self._notification.channel), self._notification.due_at
        usual, now = due_at + timedelta(hours=settings.GIVE_UP_HOURS[channel]), self._claim.now()
        if now < usual:
            return usual
        return usual + pauses.stopped_time(channel, providers.names_for(channel), due_at, now)

    @property
    def _provider(self) -> str:
        return self._called.name if self._called else ""

    @property
    def _may_have_been_taken(self) -> bool:
        """Return whether the outcome of an attempt is unknown. A claim without a recorded attempt counts as one."""
        attempts = self._notification.attempts
        return len(attempts) < self._notification.attempt - 1 or any(one["outcome"] == "uncertain" for one in attempts)

    @property
    def _is_in_doubt(self) -> bool:
        attempts = self._notification.attempts
        return bool(attempts) and attempts[-1]["outcome"] == "uncertain"

    def _accept(self, accepted: Accepted) -> None:
        has_receipts = self._called is not None and self._called.adapter.sends_receipts
        sent = Sent(
            status=status_once_accepted(self._notification, accepted, has_receipts=has_receipts),
            at=self._claim.now(),
            provider=self._provider,
            reference=_storable(accepted.reference)[:LONGEST_REFERENCE],
            is_acceptance_final=not has_receipts and not accepted.has_arrived,
        )
        self.sent = RecordedMessage(claim=self._claim, attempt=self._attempt("accepted", accepted.reply), sent=sent)

    def _end_as_test(self) -> None:
        """End a message with a test key. It goes to the sandbox inbox, if that is on, and to no provider.

        A rule of the sandbox may make it wait for a result that the sandbox reports later.
        """
        status = TEST_STATUSES.get(self._notification.normalised_recipient, Status.DELIVERED)
        if settings.SANDBOX_INBOX and not sandbox.take(message_for(self._claim)).has_arrived:
            status = Status.SENDING
        sent = Sent(status=status, at=self._claim.now())
        self.sent = RecordedMessage(claim=self._claim, attempt=self._attempt("test"), sent=sent)

    def _end_as_suppressed(self, reason: SuppressionReason) -> None:
        status = Status.PERMANENT_FAILURE
        is_recorded = self._end_without_attempt(SUPPRESSED, status, reply=reason.value)
        self._log("suppressed", is_recorded, reason=reason.value, status=status.value)

    def _fail(self, failure: PermanentFailure, status: Status) -> None:
        attempt = self._attempt("permanent", failure.reply or failure.reason, reason=failure.reason)
        is_recorded = self._claim.fail(attempt, status=status, at=self._claim.now())
        self._count(status, is_recorded)
        if is_recorded and failure.is_recipients:
            suppressions.add_after_rejection(self._notification, attempt["reply"])
        self._log("failed", is_recorded, reason=failure.reason, status=status.value)

    def _expire(self, *attempts: Attempt) -> None:
        """End the message because its give-up time is over. attempts: the attempt of this claim, if it made one."""
        status = Status.TECHNICAL_FAILURE
        is_recorded = self._end_without_attempt(EXPIRED, status, *attempts)
        if is_recorded:
            registry.EXPIRED.add(self._notification.channel, self._notification.key_type)
        self._log("expired", is_recorded, status=status.value)

    def _end_without_attempt(self, outcome: str, status: Status, *attempts: Attempt, reply: str = "") -> bool:
        """Record an outcome that no provider decided. Return whether this worker still had the claim."""
        now = self._claim.now()
        entry = Attempt(at=now.isoformat(), provider="", outcome=outcome, reply=reply, ms=0)
        is_recorded = self._claim.fail(*attempts, entry, status=status, at=now)
        self._count(status, is_recorded)
        return is_recorded

    def _try_again(self, failure: TemporaryFailure) -> timedelta | None:
        """Schedule the next attempt and return its delay, or expire the message and return None."""
        outcome = "uncertain" if failure.is_uncertain else "temporary"
        attempt = self._attempt(outcome, failure.reply or failure.reason, reason=failure.reason)
        left = self._last_chance - self._claim.now()
        if left <= timedelta(0):
            self._expire(*([attempt] if self._called else []))
            return None
        delay = min(self._delay(failure), left)
        if failure.opens_circuit and not self._is_new_attempt(attempt):
            is_recorded = self._claim.put_back(delay=delay)
        else:
            is_recorded = self._claim.release(attempt, delay=delay, counts=not failure.opens_circuit)
        self._log("deferred", is_recorded, reason=failure.reason, seconds=round(delay.total_seconds()))
        return delay if is_recorded else None

    def _delay(self, failure: TemporaryFailure) -> timedelta:
        has_another = self._has_another and not failure.is_uncertain
        if failure.opens_circuit:
            if has_another:
                return timedelta(0)
            return retry_times.until_next_probe(_chance)
        failed_attempts = self._notification.failed_attempts + 1
        delay = retry_times.delay_after(failed_attempts, another_provider=has_another, chance=_chance)
        return failure.retry_after if failure.retry_after and delay else delay

    def _is_new_attempt(self, attempt: Attempt) -> bool:
        """Return whether the timeline lacks this attempt. A message may wait for days for an open circuit."""
        if not self._provider:
            return False
        last = self._notification.attempts[-1:]
        return not any((one["provider"], one["reply"]) == (attempt["provider"], attempt["reply"]) for one in last)

    def _attempt(self, outcome: str, reply: str = "", *, reason: str = "") -> Attempt:
        if self._provider:
            seconds = time.monotonic() - self._started
            registry.ATTEMPTS.observe(self._provider, outcome, seconds=seconds)
            results.note(self._provider, AttemptResult(outcome), error=reason, seconds=seconds)
            if traces.recorders:
                channel, identifier = self._notification.channel, self._notification.request_id
                given = {"provider": self._provider, "outcome": outcome, "channel": channel}
                traces.record(f"send {channel}", identifier, given, seconds=seconds)
        return Attempt(
            at=self._started_at.isoformat(),
            provider=self._provider,
            outcome=outcome,
            reply=_storable(reply)[:MAX_REPLY_CHARACTERS],
            ms=round((time.monotonic() - self._started) * 1000),
        )

    def _count(self, status: Status, is_recorded: bool) -> None:
        if is_recorded:
            registry.MESSAGES.add(self._notification.channel, self._notification.key_type, status.value)

    def _log(self, event: str, is_recorded: bool, **details: object) -> None:
        log.info(
            f"notification.{event}" if is_recorded else "notification.finished_late",
            notification_id=str(self._notification.id),
            provider=self._provider,
            attempt=self._notification.attempt,
            **details,
        )
