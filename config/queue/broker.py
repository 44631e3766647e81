"""Broker connection that retries until it succeeds, every few seconds. Source: docs/reference/security.md §12."""

from contextvars import ContextVar
from typing import Any

from celery.app.amqp import AMQP
from kombu import Connection

RECONNECT_SECONDS = 5  # the longest wait between two tries; in kombu it grows to 30 s

queues_of_thread: ContextVar[tuple[str, ...]] = ContextVar("queues_of_thread", default=())


class SteadyConnection(Connection):
    """Reconnects within RECONNECT_SECONDS after the broker is back."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:  # Any: kombu publishes no types
        pace = {"interval_start": 1, "interval_step": 1, "interval_max": RECONNECT_SECONDS}
        return super().ensure_connection(*args, **pace | kwargs)


class Broker(AMQP):
    """Makes Celery use SteadyConnection, and the queues of the thread instead of one list for the process."""

    Connection = SteadyConnection

    def TaskConsumer(
        self, channel: Any, queues: Any = None, accept: Any = None, **kw: Any
    ) -> Any:  # Any: kombu publishes no types
        """Return a consumer of the queues of this thread. Celery calls it in the thread of each worker."""
        return super().TaskConsumer(
            channel, queues or [self.queues[name] for name in queues_of_thread.get()], accept, **kw
        )
