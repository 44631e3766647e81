"""The fixture `signalbox`: send and read messages of your own program in its tests, without mocks.

Set SIGNALBOX_URL to a running service whose only provider is the sandbox, or SIGNALBOX_HOME to a clone of Signalbox,
which is then started once for the test run, on a free port and with an empty database.
"""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from signalbox._embedded import Embedded
from signalbox.client import Signalbox

SECONDS = 15.0


class NothingArrived(AssertionError):
    """Nothing that matches arrived in time. The message lists what did arrive."""


class Clock:
    """The test clock of the service."""

    def __init__(self, client: Signalbox) -> None:
        self._client = client

    def advance(self, **units: float) -> None:
        """Move the clock by `days=`, `hours=`, `minutes=` or `seconds=`. What is due then happens at once."""
        self._client.sandbox.advance_clock(int(timedelta(**units).total_seconds()))


class Hook:
    """A webhook of the sandbox. Give its `url` to your program as the URL of a callback."""

    def __init__(self, client: Signalbox, name: str) -> None:
        self._client, self.name = client, name
        self.url = f"{client.url}/sandbox/hooks/{name}"

    def answer(self, status: int = 200, *, delay_seconds: int = 0) -> None:
        """Choose how it answers."""
        self._client.sandbox.set_hook(self.name, status=status, delay_seconds=delay_seconds)

    def calls(self, *, wait: int = 0) -> list[dict[str, Any]]:
        """Return the calls so far, newest first."""
        found: list[dict[str, Any]] = self._client.sandbox.hook_calls(self.name, wait=wait)["calls"]
        return found


class TestService:
    """The service under test: `signalbox` in a test.

    url: of the service; key: an API key for your program; environment: further values, such as template ids
    client: a client with this key
    """

    __test__ = False  # its name does not make it a test

    def __init__(self, client: Signalbox, key: str, environment: dict[str, str]) -> None:
        self.client, self.url, self.key, self.environment = client, client.url, key, environment
        self.clock = Clock(client)
        self._since = datetime.now(UTC).isoformat()
        self._rules: list[str] = []

    @cached_property
    def hook(self) -> Hook:
        """The webhook of this test, which ends with it."""
        hook = Hook(self.client, f"test-{os.getpid()}-{time.monotonic_ns()}")
        hook.answer()  # a service on another machine accepts no call to an unknown webhook
        return hook

    def wait_for_email(self, to: str, contains: str = "", seconds: float = SECONDS) -> dict[str, Any]:
        """Return the newest email of this test to a recipient. Raises NothingArrived."""
        return self._wait("email", to, contains, seconds)

    def wait_for_text(self, to: str, contains: str = "", seconds: float = SECONDS) -> dict[str, Any]:
        """Return the newest text of this test to a phone number. Raises NothingArrived."""
        return self._wait("sms", to, contains, seconds)

    def wait_for_callback(
        self, matches: Callable[[dict[str, Any]], bool] = lambda call: True, seconds: float = SECONDS
    ) -> dict[str, Any]:
        """Return the newest call of `hook` for which `matches` is true. Raises NothingArrived."""
        deadline = time.monotonic() + seconds
        while True:
            calls = self.hook.calls(wait=1)
            found = next((call for call in calls if matches(call)), None)
            if found is not None:
                return found
            if time.monotonic() >= deadline:
                raise NothingArrived(f"No callback matches. {len(calls)} arrived: {[call['body'] for call in calls]}")
            time.sleep(0.05 if calls else 0)

    def outcome(self, outcome: str, to: str | None = None, *, seconds: int = 0, reply: str | None = None) -> None:
        """Choose what happens to messages that this test sends from now on, such as `hard-bounce`."""
        self._rules.append(self.client.sandbox.add_rule(outcome, to=to, seconds=seconds, reply=reply)["id"])

    def close(self) -> None:
        """Remove what the test has added."""
        for rule in self._rules:
            self.client.sandbox.remove_rule(rule)
        if "hook" in vars(self):
            self.client.sandbox.remove_hook(self.hook.name)

    def _wait(self, channel: str, to: str, contains: str, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            left = max(deadline - time.monotonic(), 0)
            answer = self.client.sandbox.messages(to, channel=channel, since=self._since, wait=int(min(left, 10)))
            arrived: list[dict[str, Any]] = answer["messages"]
            for message in arrived:
                if contains in f"{message['subject'] or ''}\n{message['text']}":
                    return message
            if time.monotonic() >= deadline:
                texts = [message["subject"] or message["text"][:60] for message in arrived]
                wanted = f" that contains {contains!r}" if contains else ""
                raise NothingArrived(f"No {channel} to {to}{wanted}. {len(texts)} arrived: {texts}")
            time.sleep(0.05)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("signalbox_home", "the clone of Signalbox that tests start, if SIGNALBOX_URL is not set")
    parser.addini("signalbox_provision", "a file for `manage.py provision`, with your services, templates and keys")


@pytest.fixture(scope="session")
def signalbox_service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Signalbox, str, dict[str, str]]]:
    """The service of the whole run: its client, the API key, and further values."""
    if url := os.environ.get("SIGNALBOX_URL"):
        key = os.environ.get("NOTIFY_API_KEY", "")
        with Signalbox(url, key or None, sandbox_token=os.environ.get("SANDBOX_TOKEN")) as client:
            yield client, key, dict(os.environ)
        return
    home = os.environ.get("SIGNALBOX_HOME") or request.config.getini("signalbox_home")
    if not home:
        raise pytest.UsageError("Set SIGNALBOX_URL to a running service, or SIGNALBOX_HOME to a clone of Signalbox.")
    file = request.config.getini("signalbox_provision")
    provision = request.config.rootpath / str(file) if file else None
    folder = tmp_path_factory.mktemp("signalbox")
    with Embedded(request.config.rootpath / Path(str(home)), folder, provision) as embedded:
        key = embedded.environment.get("NOTIFY_API_KEY", "")
        with Signalbox(embedded.url, key or None) as client:
            yield client, key, embedded.environment


@pytest.fixture
def signalbox(signalbox_service: tuple[Signalbox, str, dict[str, str]]) -> Iterator[TestService]:
    """The service under test. Each test sees only its own messages and callbacks."""
    service = TestService(*signalbox_service)
    yield service
    service.close()
