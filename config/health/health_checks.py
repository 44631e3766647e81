"""The health checks of `manage.py doctor` and of the deep check. Source: docs/reference/running.md §12, §13."""

import os
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core.checks import run_checks
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import KombuError

from config import areas, checks, encrypted_columns, env, failure, formats
from config.areas import Finding, HealthCheck
from config.audit.verification import Verification
from config.databases import clock as database_clock
from config.health import readiness
from config.jobs import outcomes, state
from config.queue import presence, publishing, unreadable
from config.queue.titles import TITLES

PROCESS_SECONDS = 30  # the clock renews every 5 s, a worker every 10 s
CLOCK_DIFFERS_AFTER = timedelta(seconds=10)  # tokens allow 30 s of difference; the rest is for the clock of the caller
FREE_MEGABYTES = 500
AUDIT_ENTRIES = 1000


def examine() -> list[Finding]:
    """Run the checks of the platform, then those of each area. A check that fails does not stop the others.

    Checks that need the database are skipped while it is unavailable, because each would wait for it again.
    """
    of_database = look_at(DATABASE, see="database")
    is_away = bool(of_database.fix)
    of_migrations = _not_known(MIGRATIONS, see="database") if is_away else look_at(MIGRATIONS, see="database")
    see = "database" if is_away else "migrations" if of_migrations.fix else ""
    others = (*PLATFORM, *(health_check for part in areas.commands() for health_check in part.health_checks))
    found = [_not_known(one, see=see) if is_away and one.needs_tables else look_at(one, see=see) for one in others]
    return [of_database, of_migrations, *found]


def look_at(health_check: HealthCheck, *, see: str) -> Finding:
    """Run one check. see: the name of the finding that explains a database error, or blank."""
    try:
        return health_check.look()
    except DatabaseError as error:
        if see:
            return _not_known(health_check, see=see)
        return _failed(health_check, error, fix="Look at the database's log.")
    except OSError as error:
        return _failed(health_check, error, fix=f"Make {error.filename} usable." if error.filename else _UNFORESEEN)
    except Exception as error:  # noqa: BLE001  the other checks must still run
        return _failed(health_check, error, fix=_UNFORESEEN)


def _not_known(health_check: HealthCheck, *, see: str) -> Finding:
    return Finding(name=health_check.name, seen="not known", fix=f"See {see}.")


def _failed(health_check: HealthCheck, error: Exception, *, fix: str) -> Finding:
    """Return the type and place of an exception. Its message may contain a password, so it is left out."""
    return Finding(name=health_check.name, seen=f"failed: {failure.described(error)}", fix=fix)


def database() -> Finding:
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        fix = "Start the database, or correct DATABASE_URL."
        return Finding(name="database", seen=f"{connection.vendor}: {type(error).__name__}", fix=fix)
    if connection.vendor == "postgresql" and not settings.DATABASE_POOLER and _is_pooled():
        fix = "Set DATABASE_POOLER=pgbouncer: DATABASE_URL leads to PgBouncer."
        return Finding(name="database", seen="postgresql through a pooler", fix=fix)
    if connection.vendor == "postgresql" and not _has_statement_timeout():
        fix = "Set statement_timeout for the database role, as deploy/postgresql/roles.sql does."
        return Finding(name="database", seen="postgresql, without a limit for one statement", fix=fix)
    return Finding(name="database", seen=connection.vendor)


