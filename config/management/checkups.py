"""What `manage.py doctor` and the deep check look at. Source: Developer experience §12, §13."""

import os
import shutil
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.checks import run_checks
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import KombuError

from config import checks, env, models, publishing, readiness, unreadable
from config.console.clean_up import outcomes, state
from config.management import parts, sealed_columns
from config.management.parts import Checkup, Finding

PROCESS_SECONDS = 30  # the clock renews every 5 s, a worker every 10 s
CLOCK_SECONDS = 10  # a caller's token may be 30 s off; a third of that is ours
FREE_MEGABYTES = 500


def examine() -> list[Finding]:
    """Look at the platform's side and at what each area needs, in this order; each by itself, so that none is missing.

    Checks that need the database are left out while it is away: each would wait for it again.
    """
    of_database = look_at(DATABASE, see="database")
    is_away = bool(of_database.fix)
    of_migrations = _not_known(MIGRATIONS, see="database") if is_away else look_at(MIGRATIONS, see="database")
    see = "database" if is_away else "migrations" if of_migrations.fix else ""
    others = (*PLATFORM, *(checkup for part in parts.registered() for checkup in part.checkups))
    found = [_not_known(one, see=see) if is_away and one.needs_tables else look_at(one, see=see) for one in others]
    return [of_database, of_migrations, *found]


def look_at(checkup: Checkup, *, see: str) -> Finding:
    """Return what a check finds, or that it failed. see: the finding that explains a fault of the database, if any."""
    try:
        return checkup.look()
    except DatabaseError as error:
        if see:
            return _not_known(checkup, see=see)
        return _failed(checkup, error, fix="Look at the database's log.")
    except OSError as error:
        return _failed(checkup, error, fix=f"Make {error.filename} usable." if error.filename else _UNFORESEEN)
    except Exception as error:  # noqa: BLE001  whatever it is, the other findings are wanted
        return _failed(checkup, error, fix=_UNFORESEEN)


def _not_known(checkup: Checkup, *, see: str) -> Finding:
    return Finding(name=checkup.name, seen="not known", fix=f"See {see}.")


def _failed(checkup: Checkup, error: Exception, *, fix: str) -> Finding:
    """Return the kind of a fault and its place. Its words are left off: they may hold a password."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    seen = f"failed: {type(error).__name__} ({Path(place.filename).name}, line {place.lineno})"
    return Finding(name=checkup.name, seen=seen, fix=fix)


def database() -> Finding:
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        fix = "Start the database, or correct DATABASE_URL."
        return Finding(name="database", seen=f"{connection.vendor}: {type(error).__name__}", fix=fix)
    return Finding(name="database", seen=connection.vendor)


def migrations() -> Finding:
    if readiness.migrations_are_applied():
        return Finding(name="migrations", seen="all applied")
    return Finding(name="migrations", seen="some are missing", fix="Run manage.py migrate.")


def queue() -> Finding:
    kind = "redis" if settings.REDIS_URL else "files"
    try:
        waiting = publishing.waiting(*settings.WORKER_QUEUES, unreadable.QUEUE)
    except (KombuError, OSError) as error:
        fix = "Start Redis, or correct REDIS_URL." if settings.REDIS_URL else f"Make {settings.VAR} writable."
        return Finding(name="queue", seen=f"{kind}: {type(error).__name__}", fix=fix)
    aside = waiting.pop(unreadable.QUEUE)
    depths = ", ".join(f"{queue} {count}" for queue, count in waiting.items())
    kept = f"; could not be read: {aside}" if aside else ""
    return Finding(name="queue", seen=f"{kind}, waiting: {depths}{kept}")


def worker() -> Finding:
    return _process("worker")


def clock() -> Finding:
    return _process("clock")


def origins() -> Finding:
    """Say where each setting comes from, and what `check --deploy` warns of; a wrong one stops the start."""
    found = env.origins()
    others = len(found.pop("default", []))
    told = [f"{origin}: {', '.join(names)}" for origin, names in found.items()]
    is_deployed = settings.ENVIRONMENT == "production"
    warnings = run_checks(tags=[checks.TAG], include_deployment_checks=True) if is_deployed else []
    fix = " ".join(f"{warning.msg} {warning.hint}" for warning in warnings)
    return Finding(name="settings", seen="; ".join([*told, f"default: the other {others}"]), fix=fix)


def keys() -> Finding:
    """Decrypt one stored value of each kind."""
    seen = f"SECRET_KEY and {len(settings.FIELD_KEYS)} of FIELD_KEYS"
    columns = (*sealed_columns.PLATFORM, *(column for part in parts.registered() for column in part.sealed))
    unreadable = [column.name for column in columns if not column.opens()]
    if not unreadable:
        return Finding(name="keys", seen=f"{seen} decrypt what is stored")
    fix = f"Put the key back into FIELD_KEYS that encrypted {', '.join(unreadable)}: until then it is lost."
    return Finding(name="keys", seen=f"{seen}: none decrypts {', '.join(unreadable)}", fix=fix)


def time() -> Finding:
    """Compare with the database server's clock, or on SQLite with nothing but whether the year is plausible."""
    now = datetime.now(UTC)
    if connection.vendor == "postgresql":
        with suppress(DatabaseError), connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            apart = abs((cursor.fetchone()[0] - now).total_seconds())
            fix = "Turn on time synchronisation on both machines." if apart > CLOCK_SECONDS else ""
            return Finding(name="time", seen=f"{apart:.0f} s from the database's", fix=fix)
    fix = "Set the clock: tokens are refused when it is 30 s off." if now.year < 2025 else ""
    return Finding(name="time", seen=now.strftime("%Y-%m-%d %H:%M:%S UTC"), fix=fix)


