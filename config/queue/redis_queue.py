"""The queues of production: kombu's Redis transport with one client for each channel.

kombu 5.7 makes a client with a table of 170 commands for each command, which takes half the time of a message.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

import base64
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from queue import Empty
from typing import Any

import msgspec
from django.conf import settings
from kombu.transport import redis
from redis import RedisError, ResponseError

from config.queue import unreadable

MAX_WAIT_SECONDS = 0.2


class QoS(redis.QoS):
    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:  # Any: untyped in kombu
        """Return the message of a dead worker to its queue. kombu fails on messages that it cannot read."""
        own: Any = self
        try:
            super().restore_by_tag(tag, client, leftmost)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            with own.channel.conn_or_acquire(client) as connection:
                raw = connection.hget(self.unacked_key, tag)
                own._remove_from_indices(tag, connection.pipeline()).execute()
            own.channel.set_aside(self.unacked_key, raw or b"", type(error).__name__)


class Channel(unreadable.Careful, redis.Channel):
    QoS = QoS
    _kept: Any = None  # Any: untyped in kombu

    def _create_client(self, asynchronous: bool = False) -> Any:
        if asynchronous:
            client = super()._create_client(asynchronous=True)  # type: ignore[misc]  # untyped in kombu
            client.set_response_callback("BRPOP", self._readable)
            return client
        if self._kept is None or self._kept.connection_pool is not self.pool:
            self._kept = super()._create_client()  # type: ignore[misc]  # likewise
        return self._kept

    def set_aside(self, queue: str, raw: bytes, reason: str) -> None:
        unreadable.note(queue, reason)
        with suppress(RedisError), self.conn_or_acquire() as client:
            client.lpush(unreadable.QUEUE, raw)
            client.ltrim(self._key(unreadable.QUEUE), 0, unreadable.MOST_KEPT - 1)

    def queue_declare(self, queue: Any = None, *args: Any, **kwargs: Any) -> Any:  # Any: untyped in kombu
        """Declare a queue at the start of a worker; kombu reads its length."""
        try:
            return super().queue_declare(queue, *args, **kwargs)
        except ResponseError as error:
            self._set_keys_aside(error, [queue])
            return super().queue_declare(queue, *args, **kwargs)

    def _brpop_read(self, **options: Any) -> Any:  # Any: untyped in kombu
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # likewise
        except ResponseError as error:
            self._set_keys_aside(error, self.active_queues)
            raise Empty from error

    def _set_keys_aside(self, error: ResponseError, queues: Iterable[str]) -> None:
        """Rename the keys of these queues that are not lists. Raises the error if it has another reason."""
        if "WRONGTYPE" not in str(error):  # that of a transaction begins with the number of the command
            raise error
        with self.conn_or_acquire() as client:
            for queue in queues:
                if client.type(self._key(queue)) not in (b"list", b"none"):
                    client.rename(self._key(queue), self._key(f"{unreadable.QUEUE}:{queue}"))
                    unreadable.note(queue, "it is not a list")

    def _key(self, name: str) -> str:
        """Return the key of a queue for the commands to which kombu does not add the prefix."""
        return f"{self.global_keyprefix}{name}"

    def _readable(
        self, answer: Sequence[bytes] | None, **options: Any
    ) -> tuple[bytes, bytes] | None:  # Any: options of redis-py
        """Return the name of the queue and the raw message, or None if there is no readable message."""
        if not answer:
            return None
        queue, raw = answer
        try:
            unreadable.parse(raw)
        except unreadable.UnreadableMessage as error:
            self.set_aside(queue.decode().removeprefix(self.global_keyprefix), raw, str(error))
            return None
        return queue, raw


class Transport(redis.Transport):
    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """Return often: a worker that has as many tasks as it may take looks for more between two calls only."""
        super().drain_events(connection, timeout=min(timeout or MAX_WAIT_SECONDS, MAX_WAIT_SECONDS))


def put(
    client: Any,
    queue: str,
    *,
    prefix: str,
    body: object,
    headers: Mapping[str, Any],
    properties: Mapping[str, Any],
) -> None:
    """Add one message to a queue in kombu's format, without a kombu channel.

    Drop the newest messages if the queue has more than WAKE_UPS_KEPT; the sweep finds their rows.
    Channels support exchanges and priorities, and each message borrows one. That took longer than everything else.
    Raises redis.RedisError.
    """
    encoded = base64.b64encode(msgspec.json.encode(body))
    delivery = {"exchange": "", "routing_key": queue}
    message = {
        "body": encoded.decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": headers,
        "properties": {
            **properties,
            "body_encoding": "base64",
            "delivery_info": delivery,
            "delivery_tag": str(uuid.uuid4()),
            "priority": 0,
        },
    }
    key = f"{prefix}{queue}"
    length = client.execute_command("LPUSH", key, msgspec.json.encode(message))
    if length > settings.WAKE_UPS_KEPT:  # no worker runs. Trim to 90 %, so that one message in a hundred needs it
        client.execute_command("LTRIM", key, -(settings.WAKE_UPS_KEPT * 9 // 10), -1)