def _is_pooled() -> bool:
    """Return whether a pooler answers: it invents the process id of a connection, and the server has another."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (of_server,) = cursor.fetchone()
        return bool(of_server != connection.connection.info.backend_pid)


def _has_statement_timeout() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        return bool(cursor.fetchone()[0] != "0")


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
    depths = ", ".join(f"{TITLES.get(queue, queue).lower()} {count}" for queue, count in waiting.items())
    kept = f"; could not be read: {aside}" if aside else ""
    return Finding(name="queue", seen=f"{kind}, waiting: {depths}{kept}")


def worker() -> Finding:
    return _process("worker")


def clock() -> Finding:
    return _process("clock")


def origins() -> Finding:
    """Return where each setting comes from, and the warnings of `check --deploy`."""
    found = env.origins()
    others = len(found.pop("default", []))
    listed = [f"{origin}: {', '.join(names)}" for origin, names in found.items()]
    is_deployed = settings.ENVIRONMENT == "production"
    warnings = run_checks(tags=[checks.TAG], include_deployment_checks=True) if is_deployed else []
    fix = " ".join(f"{warning.msg} {warning.hint}" for warning in warnings)
    return Finding(name="settings", seen="; ".join([*listed, f"default: the other {others}"]), fix=fix)


def keys() -> Finding:
    """Decrypt one stored value of each kind."""
    seen = f"SECRET_KEY and {len(settings.FIELD_KEYS)} of FIELD_KEYS"
    unreadable = [column.name for column in encrypted_columns.all_columns() if not column.can_decrypt()]
    if not unreadable:
        return Finding(name="keys", seen=f"{seen} decrypt what is stored")
    fix = f"Add the key that encrypted {', '.join(unreadable)} to FIELD_KEYS again. Nothing else can decrypt them."
    return Finding(name="keys", seen=f"{seen}: none decrypts {', '.join(unreadable)}", fix=fix)


def audit() -> Finding:
    """Verify the newest entries of the audit trail. `manage.py audit verify` verifies all."""
    verification = Verification()
    found = next(verification.discrepancies(most=AUDIT_ENTRIES), None)
    if found is None:
        number = formats.counted(verification.events, "entry", "entries")
        return Finding(name="audit", seen=f"unchanged: the newest {number}")
    return Finding(name="audit", seen=f"entry {found.sequence}: {found.text}", fix="Run manage.py audit verify.")


def time() -> Finding:
    """Compare the time with the database. Without one, only check that the year is plausible."""
    now = datetime.now(UTC)
    with suppress(DatabaseError):
        apart = database_clock.difference()
        fix = ""
        if abs(apart) > CLOCK_DIFFERS_AFTER:
            fix = "Turn on time synchronisation on both machines."
        if database_clock.is_far(apart):
            fix += " Until then, this machine deletes nothing."
        return Finding(name="time", seen=f"{abs(apart).total_seconds():.0f} s from the database's", fix=fix)
    fix = "Set the clock of this machine. If it is wrong by 30 s, tokens are rejected." if now.year < 2025 else ""
    return Finding(name="time", seen=now.strftime("%Y-%m-%d %H:%M:%S UTC"), fix=fix)


def disk() -> Finding:
    """Check the disk of VAR_DIR or, if all other state is on other machines, that of FILES_DIR."""
    name = "VAR_DIR" if settings.KEEPS_STATE_IN_VAR else "FILES_DIR"
    folder = settings.VAR if settings.KEEPS_STATE_IN_VAR else settings.FILES_DIR
    if not settings.KEEPS_STATE_IN_VAR and settings.FILES_STORAGE == "s3":
        return Finding(name="disk", seen="nothing is stored on this machine")
    folder = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(folder).free // 2**20
    fix = f"Free disk space in {folder}." if free < FREE_MEGABYTES else ""
    if not os.access(folder, os.W_OK):
        fix = f"Make {folder} ({name}) writable for this user."
    return Finding(name="disk", seen=f"{formats.number(free)} MB free", fix=fix)


def jobs() -> Finding:
    """Check that the scheduled tasks and clean-up rules end well. Presence does not show this."""
    unwell = state.unwell()
    if not unwell:
        return Finding(name="jobs", seen="all scheduled work ends well")
    listed = "; ".join(f"{one.name} {one.reason}" for one in unwell)
    return Finding(name="jobs", seen=listed, fix="Look at the log of the workers. If it shows no cause, restart them.")


def clean_up() -> Finding:
    """Check the last success of each clean-up rule. A rule without a success for 26 hours fails."""
    name = "clean-up"
    ends = {one.rule: one.last_success for one in outcomes.of_all_rules()}
    failed = state.last().failed
    known = {rule: end for rule, end in ends.items() if end is not None}
    if not known and not failed:
        return Finding(name=name, seen="has not run yet; the clock runs it, at 03:00 UTC at the latest")
    listed = [f"{rule} {end.astimezone(UTC):%Y-%m-%d %H:%M} UTC" for rule, end in sorted(known.items())]
    late = [rule for rule, end in known.items() if timezone.now() - end > state.OVERDUE_AFTER]
    seen = f"last success: {', '.join(listed)}"
    if failed:
        return Finding(
            name=name,
            seen=seen,
            fix=f"See operations/clean-up/. {'; '.join(f'{title}: {error}' for title, error in failed.items())}.",
        )
    fix = "Check that worker and clock run, then run manage.py sweep. Last success more than 26 h ago" if late else ""
    return Finding(name=name, seen=seen, fix=f"{fix}: {', '.join(sorted(late))}." if late else "")


def _process(name: str) -> Finding:
    if presence.is_there(name, within_seconds=PROCESS_SECONDS):
        return Finding(name=name, seen=f"seen in the last {PROCESS_SECONDS} s")
    return Finding(name=name, seen=f"not seen for {PROCESS_SECONDS} s", fix=f"Start manage.py {name}.")


_UNFORESEEN = "The health check itself has a bug. Report it with this line."

DATABASE = HealthCheck(name="database", look=database)
MIGRATIONS = HealthCheck(name="migrations", look=migrations)
PLATFORM = (
    HealthCheck(name="settings", look=origins),
    HealthCheck(name="queue", look=queue),
    HealthCheck(name="worker", look=worker, needs_tables=True),
    HealthCheck(name="clock", look=clock, needs_tables=True),
    HealthCheck(name="jobs", look=jobs, needs_tables=True),
    HealthCheck(name="clean-up", look=clean_up, needs_tables=True),
    HealthCheck(name="keys", look=keys, needs_tables=True),
    HealthCheck(name="audit", look=audit, needs_tables=True),
    HealthCheck(name="time", look=time),
    HealthCheck(name="disk", look=disk),
)