def disk() -> Finding:
    free = shutil.disk_usage(settings.VAR).free // 2**20
    fix = f"Make room below {settings.VAR}." if free < FREE_MEGABYTES else ""
    if not os.access(settings.VAR, os.W_OK):
        fix = f"Make {settings.VAR} (VAR_DIR) writable for this user."
    return Finding(name="disk", seen=f"{free} MB free", fix=fix)


def clean_up() -> Finding:
    """Look at when each rule last came well to its end: a nightly one that has missed its night is red."""
    name = "clean-up"
    ends = {one.rule: one.last_success for one in outcomes.of_all_rules()}
    failed = state.last().failed
    known = {rule: end for rule, end in ends.items() if end is not None}
    if not known and not failed:
        return Finding(name=name, seen="has not run yet; the clock runs it, at 03:00 UTC at the latest")
    told = [f"{rule} {end.astimezone(UTC):%Y-%m-%d %H:%M} UTC" for rule, end in sorted(known.items())]
    late = [rule for rule, end in known.items() if timezone.now() - end > state.OVERDUE_AFTER]
    seen = f"last success: {', '.join(told)}"
    if failed:
        return Finding(name=name, seen=seen, fix=f"See at operations/clean-up/ why it failed: {', '.join(failed)}.")
    fix = "Look whether worker and clock run, then run manage.py sweep: more than 26 h ago" if late else ""
    return Finding(name=name, seen=seen, fix=f"{fix}: {', '.join(sorted(late))}." if late else "")


def _process(name: str) -> Finding:
    if models.is_there(name, within_seconds=PROCESS_SECONDS):
        return Finding(name=name, seen=f"seen in the last {PROCESS_SECONDS} s")
    return Finding(name=name, seen=f"not seen for {PROCESS_SECONDS} s", fix=f"Start manage.py {name}.")


_UNFORESEEN = "This is a fault of the check: report it with this line."

DATABASE = Checkup(name="database", look=database)
MIGRATIONS = Checkup(name="migrations", look=migrations)
PLATFORM = (
    Checkup(name="settings", look=origins),
    Checkup(name="queue", look=queue),
    Checkup(name="worker", look=worker, needs_tables=True),
    Checkup(name="clock", look=clock, needs_tables=True),
    Checkup(name="clean-up", look=clean_up, needs_tables=True),
    Checkup(name="keys", look=keys, needs_tables=True),
    Checkup(name="time", look=time),
    Checkup(name="disk", look=disk),
)
