"""Wait for the locks of a migration in short steps, because the previous release runs beside it."""

import time
from collections.abc import Callable

from django.db import OperationalError

TRIES = 10
PAUSE_SECONDS = 2.0
_LOCK_NOT_AVAILABLE = "55P03"


def with_tries(work: Callable[[], object], *, pause: Callable[[int], None]) -> None:
    """Run `work` again, up to TRIES times, while it does not get a lock of PostgreSQL within `lock_timeout`.

    A migration that waited for a lock without a limit would make all later requests for its table wait, too.

    pause: called with the number of failed tries before each further one
    """
    for failed in range(1, TRIES):
        try:
            work()
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                raise
            pause(failed)
        else:
            return
    work()


def sleep(failed: int) -> None:
    """Wait before a further try."""
    time.sleep(PAUSE_SECONDS)
