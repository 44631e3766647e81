"""Fixtures of all tests."""

import gc
import os
import shutil
import sqlite3
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import pytest_django
import time_machine
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management.color import no_style
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import Client, TransactionTestCase
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests import both_stores
from tests.people import browser_of
from tests.servers import PrivateRedis, Program, SmtpSink
from tests.service import MIGRATED, Service

Start = Callable[..., Service]

# A slow example on a busy machine is not a failure.
hypothesis_settings.register_profile("no-clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("no-clock")


def pytest_configure() -> None:
    """Find static files on request instead of at the start of each test client.

    The search was a third of the time of a page test. Services under test search once in their own process, as in
    production.
    """
    settings.WHITENOISE_AUTOREFRESH = True
    gc.disable()  # collection starts after all imports, which create little garbage


@contextmanager
def services(make_folder: pytest.TempPathFactory) -> Iterator[Start]:
    """Start services. At the end, stop them and search their logs."""
    started: list[Service] = []

    def start(**extra: str) -> Service:
        started.append(Service(make_folder.mktemp("service"), **extra))
        return started[-1]

    yield start
    for one in started:
        one.ask_to_stop()
    for one in started:
        one.stop()
    # All requests of the tests, at log level debug. Source: docs/reference/running.md §14.
    assert not [leak for one in started for leak in one.leaks()]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Allow long transactions, because a test may compute for long inside one."""
    options = connection.settings_dict["OPTIONS"]
    if "options" in options:
        options["options"] = options["options"].replace("idle_in_transaction_session_timeout=10000", "")
        options["options"] = options["options"].removesuffix(" -c ")
    if MIGRATED and connection.vendor == "postgresql":
        connection.settings_dict["TEST"]["TEMPLATE"] = MIGRATED
    elif MIGRATED:
        connection_created.connect(_fill_from_migrated, dispatch_uid="migrated")


def _fill_from_migrated(connection: BaseDatabaseWrapper, **kwargs: object) -> None:
    """Copy the database that the run has migrated once, before Django migrates the new one."""
    connection_created.disconnect(dispatch_uid="migrated")
    assert str(connection.settings_dict["NAME"]) == str(connection.settings_dict["TEST"]["NAME"])
    with closing(sqlite3.connect(MIGRATED)) as migrated:
        migrated.backup(connection.connection)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker) -> None:
    """Allow the tests that commit to empty all tables, which the audit's triggers would prevent on PostgreSQL."""
    TransactionTestCase._fixture_teardown = _empty_written_tables
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute("ALTER TABLE operations_audit_event DISABLE TRIGGER operations_audit_no_truncate")
            cursor.execute("ALTER TABLE operations_audit_link DISABLE TRIGGER operations_audit_link_no_truncate")


def _empty_written_tables(self: TransactionTestCase) -> None:
    """Empty the tables that have rows after a test that commits, in place of Django's `flush`.

    `flush` empties all 64 tables and creates the content types and permissions again: ten times as much work.
    """
    is_kept = {ContentType._meta.db_table, Permission._meta.db_table}.__contains__
    tables = [
        table
        for table in connection.introspection.django_table_names(only_existing=True, include_views=False)
        if not is_kept(table)
    ]
    quoted = {table: connection.ops.quote_name(table) for table in tables}
    queries = [f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quoted[table]})" for table in tables]  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(queries))
        written = [table for (table,) in cursor.fetchall()]
    # CASCADE: PostgreSQL refuses to truncate a table that others refer to, even if those are empty.
    statements = connection.ops.sql_flush(no_style(), written, allow_cascade=connection.vendor == "postgresql")
    connection.ops.execute_sql_flush(statements)


@pytest.fixture(scope="module")
def start_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start a separate Signalbox with further environment variables: `start_service(PROVIDERS=…)`."""
    with services(tmp_path_factory) as start:
        yield start


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The Signalbox that all tests of this process share. Use unique names in it."""
    with services(tmp_path_factory) as start:
        yield start()


@pytest.fixture(scope="module")
def worker(service: Service) -> Iterator[Program]:
    """The worker of the shared service. It ends with the file's tests, because its polling takes CPU time."""
    worker = service.start_worker()
    yield worker
    worker.stop()


@pytest.fixture
def smtp_sink() -> Iterator[SmtpSink]:
    sink = SmtpSink()
    yield sink
    sink.stop()


