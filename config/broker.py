"""The way to the broker, which is tried for ever and often. Source: Security and reliability §12."""

from typing import Any

from celery.app.amqp import AMQP
from kombu import Connection

RECONNECT_SECONDS = 5  # at most from one try to the next; kombu's own waits grow to 30 s


class SteadyConnection(Connection):
    """Comes back within RECONNECT_SECONDS of the broker, however long that was away."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:  # Any: kombu publishes no types
        pace = {"interval_start": 1, "interval_step": 1, "interval_max": RECONNECT_SECONDS}
        return super().ensure_connection(*args, **pace | kwargs)


class Broker(AMQP):
    """Where Celery takes its connections from."""

    Connection = SteadyConnection
