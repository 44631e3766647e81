"""Messages of a queue that cannot be read: they are moved aside, logged and counted, and their pool goes on.

A lost wake-up costs nothing, since the sweep finds its row. A pool that falls over costs every row of its kind.
"""

import base64
import json
from typing import Any

import structlog
from kombu.transport import virtual
from kombu.utils.json import dumps, loads

QUEUE = "unreadable"  # where they lie; nobody consumes it
MOST_KEPT = 1000  # in Redis, whose memory all share

log = structlog.get_logger()


class Unreadable(Exception):
    """The message says what is wrong, without a word of what it holds."""


def parse(raw: bytes) -> dict[str, Any]:  # Any: JSON
    """Return a message that kombu and Celery can take. Raises Unreadable.

    Celery reads the arguments of a task in the process that runs it, where a fault ends the whole pool. A time limit
    that is no number costs the pool one of its processes for good.
    """
    try:
        message = loads(raw)
        properties, headers, body = message["properties"], message["headers"], message["body"]
        parts: list[tuple[Any, Any]]  # Any: values of JSON, and what they must be
        parts = [(properties["delivery_tag"], str), (properties["delivery_info"], dict), (headers, dict), (body, str)]
        if properties.get("body_encoding") == "base64":
            body = base64.b64decode(body)
        if "task" in headers:
            arguments, named, further = json.loads(body)
            parts += [(headers["task"], str), (headers["id"], str), (arguments, list), (named, dict)]
            hard, soft = headers.get("timelimit") or (None, None)
            parts += [(hard, int | float | None), (soft, int | float | None)]
            parts += [(value, type(None)) for value in (further or {}).values()]  # callbacks, chains: we send none
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable(type(error).__name__) from error
    if not all(isinstance(part, kind) for part, kind in parts):
        raise Unreadable("a part is of another kind")
    coding = (message.get("content-type"), message.get("content-encoding"))
    if "task" in headers and coding != ("application/json", "utf-8"):
        raise Unreadable("it is not JSON in UTF-8")
    return message  # type: ignore[no-any-return]  # a mapping, or its parts had not been found


def note(queue: str, reason: str) -> None:
    log.error("queue.message_unreadable", queue=queue, reason=reason)


class Careful(virtual.Channel):
    """A channel whose consumers survive a message that they cannot handle."""

    def set_aside(self, queue: str, raw: bytes, reason: str) -> None:
        """Keep a message that has been taken out of its queue, and note it."""
        raise NotImplementedError

    def basic_consume(self, queue: Any, no_ack: Any, callback: Any, *args: Any, **kwargs: Any) -> Any:  # Any: untyped
        transport: Any = self.connection
        of_the_broker = (OSError, *transport.connection_errors, *transport.channel_errors)

        def consume(message: Any) -> None:
            try:
                callback(message)
            except of_the_broker:
                raise
            except Exception as error:
                log.error("queue.message_not_handled", queue=queue, exc_info=error)
                self.set_aside(queue, dumps(message.serializable()).encode(), type(error).__name__)
                if not no_ack:
                    self.basic_reject(message.delivery_tag, requeue=False)

        return super().basic_consume(queue, no_ack, consume, *args, **kwargs)
