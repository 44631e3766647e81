"""What every test may ask for."""

import gc
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import pytest_django
import time_machine
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import Client
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests import one_store
from tests.servers import PrivateRedis, Program, SmtpSink
from tests.service import MIGRATED, Service

Start = Callable[..., Service]

# A busy machine makes an example slow, and that is no failure.
hypothesis_settings.register_profile("no-clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("no-clock")


def pytest_configure() -> None:
    """Look for a static file when it is asked for: else each test client looks for all of them.

    That was a third of the work of a test of a page. Services under test have processes of their own, which look once,
    as in production.
    """
    settings.WHITENOISE_AUTOREFRESH = True
    gc.disable()  # until everything is imported and collected: little of that is garbage


@contextmanager
def services(make_folder: pytest.TempPathFactory) -> Iterator[Start]:
    """Start services, and end them and search their logs when nobody needs them any more."""
    started: list[Service] = []

    def start(**extra: str) -> Service:
        started.append(Service(make_folder.mktemp("service"), **extra))
        return started[-1]

    yield start
    for one in started:
        one.stop()
    # Whatever the tests have sent, at log level debug. Source: docs/reference/running.md §14.
    assert not [leak for one in started for leak in one.leaks()]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Let a test that computes for long keep the transaction it stands in, which no request would."""
    options = connection.settings_dict["OPTIONS"]
    if "options" in options:
        options["options"] = options["options"].replace("idle_in_transaction_session_timeout=10000", "")
        options["options"] = options["options"].removesuffix(" -c ")
    if MIGRATED and connection.vendor == "postgresql":
        connection.settings_dict["TEST"]["TEMPLATE"] = MIGRATED
    elif MIGRATED:
        connection_created.connect(_fill_from_migrated, dispatch_uid="migrated")


def _fill_from_migrated(connection: BaseDatabaseWrapper, **kwargs: object) -> None:
    """Begin the new database, a moment before Django migrates it, with what the run has migrated once."""
    connection_created.disconnect(dispatch_uid="migrated")
    assert str(connection.settings_dict["NAME"]) == str(connection.settings_dict["TEST"]["NAME"])
    with closing(sqlite3.connect(MIGRATED)) as migrated:
        migrated.backup(connection.connection)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker) -> None:
    """Let the tests that commit empty all tables in the end: PostgreSQL's TRUNCATE would stop at the audit."""
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute("ALTER TABLE operations_audit_event DISABLE TRIGGER operations_audit_no_truncate")


@pytest.fixture(scope="module")
def start_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start a Signalbox of one's own, with further environment variables: `start_service(PROVIDERS=…)`."""
    with services(tmp_path_factory) as start:
        yield start


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The Signalbox all tests of this process share: use names of your own in it."""
    with services(tmp_path_factory) as start:
        yield start()


@pytest.fixture(scope="session")
def worker(service: Service) -> Program:
    """The worker of the shared service."""
    return service.start_worker()


@pytest.fixture
def smtp_sink() -> Iterator[SmtpSink]:
    sink = SmtpSink()
    yield sink
    sink.stop()


@pytest.fixture
def redis_server() -> Iterator[PrivateRedis]:
    """A Redis of the test's own, which it may stop."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on this machine")
    server = PrivateRedis()
    yield server
    server.stop()


@pytest.fixture
def noon() -> Iterator[time_machine.Traveller]:
    """A clock that stands still at noon: no midnight, no end of summer time and no change of codes comes in between."""
    with time_machine.travel("2026-11-20T12:00:00Z", tick=False) as clock:
        yield clock


@pytest.fixture
def operator(db: None) -> User:
    """A person who may do everything in the console."""
    return User.objects.create_superuser("mina", "mina@example.org", "a-long-password-1")


@pytest.fixture
def console(operator: User) -> Client:
    """The console in the hands of a signed-in operator, by a browser without scripts."""
    client = Client()
    client.force_login(operator)
    return client


_STORES = {"db", "transactional_db", "django_db_setup", "service", "start_service"}


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "run only the tests that touch a database or a running service: what a second run on others is about"
    parser.addoption("--stores-only", action="store_true", help=help_text)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read what would be left out: importing all of the suite takes each process 7 s."""
    if collection_path.suffix != ".py":
        return None
    place = collection_path.relative_to(config.rootpath).as_posix()
    is_left_out = config.getoption("--stores-only") and place.startswith(one_store.PLACES)
    is_beside = config.getoption("markexpr") == "alone" and "mark.alone" not in collection_path.read_text()
    return True if is_left_out or is_beside else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = {item.path for item in items if _waits_for_programs(item)}
    items.sort(key=lambda item: item.path not in slow)  # whole files: none of them may be what is left at the end
    if not config.getoption("--stores-only"):
        return
    touching = [
        item
        for item in items
        if not item.nodeid.startswith(one_store.PLACES)
        and (_STORES & set(item.fixturenames) or item.get_closest_marker("django_db"))
    ]
    kept = set(touching)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = touching


def _waits_for_programs(item: pytest.Item) -> bool:
    module = vars(item.module) if isinstance(item, pytest.Function) else {}
    has_fixture = not {"start_service", "chromium"}.isdisjoint(getattr(item, "fixturenames", ()))
    return has_fixture or any(module.get(one.__name__) is one for one in (subprocess, Program, Service))


def pytest_collection_finish() -> None:
    """Leave what has been imported and collected out of every later look for garbage: a fifth of the work of a test."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where CI=true, a skip is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter and (reporter.stats.get("skipped") or reporter.stats.get("xfailed")):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show the end of its services' logs below a test that failed with them."""
    report = yield
    for asked, service in getattr(item, "funcargs", {}).items() if report.failed else ():
        if isinstance(service, Service):
            report.sections += [(f"{asked}: {name}", text) for name, text in service.logs().items()]
    return report
