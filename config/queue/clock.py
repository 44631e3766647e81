"""The clock: Celery's beat. Several may run, but only one of them publishes tasks at a time.

The clock that has the lease in the database publishes and renews it. Another one takes over if the lease has not been
renewed for LEASE_SECONDS. Without the database no clock publishes, because workers could not run the tasks either.
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

from config.queue import periodic, presence, publishing

TICK_SECONDS = 5
LEASE_SECONDS = 20  # four ticks, so that a late tick does not lose the lease

CROWDED = 20  # limit of waiting tasks in one queue, so that a restarted worker does not find thousands

log = structlog.get_logger()


class Clock(Scheduler):
    """Publishes tasks only while it has the lease."""

    max_interval = TICK_SECONDS
    holder = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    _ticks = False

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Publish what is due and return the seconds until the next call."""
        is_ours = self._has_lease()
        if is_ours != self._ticks:
            log.info("clock.ticks" if is_ours else "clock.waits")
            self._ticks = is_ours
            if is_ours:
                self._catch_up()
        if not is_ours:
            return TICK_SECONDS
        return min(float(super().tick(*args, **kwargs)), TICK_SECONDS)

    def apply_async(self, entry: Any, *args: Any, **kwargs: Any) -> Any:  # Any: no types published
        """Publish one entry unless its queue already has CROWDED tasks.

        Celery's option `expires` is not used: a worker whose clock is an hour fast would run no task.
        """
        queue = self.app.amqp.router.route({}, entry.task)["queue"].name
        with contextlib.suppress(KombuError, OSError):
            if publishing.waiting(queue)[queue] >= CROWDED:
                return None
        return super().apply_async(entry, *args, **kwargs)

    def close(self) -> None:
        """Release the lease, so that another clock can take over at once."""
        super().close()
        with contextlib.suppress(DatabaseError):
            presence.release("clock", self.holder)

    def _catch_up(self) -> None:
        """Publish overdue tasks at the first tick.

        Otherwise a task of 15 minutes never runs if the clock is restarted every 14 minutes.
        """
        intervals = periodic.of_schedule()
        with contextlib.suppress(DatabaseError):
            periodic.expect(intervals)
            for name in periodic.overdue(intervals) & self.schedule.keys():
                entry: Any = self.schedule[name]  # Any: no types published
                entry.last_run_at -= intervals[name]

    def _has_lease(self) -> bool:
        try:
            return presence.take("clock", self.holder, seconds=LEASE_SECONDS)
        except DatabaseError as error:
            log.warning("clock.database_away", error=type(error).__name__)
            return False
        finally:
            connection.close_if_unusable_or_obsolete()
