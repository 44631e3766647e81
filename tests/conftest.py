"""What every test may ask for."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.servers import Program, SmtpSink
from tests.service import Service

Start = Callable[..., Service]


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
    # Whatever the tests have sent, at log level debug. Source: Developer experience §14.
    assert not [leak for one in started for leak in one.leaks()]


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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--stores-only"):
        return
    touching = [item for item in items if _STORES & set(item.fixturenames) or item.get_closest_marker("django_db")]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(touching)])
    items[:] = touching


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where CI=true, a skip is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter and (reporter.stats.get("skipped") or reporter.stats.get("xfailed")):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show the end of the service's logs below a test that failed with it."""
    report = yield
    service = getattr(item, "funcargs", {}).get("service")
    if report.failed and isinstance(service, Service):
        report.sections += [(f"the service's {name}", text) for name, text in service.logs().items()]
    return report
