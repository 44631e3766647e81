"""Invalid bodies by a fixed seed always get a documented answer, never a 5xx, in little time.

Source: docs/testing.md, E10, E11.
"""

import json
import random
import time
from typing import Any

import pytest

from notifications.models import Notification
from tests.notifications.calling import ADDRESS, NUMBER, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db

MUTATIONS = 200
ODD_VALUES: list[Any] = [
    *(None, True, 0, -1, 1.5, 1e308, 10**300, "", " ", "x" * 5000, "\u2028", "é" * 300, "🚲", "\x01\x7f", "(( ))"),
    *(
        "((name))",
        "</script>",
        "' OR 1=1 --",
        "%s%n",
        "{}",
        "\ufeff",
        "https://[::1",
        "07700900123" * 50,
        "a@b." + "c" * 400,
    ),
    *([], [[]], [None], [{}], ["a"] * 300, {}, {"": ""}, {"a": {"b": {"c": []}}}, {"file": None}, {"x" * 300: 1}),
]
ODD_BYTES = [b"\x00", b"\xff", b'"', b"\\", b"{", b"}", b"[", b",", b"\\u0000", b"\\ud800", b"1e999", b"NaN", b"\n"]


def mutate_value(chance: random.Random, body: dict[str, Any]) -> bytes:
    changed = json.loads(json.dumps(body))
    target = changed["personalisation"] if chance.random() < 0.4 else changed
    target[chance.choice([*target, "unknown", ""])] = chance.choice(ODD_VALUES)
    return json.dumps(changed, ensure_ascii=chance.random() < 0.5).encode()


def mutate_bytes(chance: random.Random, body: dict[str, Any]) -> bytes:
    raw = bytearray(json.dumps(body).encode())
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(raw))
        end = min(len(raw), start + chance.randint(0, 6))
        raw[start:end] = chance.choice([b"", chance.choice(ODD_BYTES), bytes(raw[start:end]) * 2])
    return bytes(raw)


@pytest.mark.parametrize("channel", ["sms", "email"])
@pytest.mark.parametrize("mutate", [mutate_value, mutate_bytes])
@pytest.mark.fault("E10", "E11")
def test_every_invalid_body_gets_the_error_body(channel: str, mutate: Any) -> None:
    chance = random.Random(f"{channel} {mutate.__name__}")  # noqa: S311  the same in every run
    caller = make_caller(rate_limit_per_minute=10_000)
    template = (sms_template if channel == "sms" else email_template)(caller, "Hello ((name)) ((other??yes))")
    recipient = {"phone_number": NUMBER} if channel == "sms" else {"email_address": ADDRESS}
    body = {
        **recipient,
        "template_id": str(template.id),
        "reference": "r",
        "personalisation": {"name": "Jo", "other": 1},
    }
    accepted = 0

    for _ in range(MUTATIONS):
        raw = mutate(chance, body)
        began = time.process_time()
        response = caller.post(f"/v2/notifications/{channel}", raw=raw)
        took = time.process_time() - began
        told = response.json()
        assert response.status_code in {201, 400}, (raw, told)
        assert response.status_code == 201 or (told["status_code"] == 400 and told["errors"]), (raw, told)
        assert took < 2, raw
        accepted += response.status_code == 201

    assert 0 < accepted < MUTATIONS
    assert Notification.objects.count() == accepted
