"""Publish a task that wakes a worker after a row is stored.

The row is the work. The sweep finds rows whose wake-up was lost, so requests do not fail if the broker does. A stopped
Redis delays a request by 1 ms, and a frozen Redis delays one request in 5 s by 0.5 s.
Source: docs/reference/security.md §10, §12.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

import json
import os
import uuid
from functools import lru_cache
from typing import Any

import redis
import structlog
from celery import Signature, Task, signals
from celery.local import Proxy
from django.conf import settings
from django.db import transaction
from kombu import Connection
from kombu.exceptions import KombuError, OperationalError
from kombu.pools import connections, producers

from config.circuit_breaker import CircuitBreaker
from config.queue import redis_queue
from config.queue.app import app
from config.queue.redis_client import impatient

TIMEOUT_SECONDS = 0.5  # for connecting and for each answer; the default of Redis is more than 20 s

# Without it every request during an outage would wait for TIMEOUT_SECONDS.
_breaker = CircuitBreaker(failures=1, open_seconds=5.0)
# By the id of what `shared_task` returns: a proxy that looks up the task for each attribute.
_tasks: dict[int, "Task[..., Any]"] = {}

log = structlog.get_logger()


def enqueue(
    task: "Task[..., Any] | Signature[Any]", *arguments: str, in_seconds: float = 0, queue: str | None = None
) -> None:
    """Publish `task` with these ids when the transaction commits, or at once outside a transaction.

    task: the task, or its signature if the caller cannot import it
    in_seconds: a delay; a worker keeps the task in memory, so use it for short delays only
    queue: overrides CELERY_TASK_ROUTES
    """
    given: Any = task  # Any: the proxy is typed as the task
    is_proxy: bool = type(given) is Proxy
    itself = (_tasks.get(id(given)) or _tasks.setdefault(id(given), app.tasks[given.name])) if is_proxy else given

    def publish() -> None:  # Django logs the name of a robust function that fails, and a partial has none
        _publish(itself, arguments, in_seconds, queue)

    transaction.on_commit(publish, robust=True)


def waiting(*queues: str) -> dict[str, int]:
    """Return the number of messages by queue, for all queues if none is named.

    Raises KombuError or OSError if the broker does not answer in time.
    """
    try:
        with _producers().acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
            channel = producer.channel
            names = queues or settings.WORKER_QUEUES
            return {queue: int(channel.queue_declare(queue).message_count) for queue in names}
    except redis.RedisError as error:
        raise OperationalError(type(error).__name__) from error


def delete_all(queue: str) -> int:
    """Delete the messages of a queue and return their number. Raises as `waiting` does."""
    try:
        with _producers().acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
            return int(producer.channel.queue_purge(queue))
    except redis.RedisError as error:
        raise OperationalError(type(error).__name__) from error


@signals.before_task_publish.connect
def send_request_id(headers: dict[str, Any], **kwargs: Any) -> None:
    """Add the id of the current request to a task, so that the task's log lines show it."""
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    if request_id:
        headers["request_id"] = request_id


def _publish(
    task: "Task[..., Any] | Signature[Any]", arguments: tuple[str, ...], in_seconds: float, queue: str | None
) -> None:
    if not _breaker.allows():
        return
    try:
        if in_seconds or isinstance(task, Signature) or settings.CELERY_TASK_ALWAYS_EAGER:
            which: dict[str, Any] = {"queue": queue} if queue else {}
            with _producers().acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
                task.apply_async(arguments, producer=producer, retry=False, countdown=in_seconds, **which)
        else:
            _put(task, arguments, queue or _queue_of(task.name))
    except _failures() as error:
        _breaker.note_failure()
        log.warning("queue.unreachable", task=task.name, error=type(error.__cause__ or error).__name__)
    else:
        _breaker.note_success()


def _put(task: "Task[..., Any]", arguments: tuple[str, ...], queue: str) -> None:
    """Put one task into its queue, in Celery's message format.

    Celery's `apply_async` takes twice as long, because it looks up options, routes and receivers that are not used.
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
    properties = {**properties, "delivery_mode": 2}  # persistent
    if settings.CELERY_BROKER_TRANSPORT == "config.queue.redis_queue:Transport":
        client = impatient(settings.CELERY_BROKER_URL, TIMEOUT_SECONDS)
        redis_queue.put(client, queue, prefix=settings.REDIS_PREFIX, body=body, headers=headers, properties=properties)
        return
    with _producers().acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
        channel: Any = producer.channel  # Any: the stubs describe another transport
        message = channel.prepare_message(
            json.dumps(body),
            content_type="application/json",
            content_encoding="utf-8",
            headers=headers,
            properties=properties,
        )
        channel.basic_publish(message, exchange="", routing_key=queue)


def _forget_connections() -> None:
    """Forget the connections of the parent process: kombu closes them in a forked process, and they stay closed."""
    for cached in (_failures, _producers, _connection):
        cached.cache_clear()
    producers.clear()
    connections.clear()


@lru_cache(maxsize=1)
def _failures() -> tuple[type[Exception], ...]:
    """Return the exceptions of an unavailable broker."""
    connection: Any = _connection()  # Any: the stubs describe the class, not its instances
    return (KombuError, redis.RedisError, *connection.connection_errors, *connection.channel_errors)


@lru_cache
def _queue_of(name: str) -> str:
    """Return the queue of a task by CELERY_TASK_ROUTES."""
    return str(app.amqp.router.route({}, name)["queue"].name)


@lru_cache(maxsize=1)
def _producers() -> Any:  # Any: untyped in kombu
    return producers[_connection()]


@lru_cache(maxsize=1)
def _connection() -> Connection:
    """Return a connection to the broker that fails soon. Workers use another one, which retries without end."""
    return app.connection_for_write(
        transport_options={
            "socket_connect_timeout": TIMEOUT_SECONDS,
            "socket_timeout": TIMEOUT_SECONDS,
            "max_retries": 0,
        }
    )


os.register_at_fork(after_in_child=_forget_connections)
