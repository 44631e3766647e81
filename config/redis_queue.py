"""The queues of production: kombu's Redis transport with one client for each channel.

kombu 5.7 makes a client for each command it sends, and with it a table of 170 answers: half the price of a message.
"""

from typing import Any

from kombu.transport import redis


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
