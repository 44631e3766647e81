"""Check a database before its migrations, and wait for their locks in short steps: the previous release still runs."""

import time
from collections.abc import Callable

from django.core.management import CommandError
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

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


def check_is_released(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError if an app has some migrations, but not all of version 1.1.0, which were squashed."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    started = {app for app, _ in applied}
    for migration in MigrationLoader(None).disk_migrations.values():
        if migration.initial and migration.app_label in started and not applied.issuperset(migration.replaces):
            raise CommandError(
                "This database is of a version before 1.1.0. Upgrade it to 1.1.0 first, then to this version."
            )


def sleep(failed: int) -> None:
    """Wait before a further try."""
    time.sleep(PAUSE_SECONDS)
