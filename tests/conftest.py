"""What every test may ask for."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers import Program, SmtpSink
from tests.service import Service


@pytest.fixture(scope="session")
def start_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Service]]:
    """Start a Signalbox of one's own, with further environment variables: `start_service(PROVIDERS=…)`."""
    started: list[Service] = []

    def start(**extra: str) -> Service:
        started.append(Service(Path(tmp_path_factory.mktemp("service")), **extra))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture(scope="session")
def service(start_service: Callable[..., Service]) -> Service:
    """The Signalbox all tests of this process share: use names of your own in it."""
    return start_service()


@pytest.fixture(scope="session")
def worker(service: Service) -> Program:
    """The worker of the shared service."""
    return service.start_worker()


@pytest.fixture
def smtp_sink() -> Iterator[SmtpSink]:
    sink = SmtpSink()
    yield sink
    sink.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show the end of the service's logs below a test that failed with it."""
    report = yield
    service = getattr(item, "funcargs", {}).get("service")
    if report.failed and isinstance(service, Service):
        report.sections += [(f"the service's {name}", text) for name, text in service.logs().items()]
    return report
