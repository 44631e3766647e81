"""The running service that the tests of the library and of the command line share.

Variables name it: SIGNALBOX_URL, and those of `.demo.env` with the ids and secrets of the demo data.
"""

import os
import time
import uuid
from collections.abc import Iterator

import pytest
from signalbox import Signalbox

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
