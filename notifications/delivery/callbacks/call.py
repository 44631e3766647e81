"""Make one callback: claim the row, post, note what came of it.

Source: the sending contract §20; Security and reliability §9 to §12.
"""

import random
import time
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog
from django.utils import timezone

from config import figures, outbound_call
from config.outbound import UnsafeUrl
from config.outbound_call import CallFailed, Resolve
from config.sealing import SealBroken
from notifications.delivery.callbacks import bodies, health, signatures
from notifications.models import CallbackAttempt, CallbackDelivery, PauseReason

# All in all, the look-up included. Security and reliability §12 has 10 s for whatever goes through the guard; the
# sending contract §20, which is about callbacks alone, has 5 s.
SECONDS = 5.0
HINTED_UP_TO = timedelta(minutes=1)  # longer waits are left to the sweep: a worker holds what it is told early
MAX_REPLY_CHARACTERS = 4096  # what the delivery log shows

_DELAYS = [
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
]
_SPREAD = 0.2  # ± 20 %, so that what failed together does not come back together

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What one try has come to. status: None where nobody answered; reply: what was answered, or our own words."""

    status: int | None
    reply: str

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_worth_another_try(self) -> bool:
        return self.status is None or self.status == 429 or self.status >= 500


def call_back(delivery_id: UUID, *, resolve: Resolve = outbound_call.resolve) -> timedelta | None:
    """Make one callback that is due, at most once per claim. Returns after how long a hint for the next try is due.

    The claim is committed before anything is posted: no transaction is open meanwhile. If the worker dies after the
    receiver has accepted, the sweep calls again with the same webhook-id (at least once).
    """
    delivery = CallbackDelivery.objects.take(delivery_id)
    if delivery is None:  # another worker has it, it is done, or its endpoint is paused
        return None
    return make(delivery, resolve=resolve)


def make(delivery: CallbackDelivery, *, resolve: Resolve = outbound_call.resolve) -> timedelta | None:
    """Make the callback a worker has taken. Returns as `call_back` does."""
    started_at, started = timezone.now(), time.monotonic()
    outcome = _post(delivery, resolve)

    def attempt(word: str) -> CallbackAttempt:
        return CallbackAttempt(
            at=started_at.isoformat(),
            outcome=word,
            status=outcome.status,
            reply=outcome.reply,
            ms=round((time.monotonic() - started) * 1000),
        )

    delay = delay_after(delivery.failed_attempts + 1, chance=random.SystemRandom())
    hint_in = None
    if outcome.is_accepted:
        was_ours = delivery.accept(attempt("accepted"))
        health.note_success(delivery.endpoint)
    elif outcome.is_worth_another_try and delay is not None:
        is_hinted = delay <= HINTED_UP_TO
        was_ours = delivery.release(attempt("temporary"), delay=delay, is_hinted=is_hinted)
        hint_in = delay if was_ours and is_hinted else None
        health.note_failure(delivery.endpoint)
    else:
        was_ours = delivery.give_up(attempt("temporary" if outcome.is_worth_another_try else "permanent"))
        health.note_failure(delivery.endpoint)
        if outcome.status == 410:
            health.pause(delivery.endpoint, PauseReason.GONE)
    figures.CALLBACKS.add("none" if outcome.status is None else str(outcome.status))
    log.info(
        "callback.made" if was_ours else "callback.finished_late",
        callback_id=str(delivery.id),
        endpoint_id=str(delivery.endpoint_id),
        status=outcome.status,
        attempt=delivery.attempt,
    )
    return hint_in


def delay_after(failed_attempts: int, *, chance: random.Random) -> timedelta | None:
    """Return how long to wait after so many failures; None: that was the last try.

    >>> delay_after(1, chance=random.Random(4)), delay_after(10, chance=random.Random(4))
    (datetime.timedelta(seconds=4, microseconds=472090), None)
    """
    if failed_attempts > len(_DELAYS):
        return None
    return _DELAYS[failed_attempts - 1] * chance.uniform(1 - _SPREAD, 1 + _SPREAD)


def _post(delivery: CallbackDelivery, resolve: Resolve) -> _Outcome:
    endpoint = delivery.endpoint
    try:
        body = bodies.body_of(delivery)
        answer = outbound_call.post(
            endpoint.url,
            body,
            {
                "Content-Type": "application/json",
                "Authorization": f"Bearer {endpoint.bearer_token}",
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
    except SealBroken:
        return _Outcome(status=None, reply="Not called: the secrets of this callback were sealed under a key not here.")
    except Exception as error:  # whatever is wrong with one endpoint: the callback is tried again, by its schedule
        log.error("callback.unforeseen", callback_id=str(delivery.id), exc_info=error)
        return _Outcome(status=None, reply=f"Not called: {type(error).__name__}.")
    return _Outcome(status=answer.status, reply=_readable(answer.body))


def _readable(reply: bytes) -> str:
    """Return what can be shown and stored of an answer: PostgreSQL's JSON refuses NUL."""
    text = reply[: 4 * MAX_REPLY_CHARACTERS].decode(errors="replace")
    return "".join(one for one in text if one.isprintable() or one in "\n\t")[:MAX_REPLY_CHARACTERS]
