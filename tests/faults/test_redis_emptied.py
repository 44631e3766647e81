"""Redis loses its data while messages wait: the rows remain, and all messages are sent.

Source: docs/testing.md, A5; at full size in benchmarks/faults/redis_away.py.
"""

import shutil
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.notifications.provisioned import Provisioned
from tests.servers import PrivateRedis, wait_until

MESSAGES = 50


@pytest.fixture(scope="module")  # it must outlive the service
def redis_server():
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on this machine")
    server = PrivateRedis()
    yield server
    server.stop()


@pytest.mark.fault("A5")
def test_messages_that_waited_in_redis_are_found_again_and_sent_once(start_service, redis_server, smtp_sink):
    service = start_service(
        REDIS_URL=redis_server.url, PROVIDERS=f"mail={smtp_sink.url}", DJANGO_SETTINGS_MODULE="tests.quick_settings"
    )
    document = {
        "name": f"Emptied {uuid.uuid4().hex[:8]}",
        "live": True,
        "reply_to_addresses": [{"email_address": "reply@example.com"}],
        "templates": [{"type": "email", "name": "email", "subject": "Hello", "content": "Dear all"}],
        "api_keys": [{"name": "k", "type": "live"}],
    }
    caller = Provisioned(service, document)
    body = {"email_address": "p@example.org", "template_id": caller.templates["email"]}

    def send(_: int) -> int:
        return caller.request("POST", "/v2/notifications/email", body, key_type="live").status_code

    with ThreadPoolExecutor(4) as pool:
        answers = Counter(pool.map(send, range(MESSAGES)))
    assert redis_server.client().llen("send-email") == MESSAGES
    redis_server.client().flushall()
    service.start_worker()

    def swept() -> bool:
        service.manage("sweep", "messages")
        return len(smtp_sink.messages) >= MESSAGES

    wait_until(swept)
    assert answers == {201: MESSAGES}
    assert set(Counter(mail["Message-ID"] for mail in smtp_sink.messages).values()) == {1}
    assert len(smtp_sink.messages) == MESSAGES
