"""A web process that is killed during the acceptance of a bulk send stores everything or nothing."""

import contextlib
import threading
import uuid
from collections.abc import Callable

import pytest
import requests

from tests.notifications.provisioned import Provisioned
from tests.service import Service

ROWS = 8_000
BULK = "/v2/notifications/bulk"


@pytest.mark.fault("A1")
def test_a_web_process_killed_during_an_acceptance_stores_everything_or_nothing(
    start_service: Callable[..., Service],
) -> None:
    service = start_service(PROVIDERS="sandbox")
    parks = Provisioned(
        service,
        {
            "name": "Parks",
            "templates": [{"type": "email", "name": "email", "subject": "Hello", "content": "Dear ((name))"}],
            "api_keys": [{"name": "test", "type": "test"}],
        },
    )
    rows = [["email address", "name"], *([f"p{number}@example.org", "Ana"] for number in range(ROWS))]
    answers: list[int] = []

    def post() -> None:
        body = {"template_id": parks.templates["email"], "name": str(uuid.uuid4()), "rows": rows}
        with contextlib.suppress(requests.RequestException):  # the process was killed
            answers.append(parks.request("POST", BULK, body).status_code)

    for wait_seconds in (0.2, 0.8, 1.4, 2.2):  # in different steps of the acceptance, on any machine
        posting = threading.Thread(target=post)
        posting.start()
        posting.join(wait_seconds)
        service.web.kill()
        posting.join()
        service.start_web()

    stored = parks.request("GET", BULK).json()["bulk_sends"]
    counts = [parks.request("GET", f"{BULK}/{one['id']}").json()["rows"] for one in stored]
    assert len(stored) >= answers.count(201)
    assert [sum(count.values()) for count in counts] == [ROWS] * len(stored)
