"""Tell the workers about a row, once it is stored.

The row is the truth and this only a hint: whatever is lost here, a sweep finds. So a broker that is dead or hung never
breaks a request and hardly delays one. Measured on 2026-11-21 with Redis stopped: 1 ms; frozen: 0.5 s once in 5 s.
Source: Security and reliability §10, §12.
"""

import json
import time
import uuid
from functools import lru_cache, partial
from typing import Any

import redis
import structlog
from celery import Signature, Task
from celery.local import Proxy
from django.conf import settings
from django.db import transaction
from kombu import Connection
from kombu.exceptions import KombuError, OperationalError
from kombu.pools import producers

from config import redis_queue
from config.celery import app, send_request_id
from config.redis_client import impatient

TIMEOUT_SECONDS = 0.5  # of connecting and of each answer; Redis by default would block for more than 20 s
PAUSE_SECONDS = 5  # after a failure: or every request of an outage would wait for its own time-out

log = structlog.get_logger()


def enqueue(
    task: "Task[..., Any] | Signature[Any]", *arguments: str, in_seconds: float = 0, queue: str | None = None
) -> None:
    """Publish `task` with these ids when the transaction commits; at once where there is none.

    task: or, for those below it, its signature by name
    in_seconds: a worker takes it at once and holds it for so long; for short waits only.
    queue: where it is not the one of CELERY_TASK_ROUTES.
    """
    # shared_task gives a stand-in, which looks for the task itself with each of its attributes.
    given: Any = task  # Any: the stand-in is typed as the task
    itself = given._get_current_object() if type(given) is Proxy else given
    transaction.on_commit(partial(_publish, itself, arguments, in_seconds, queue), robust=True)


def waiting(*queues: str) -> dict[str, int]:
    """Return how many messages the broker holds, by queue; of all queues where none is named.

    Raises KombuError or OSError, in time, where it does not answer.
    """
    try:
        with _producers().acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
            channel = producer.channel
            names = queues or settings.WORKER_QUEUES
            return {queue: int(channel.queue_declare(queue).message_count) for queue in names}
    except redis.RedisError as error:
        raise OperationalError(type(error).__name__) from error


def _publish(
    task: "Task[..., Any] | Signature[Any]", arguments: tuple[str, ...], in_seconds: float, queue: str | None
) -> None:
    if time.monotonic() < _pause.until:
        return
    try:
        if in_seconds or isinstance(task, Signature) or settings.CELERY_TASK_ALWAYS_EAGER:
            which: dict[str, Any] = {"queue": queue} if queue else {}
            with _producers().acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
                task.apply_async(arguments, producer=producer, retry=False, countdown=in_seconds, **which)
        else:
            _put(task, arguments, queue or _queue_of(task.name))
    except _failures() as error:
        _pause.until = time.monotonic() + PAUSE_SECONDS
        log.warning("queue.unreachable", task=task.name, error=type(error.__cause__ or error).__name__)


def _put(task: "Task[..., Any]", arguments: tuple[str, ...], queue: str) -> None:
    """Put one task into its queue, in the message that Celery would make.

    Celery's own `apply_async` asks on the way for options, routes, receivers and declarations that nobody here has set,
    and takes twice as long.
    """
    identifier = str(uuid.uuid4())
    headers, properties, body, _ = app.amqp.as_task_v2(
        identifier,
        task.name,
        arguments,
        time_limit=task.time_limit,
        soft_time_limit=task.soft_time_limit,
        argsrepr=repr(arguments),
        kwargsrepr="{}",
        ignore_result=True,
    )
    send_request_id(headers)
    properties = {**properties, "delivery_mode": 2}  # kept by brokers that would forget others
    if settings.CELERY_BROKER_TRANSPORT == "config.redis_queue:Transport":
        client = impatient(settings.CELERY_BROKER_URL, TIMEOUT_SECONDS)
        redis_queue.put(client, queue, body=body, headers=headers, properties=properties)
        return
    with _producers().acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
        channel: Any = producer.channel  # Any: typed as of brokers that are not ours
        message = channel.prepare_message(
            json.dumps(body),
            content_type="application/json",
            content_encoding="utf-8",
            headers=headers,
            properties=properties,
        )
        channel.basic_publish(message, exchange="", routing_key=queue)


@lru_cache(maxsize=1)
def _failures() -> tuple[type[Exception], ...]:
    """Return what a broker that is away or hung is known by."""
    connection: Any = _connection()  # Any: typed as if these were instances
    return (KombuError, redis.RedisError, *connection.connection_errors, *connection.channel_errors)


@lru_cache
def _queue_of(name: str) -> str:
    """Return the queue that CELERY_TASK_ROUTES says."""
    return str(app.amqp.router.route({}, name)["queue"].name)


class _Pause:
    """Until when this process leaves the broker alone."""

    until = 0.0


_pause = _Pause()


@lru_cache(maxsize=1)
def _producers() -> Any:  # Any: untyped in kombu
    return producers[_connection()]


@lru_cache(maxsize=1)
def _connection() -> Connection:
    """The web's own way to the broker: a worker waits longer, and for ever."""
    return app.connection_for_write(
        transport_options={
            "socket_connect_timeout": TIMEOUT_SECONDS,
            "socket_timeout": TIMEOUT_SECONDS,
            "max_retries": 0,
        }
    )
