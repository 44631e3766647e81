"""A real worker is killed during a callback: the call is repeated with the same webhook-id, and its log explains why.

Source: docs/reference/security.md §9, promise 5.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.notifications.claims import end_claims
from tests.notifications.provisioned import Provisioned
from tests.receivers import Posted, Receiver
from tests.servers import wait_until
from tests.service import Service

SERVICE: dict[str, Any] = {
    "name": "Ferries",
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "templates": [{"type": "sms", "name": "text", "content": "Hello"}],
    "api_keys": [{"name": "k", "type": "test"}],
}


class WatchedReceiver(Receiver):
    """Call the test's function when a callback has arrived, before the answer."""

    before_answer: Callable[[], None] | None = None

    def _take(self, posted: Posted) -> int:
        status = super()._take(posted)
        if self.before_answer:
            self.before_answer()
        return status


def row(service: Service, identifier: str) -> dict[str, Any]:
    code = (
        "import json; from notifications.models import CallbackDelivery; "
        f"found = CallbackDelivery.objects.filter(notification={identifier!r}); "
        "print(json.dumps(list(found.values('state', 'attempts'))))"
    )
    [found] = json.loads(service.manage("shell", "--no-imports", "-c", code).stdout)
    return dict(found)


@pytest.mark.fault("A1")
def test_a_callback_of_a_killed_worker_is_repeated_with_the_same_id(start_service):
    with WatchedReceiver() as receiver:
        service = start_service(DJANGO_SETTINGS_MODULE="tests.quick_settings")
        callbacks = {"delivery_status": {"url": receiver.url, "bearer_token": "token-0123456789"}}
        caller = Provisioned(service, SERVICE | {"callbacks": callbacks})
        worker = service.start_worker()
        receiver.before_answer = worker.kill

        identifier = caller.send_sms().json()["id"]
        wait_until(lambda: not worker.is_running())
        receiver.before_answer = None
        end_claims(service)
        service.start_worker()

        def called_again() -> bool:
            service.manage("sweep", "callbacks")
            return len(receiver.posted) > 1

        wait_until(called_again, 60)
        wait_until(lambda: row(service, identifier)["state"] == "accepted")
        attempts = row(service, identifier)["attempts"]

    assert len(receiver.posted) == 2
    assert len({posted.headers["webhook-id"] for posted in receiver.posted}) == 1
    assert len({posted.body for posted in receiver.posted}) == 1
    assert [attempt["outcome"] for attempt in attempts] == ["uncertain", "accepted"]
