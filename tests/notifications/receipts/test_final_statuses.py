"""The whole way: the official client sends, a worker sends by SMPP and receives, the client reads the final status."""

import json
from collections.abc import Callable, Iterator

import pytest
from notifications_python_client.notifications import NotificationsAPIClient

from tests.notifications.delivery.message_centre import MessageCentre
from tests.servers import wait_until
from tests.service import Service

SERVICE = {
    "name": "Parks",
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "sms_senders": [{"sender": "07700 900854", "default": True}],
    "templates": [{"type": "sms", "name": "t", "content": "Hi ((name))"}],
    "api_keys": [{"name": "k", "type": "live"}],
}
EXPECTED = {
    "07700 900123": "delivered",
    "07700 900211": "permanent-failure",
    "07700 900112": "temporary-failure",
    "07700 900114": "technical-failure",
    "07700 900115": "pending",
    "07700 900102": "permanent-failure",
}


@pytest.fixture(scope="module")
def centre() -> Iterator[MessageCentre]:
    centre = MessageCentre()
    yield centre
    centre.stop()


@pytest.fixture(scope="module")
def running(start_service: Callable[..., Service], centre: MessageCentre) -> Service:
    service = start_service(PROVIDERS=f"smsc={centre.url}")
    service.start("clock", "manage.py", "clock")  # a receipt may arrive before its message is recorded as sent
    return service


def test_the_client_sees_each_final_status_and_the_texts_that_come_back(
    running: Service, centre: MessageCentre
) -> None:
    done = running.manage("provision", "-", input=json.dumps({"services": [SERVICE]}))
    provisioned = json.loads(done.stdout)["services"][0]
    client = NotificationsAPIClient(provisioned["api_keys"][0]["api_key"], base_url=running.url)
    template_id = provisioned["templates"][0]["id"]
    worker = running.start_worker()

    sent = {
        client.send_sms_notification(number, template_id, {"name": "Ana"})["id"]: expected
        for number, expected in EXPECTED.items()
    }

    def seen() -> dict[str, str]:
        return {identifier: client.get_notification_by_id(identifier)["status"] for identifier in sent}

    try:
        wait_until(lambda: seen() == sent)
    except TimeoutError:
        assert seen() == sent  # shows the difference
    centre.tell(text={"source_addr": "447700900456", "destination_addr": "447700900854", "short_message": "Yes"})
    centre.wait_for("answered", len(sent))  # a rejected message has no receipt, and the received text is answered too
    [text] = client.get_received_texts()["received_text_messages"]
    assert (text["user_number"], text["content"]) == ("447700900456", "Yes")

    worker.stop()
    centre.wait_for("unbound")
