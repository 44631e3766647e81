"""For the tests of your program: wait for what it has sent to a Signalbox with the sandbox, instead of a mock.

    import sandbox

    def test_a_new_order_is_confirmed():
        place_order("ana@example.org")
        assert "order-1042" in sandbox.wait_email(to="ana@example.org", contains="Ana")["text"]

Set API (where Signalbox runs), and SANDBOX_TOKEN where it is not on this machine.
"""

import json
import os
import time
import urllib.parse
import urllib.request

API = os.environ.get("API", "http://127.0.0.1:8000")


def wait_email(**wanted: str) -> dict[str, object]:
    """Return the newest email that was sent to `to` and `contains` this text. Raises TimeoutError after 30 seconds."""
    return _wait("email", **wanted)


def wait_sms(**wanted: str) -> dict[str, object]:
    """Return the newest text message like this."""
    return _wait("sms", **wanted)


def _wait(channel: str, to: str, contains: str = "", seconds: float = 30) -> dict[str, object]:
    query = urllib.parse.urlencode({"to": to, "channel": channel, "wait": 10})
    headers = {"Authorization": f"Bearer {os.environ['SANDBOX_TOKEN']}"} if "SANDBOX_TOKEN" in os.environ else {}
    request = urllib.request.Request(f"{API}/sandbox/api/messages?{query}", headers=headers)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with urllib.request.urlopen(request, timeout=40) as answer:
            for message in json.load(answer)["messages"]:
                if contains in f"{message['subject'] or ''}\n{message['text']}":
                    return message
        time.sleep(0.2)  # other messages to this recipient are there, and the one that is wanted is not
    raise TimeoutError(f"no {channel} to {to} that contains {contains!r}")
