"""The running service that the tests of the library and of the command line share.

Variables name it: SIGNALBOX_URL, and those of `.demo.env` with the ids and secrets of the demo data.
"""

import io
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from signalbox import Signalbox, commands
from signalbox.commands import profiles, running

URL = os.environ["SIGNALBOX_URL"]
KEY = os.environ["NOTIFY_API_KEY"]
DATA_TOKEN = os.environ["DATA_TOKEN"]
EMAIL_TEMPLATE, SMS_TEMPLATE = os.environ["EMAIL_TEMPLATE"], os.environ["SMS_TEMPLATE"]
VALUES = {"name": "Ana", "items": ["a passport"]}
SERVICE_ID = KEY[-73:-37]


@pytest.fixture(scope="session")
def client() -> Iterator[Signalbox]:
    with Signalbox(URL, KEY, data_token=DATA_TOKEN) as client:
        yield client


@pytest.fixture
def visits(client: Signalbox):
    """The data set of the demo, empty."""
    data_set = client.data_set("demo/visits")
    data_set.empty()
    return data_set


def in_hours(hours: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + hours * 3600))


def sent(client: Signalbox) -> str:
    """Send an email, and return its id when it has arrived."""
    to = f"ana-{uuid.uuid4().hex}@example.org"
    identifier = client.send_email_notification(to, EMAIL_TEMPLATE, VALUES)["id"]
    assert client.sandbox.messages(to, wait=10)["messages"]
    deadline = time.monotonic() + 10
    while client.get_notification_by_id(identifier)["status"] == "created" and time.monotonic() < deadline:
        time.sleep(0.05)
    return str(identifier)


class MemoryKeyring(KeyringBackend):
    """A keyring for one test."""

    priority = 1

    def __init__(self):
        self.secrets = {}

    def get_password(self, service, username):
        return self.secrets.get((service, username))

    def set_password(self, service, username, password):
        self.secrets[service, username] = password

    def delete_password(self, service, username):
        if self.secrets.pop((service, username), None) is None:
            raise keyring.errors.PasswordDeleteError


class Invoked:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def invoke(capsys, monkeypatch, tmp_path):
    """Run the command line in this process: `invoke("messages", "list")`."""
    monkeypatch.setattr(profiles, "file", lambda: tmp_path / "profiles" / "profiles.json")
    usual = keyring.get_keyring()
    keyring.set_keyring(MemoryKeyring())

    def run(*arguments, text=""):
        running.state.profile = running.state.url = running.state.timeout = None
        running.state.is_json = False
        monkeypatch.setattr(sys, "argv", ["signalbox", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            commands.main()
        return Invoked(done.value.code, *capsys.readouterr())

    yield run
    keyring.set_keyring(usual)
