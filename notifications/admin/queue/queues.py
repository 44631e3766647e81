"""The rows of queues, failed work and workers on the page. Source: docs/reference/console.md §3.14."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models.functions import Now
from kombu.exceptions import KombuError

from config import formats
from config.jobs import failed
from config.queue import publishing, unreadable, worker_processes
from config.queue.titles import TITLES
from config.queue.worker_processes import COUNTED_SECONDS, WorkerProcess
from config.utc_days import today
from notifications.delivery import providers, queue_states
from notifications.delivery.pauses import is_stopped
from notifications.delivery.queue_states import QueueState
from notifications.jobs import sums
from notifications.models import CallbackDelivery, Channel, DeliveryState, PauseKind, SendingPause, Status

CHANNELS = {f"send-{channel.value}": channel for channel in Channel}
_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One line of the table. wake_ups: None if the queue does not answer; failed: a text, "" if nothing can fail"""

    title: str
    state: QueueState
    age: str
    failed: str
    wake_ups: int | None
    workers: int
    pause: SendingPause | None = None
    is_stopped: bool = False
    channel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedWork:
    """Work that Signalbox has given up, with the number of each kind. unreadable: None if the queue is unavailable"""

    callbacks: int
    jobs: int
    rules: int
    unreadable: int | None


def wake_ups() -> dict[str, int]:
    """Return the messages in each queue, and those that were moved aside. It is empty if the broker is unavailable."""
    try:
        return publishing.waiting(*settings.WORKER_QUEUES, unreadable.QUEUE)
    except (KombuError, OSError):
        return {}


def unreadable_number() -> int | None:
    return wake_ups().get(unreadable.QUEUE)


def failed_work(waiting: dict[str, int]) -> FailedWork:
    return FailedWork(
        callbacks=given_up().count(),
        jobs=failed.bulk_jobs().count(),
        rules=failed.clean_up().count(),
        unreadable=waiting.get(unreadable.QUEUE),
    )


def given_up() -> Any:  # Any: the query set of callbacks
    return CallbackDelivery.objects.filter(state=DeliveryState.GIVEN_UP)


def rows(waiting: dict[str, int], work: FailedWork, pauses: dict[tuple[str, str], SendingPause]) -> Iterator[QueueRow]:
    """Return a line for each queue, in the order of TITLES."""
    states = {state.queue: state for state in [*queue_states.of_all(), _of_jobs()]}
    workers = worker_processes.numbers()
    failures = {"callbacks": formats.number(work.callbacks), "upkeep": formats.number(work.jobs + work.rules)}
    failures |= {f"send-{channel}": f"{formats.number(n)} in {_DAYS} days" for channel, n in _failed_messages().items()}
    for queue, title in TITLES.items():
        state = states.get(queue, QueueState(queue=queue))
        channel = CHANNELS.get(queue)
        yield QueueRow(
            title=title,
            state=state,
            age=formats.duration(state.oldest_seconds) if state.oldest else "",
            failed=failures.get(queue, ""),
            wake_ups=waiting.get(queue) if waiting else None,
            workers=workers.get(queue, 0),
            pause=pauses.get((PauseKind.CHANNEL, channel)) if channel else None,
            is_stopped=channel is not None and is_stopped(channel, providers.names_for(channel)),
            channel=channel.value if channel else "",
        )


def seen_workers() -> list[dict[str, Any]]:
    """Return the worker processes of the last minute, by machine and queues."""
    seen = WorkerProcess.objects.filter(seen_at__gte=Now() - timedelta(seconds=COUNTED_SECONDS))
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for holder, queues, seen_at in seen.values_list("holder", "queues", "seen_at").order_by("holder"):
        machine = holder.rpartition("-")[0]
        titles = ", ".join(TITLES.get(queue, queue) for queue in queues.split(","))
        new = {"machine": machine, "queues": titles, "number": 0, "seen": seen_at}
        group = found.setdefault((machine, titles), new)
        group["number"] += 1
        group["seen"] = max(group["seen"], seen_at)
    return [
        {**group, "ago": formats.duration(max(0.0, (datetime.now(UTC) - group["seen"]).total_seconds()))}
        for group in found.values()
    ]


def _of_jobs() -> QueueState:
    jobs = failed.unfinished()
    return QueueState(queue="upkeep", waiting=jobs.waiting, running=jobs.running, oldest=jobs.oldest)


def _failed_messages() -> dict[str, int]:
    """Return the messages that failed in Signalbox or at a provider in the last days, by channel."""
    first = today() - timedelta(days=_DAYS - 1)
    counted = sums.messages(("channel",), first=first, status=Status.TECHNICAL_FAILURE)
    return {channel: number for (channel,), number in counted.items()}