@pytest.fixture
def redis_server() -> Iterator[PrivateRedis]:
    """A separate Redis server, which the test may stop."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on this machine")
    server = PrivateRedis()
    yield server
    server.stop()


@pytest.fixture
def noon() -> Iterator[time_machine.Traveller]:
    """A clock that stands still at noon, so that no midnight, clock change or new code interferes."""
    with time_machine.travel("2026-11-20T12:00:00Z", tick=False) as clock:
        yield clock


@pytest.fixture
def operator(db: None) -> User:
    """A superuser of the console."""
    return User.objects.create_superuser("mina", "mina@example.org", "a-long-password-1")


@pytest.fixture
def console(operator: User) -> Client:
    """A client without scripts that is signed in as an operator."""
    return browser_of(operator)


# Files that start first, because they take the most CPU time or wait for programs the longest. The longest is first.
LONG = (
    "browser/test_every_page.py",
    "config/test_up.py",
    "config/test_hostile_bodies.py",
    "config/test_installation.py",
    "notifications/test_vectors.py",
    "datasets/test_vectors.py",
    "config/docs/test_conformance.py",
    "config/test_memory.py",
    "config/console/test_scoping.py",
    "config/test_wrong_values.py",
    "config/test_shared_commands.py",
    "notifications/rendering/test_over_http.py",
    "config/console/test_links.py",
    "config/console/test_forged_posts.py",
    "config/console/test_jobs.py",
    "faults/test_clamd_killed.py",
    "notifications/admin/test_bulk_send_page.py",
    "notifications/admin/test_bulk_sends.py",
    "notifications/admin/test_message_log_plans.py",
)
_STORES = {"db", "transactional_db", "django_db_setup", "service", "start_service"}


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "run only the tests of tests/both_stores.py that use a database or a running service"
    parser.addoption("--stores-only", action="store_true", help=help_text)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore files without selected tests, because importing the whole suite takes each process 7 s."""
    if collection_path.suffix != ".py":
        return None
    place = collection_path.relative_to(config.rootpath).as_posix()
    is_test = collection_path.name.startswith("test_")
    is_left_out = config.getoption("--stores-only") and is_test and not place.startswith(both_stores.FILES)
    is_beside = config.getoption("markexpr") == "alone" and "mark.alone" not in collection_path.read_text()
    return True if is_left_out or is_beside else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = _interleaved(items)
    if not config.getoption("--stores-only"):
        return
    touching = [
        item
        for item in items
        if item.nodeid.startswith(both_stores.PLACES)
        and not item.get_closest_marker("one_store")
        and (_STORES & set(item.fixturenames) or item.get_closest_marker("django_db"))
    ]
    kept = set(touching)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = touching


def _interleaved(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests by file: one file that waits for programs, then two that compute, and so on.

    A mix of both keeps all cores busy. A long file at the end would leave one idle.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)

    by_length = sorted(files.values(), key=lambda tests: (_length(tests[0]), len(tests)), reverse=True)
    waiting = deque(tests for tests in by_length if any(map(_waits_for_programs, tests)))
    computing = deque(tests for tests in by_length if not any(map(_waits_for_programs, tests)))
    ordered: list[pytest.Item] = []
    while waiting or computing:
        for line in (waiting, computing, computing):
            ordered += line.popleft() if line else []
    return ordered


def _length(item: pytest.Item) -> int:
    """Return how early the item's file is in LONG; 0 if it is not there."""
    place = item.path.relative_to(item.config.rootpath / "tests").as_posix()
    return len(LONG) - LONG.index(place) if place in LONG else 0


def _waits_for_programs(item: pytest.Item) -> bool:
    module = vars(item.module) if isinstance(item, pytest.Function) else {}
    has_fixture = not {"start_service", "chromium", "whole_chromium"}.isdisjoint(getattr(item, "fixturenames", ()))
    return has_fixture or any(module.get(one.__name__) is one for one in (subprocess, Program, Service))


def pytest_collection_finish() -> None:
    """Exclude all imported objects from later garbage collections, a fifth of the time of a test.

    Imports create little garbage, and to look for it would take a second.
    """
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Treat a skipped test as a failure if CI=true."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter and (reporter.stats.get("skipped") or reporter.stats.get("xfailed")):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Add the end of its services' logs to the report of a failed test."""
    report = yield
    for asked, service in getattr(item, "funcargs", {}).items() if report.failed else ():
        if isinstance(service, Service):
            report.sections += [(f"{asked}: {name}", text) for name, text in service.logs().items()]
    return report
