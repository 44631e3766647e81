"""Move queue messages that cannot be read aside, log and count them, so that their worker continues.

A lost wake-up does no harm, because the sweep finds its row. A worker that crashes delays all rows of its kind.
"""

import base64
import json
from typing import Any

import structlog
from kombu.transport import virtual
from kombu.utils.json import dumps, loads

QUEUE = "unreadable"  # the queue that keeps them; it has no consumer
MOST_KEPT = 1000  # in Redis, whose memory is limited
_MOST_SECONDS = 7 * 24 * 3600
# Celery reads these before it starts the task. A stamp that was a number ended the whole worker.
_OPTIONAL_HEADERS: dict[str, type] = {
    **dict.fromkeys(("eta", "expires", "group", "parent_id", "root_id"), str),
    "retries": int,
    "stamped_headers": list,
    "stamps": dict,
}

log = structlog.get_logger()


class UnreadableMessage(Exception):
    """The message of the queue cannot be read. The text of the exception quotes nothing of it."""


def parse(raw: bytes) -> dict[str, Any]:  # Any: JSON
    """Return a message that kombu and Celery can take. Raises Unreadable.

    An error in the arguments of a task, or a time limit that is not a number, could end the worker.
    """
    try:
        message = loads(raw)
        properties, headers, body = message["properties"], message["headers"], message["body"]
        parts: list[tuple[Any, Any]]  # Any: JSON values and their expected types
        parts = [(properties["delivery_tag"], str), (properties["delivery_info"], dict), (headers, dict), (body, str)]
        if properties.get("body_encoding") == "base64":
            body = base64.b64decode(body)
        if "task" in headers:
            arguments, named, further = json.loads(body)
            parts += [(headers["task"], str), (headers["id"], str), (arguments, list), (named, dict)]
            parts += [(headers.get(name), kind | None) for name, kind in _OPTIONAL_HEADERS.items()]
            if not all(limit is None or 0 < limit < _MOST_SECONDS for limit in headers.get("timelimit") or ()):
                raise UnreadableMessage("a time limit is out of range")
            hard, soft = headers.get("timelimit") or (None, None)
            parts += [(hard, int | float | None), (soft, int | float | None)]
            parts += [(value, type(None)) for value in (further or {}).values()]  # callbacks and chains are not used
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableMessage(type(error).__name__) from error
    if not all(isinstance(part, kind) for part, kind in parts):
        raise UnreadableMessage("a part has the wrong type")
    coding = (message.get("content-type"), message.get("content-encoding"))
    if "task" in headers and coding != ("application/json", "utf-8"):
        raise UnreadableMessage("it is not JSON in UTF-8")
    return message  # type: ignore[no-any-return]  # a dict, because its parts were found


def note(queue: str, reason: str) -> None:
    log.error("queue.message_unreadable", queue=queue, reason=reason)


class Careful(virtual.Channel):
    """A channel whose consumers survive messages that they cannot handle."""

    def set_aside(self, queue: str, raw: bytes, reason: str) -> None:
        """Keep a message that was taken from its queue, and log it."""
        raise NotImplementedError

    def basic_consume(
        self, queue: Any, no_ack: Any, callback: Any, *args: Any, **kwargs: Any
    ) -> Any:  # Any: untyped in kombu
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
