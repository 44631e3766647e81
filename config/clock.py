"""The clock: Celery's beat, of which only one ticks at a time however many run.

The one that holds the name `clock` in the database ticks and renews; another waits, and takes over when it has been
silent for LEASE_SECONDS. Where the database is away nobody ticks, for what would be published could not be done either.
"""

import contextlib
import os
import socket
import uuid
from typing import Any

import structlog
from celery.beat import Scheduler
from django.db import DatabaseError, connection
from kombu.exceptions import KombuError

from config import models, publishing

TICK_SECONDS = 5
LEASE_SECONDS = 20  # four ticks: one that comes late has not lost its name

CROWDED = 20  # of one queue: a worker that comes back finds some to do, not a thousand

log = structlog.get_logger()


class Clock(Scheduler):
    """Ticks only while it holds the name."""

    max_interval = TICK_SECONDS
    holder = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    _ticks = False

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Publish what is due and return the seconds until the next call."""
        is_ours = self._holds_name()
        if is_ours != self._ticks:
            log.info("clock.ticks" if is_ours else "clock.waits")
            self._ticks = is_ours
        if not is_ours:
            return TICK_SECONDS
        return min(float(super().tick(*args, **kwargs)), TICK_SECONDS)

    def apply_async(self, entry: Any, *args: Any, **kwargs: Any) -> Any:  # Any: no types published
        """Publish one entry, unless so much of its queue waits already that nobody seems to take it.

        That is what `expires` is for, but a worker judges it by its own clock: one an hour ahead would do nothing.
        """
        entry.options.pop("expires", None)
        queue = self.app.amqp.router.route({}, entry.task)["queue"].name
        with contextlib.suppress(KombuError, OSError):
            if publishing.waiting(queue)[queue] >= CROWDED:
                return None
        return super().apply_async(entry, *args, **kwargs)

    def close(self) -> None:
        """Give the name back, so that another need not wait for it to grow stale."""
        super().close()
        with contextlib.suppress(DatabaseError):
            models.release("clock", self.holder)

    def _holds_name(self) -> bool:
        try:
            return models.hold("clock", self.holder, seconds=LEASE_SECONDS)
        except DatabaseError as error:
            log.warning("clock.database_away", error=type(error).__name__)
            return False
        finally:
            connection.close_if_unusable_or_obsolete()
