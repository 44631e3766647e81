"""The queues of production: kombu's Redis transport with one client for each channel.

kombu 5.7 makes a client for each command it sends, and with it a table of 170 answers: half the price of a message.
"""

import base64
import json
import uuid
from collections.abc import Mapping
from typing import Any

from kombu.transport import redis

from config.redis_client import Impatient


class Channel(redis.Channel):
    _kept: Any = None  # Any: untyped in kombu

    def _create_client(self, asynchronous: bool = False) -> Any:
        if asynchronous:
            return super()._create_client(asynchronous=True)  # type: ignore[misc]  # untyped in kombu
        if self._kept is None or self._kept.connection_pool is not self.pool:
            self._kept = super()._create_client()  # type: ignore[misc]  # likewise
        return self._kept


class Transport(redis.Transport):
    Channel = Channel


def put(
    client: Impatient, queue: str, *, body: object, headers: Mapping[str, Any], properties: Mapping[str, Any]
) -> None:
    """Put one message at the end of a queue, as a channel of kombu's does, without its way there.

    A channel is made for many exchanges, queues and priorities, and one is borrowed and brought back for each message:
    that took longer than all else. Raises redis.RedisError.
    """
    encoded = base64.b64encode(json.dumps(body).encode())
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
    client.ask("LPUSH", queue, json.dumps(message))
