"""Make one callback and record its result.

Source: docs/reference/sending-api.md §20; docs/reference/security.md §9 to §12.
"""

import random
import time
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.utils import timezone

from config.encryption import DecryptionFailed
from config.metrics import registry
from config.outbound import http_client
from config.outbound.http_client import CallFailed, Resolve
from config.outbound.targets import UnsafeUrl
from config.telemetry import traces
from notifications.delivery.callbacks import bodies, counts, health, signatures
from notifications.models import CallbackAttempt, CallbackDelivery, CallResult, PauseReason

# Of the whole call, the DNS lookup included. Section 20 of the sending API limits callbacks to 5 s; section 12 of
# security and reliability allows 10 s for other calls.
SECONDS = 5.0
MAX_REPLY_CHARACTERS = 4096  # what the delivery log shows

_DELAYS = [
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
]
_SPREAD = 0.2  # ± 20 %, so that calls that failed together are not retried together

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """The result of one attempt. status: None without an answer; reply: the answer, or the reason for having none."""

    status: int | None
    reply: str

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_temporary(self) -> bool:
        return self.status is None or self.status == 429 or self.status >= 500


def make(delivery: CallbackDelivery, *, resolve: Resolve = http_client.resolve) -> timedelta | None:
    """Make a claimed callback. Return the delay until it is due again, or None if it is finished.

    The claim is already committed, so no transaction is open during the call. If the worker dies after the receiver
    has accepted, another worker repeats the call with the same webhook-id (at least once).
    """
    started_at, started = timezone.now(), time.monotonic()
    outcome = _post(delivery, resolve)

    def attempt(name: str) -> CallbackAttempt:
        return CallbackAttempt(
            at=started_at.isoformat(),
            outcome=name,
            status=outcome.status,
            reply=outcome.reply,
            ms=round((time.monotonic() - started) * 1000),
        )

    delay = delay_after(delivery.failed_attempts + 1, chance=random.SystemRandom())
    retry_in = None
    if outcome.is_accepted:
        result, is_recorded = CallResult.ACCEPTED, delivery.accept(attempt("accepted"))
        health.note_success(delivery.endpoint)
    elif outcome.is_temporary and delay is not None:
        result, is_recorded = CallResult.RETRY, delivery.release(attempt("temporary"), delay=delay)
        retry_in = delay if is_recorded else None
        health.note_failure(delivery.endpoint)
    else:
        result = CallResult.GIVEN_UP
        is_recorded = delivery.give_up(attempt("temporary" if outcome.is_temporary else "permanent"))
        health.note_failure(delivery.endpoint)
        if outcome.status == 410 and not delivery.endpoint.is_of_requests:  # the URL of one request is gone
            health.pause(delivery.endpoint, PauseReason.GONE)
    status = "none" if outcome.status is None else str(outcome.status)
    registry.CALLBACKS.add(status)
    if is_recorded:
        counts.count(delivery, result)
    if traces.recorders and delivery.notification is not None:
        identifier = delivery.notification.request_id
        traces.record("callback", identifier, {"outcome": status}, seconds=time.monotonic() - started)
    log.info(
        "callback.made" if is_recorded else "callback.finished_late",
        callback_id=str(delivery.id),
        endpoint_id=str(delivery.endpoint_id),
        status=outcome.status,
        attempt=delivery.attempt,
    )
    return retry_in


def delay_after(failed_attempts: int, *, chance: random.Random) -> timedelta | None:
    """Return the delay after this number of failures, or None after the last attempt.

    >>> delay_after(1, chance=random.Random(4)), delay_after(10, chance=random.Random(4))
    (datetime.timedelta(seconds=4, microseconds=472096), None)
    """
    if failed_attempts > len(_DELAYS):
        return None
    return _DELAYS[failed_attempts - 1] * chance.uniform(1 - _SPREAD, 1 + _SPREAD)


def _post(delivery: CallbackDelivery, resolve: Resolve) -> _Outcome:
    endpoint = delivery.endpoint
    try:
        body = bodies.body_of(delivery)
        answer = http_client.post(
            delivery.url,
            body,
            {
                "Content-Type": "application/json",
                "Authorization": f"Bearer {delivery.bearer_token}",
                **signatures.headers(
                    delivery.webhook_id, body, endpoint.signing_secrets(timezone.now()), timezone.now()
                ),
            },
            seconds=SECONDS,
            resolve=resolve,
        )
    except UnsafeUrl as error:
        return _Outcome(status=None, reply=f"Not called: the URL {error}.")
    except CallFailed as error:
        return _Outcome(status=None, reply=f"{str(error)[:1].upper()}{str(error)[1:]}.")
    except DecryptionFailed:
        return _Outcome(
            status=None, reply="Not called: FIELD_KEYS lacks the key that encrypted the secrets of this callback."
        )
    except Exception as error:  # an unexpected error must not end the callback: its schedule retries it
        log.error("callback.unforeseen", callback_id=str(delivery.id), exc_info=error)
        return _Outcome(status=None, reply=f"Not called: {type(error).__name__}.")
    return _Outcome(status=answer.status, reply=_readable(answer.body))


def _readable(reply: bytes) -> str:
    """Return the printable part of an answer. PostgreSQL's JSON rejects NUL."""
    text = reply[: 4 * MAX_REPLY_CHARACTERS].decode(errors="replace")
    return "".join(one for one in text if one.isprintable() or one in "\n\t")[:MAX_REPLY_CHARACTERS]
