"""Signatures of callbacks that are not right."""

import pytest
from signalbox import SignatureWrong, callbacks

SECRET, BODY, NOW = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}', 1614265330
RIGHT = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": "1614265330",
    "Webhook-Signature": f"v1,AAAA {RIGHT}",
}


def test_one_of_two_signatures_is_enough_and_headers_have_any_case():
    assert callbacks.verify(HEADERS, BODY.decode(), SECRET, now=NOW) == {"test": 2432232314}


@pytest.mark.parametrize(
    ("headers", "body", "secret", "now"),
    [
        ({}, BODY, SECRET, NOW),
        ({"Webhook-Signature": ""}, BODY, SECRET, NOW),
        ({"Webhook-Timestamp": "noon"}, BODY, SECRET, NOW),
        ({"Webhook-Signature": RIGHT.replace("v1", "v2")}, BODY, SECRET, NOW),
        ({"Webhook-Id": "msg_other"}, BODY, SECRET, NOW),
        ({"Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek"}, b'{"test": 1}', SECRET, NOW),
        ({"Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek"}, BODY, "whsec_AAAA", NOW),
        ({"Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek"}, BODY, "whsec_!", NOW),
        ({"Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek"}, BODY, SECRET, NOW + 301),
        ({"Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek"}, BODY, SECRET, NOW - 301),
    ],
)
def test_a_wrong_callback_is_refused(headers, body, secret, now):
    with pytest.raises(SignatureWrong):
        callbacks.verify({**HEADERS, **headers} if headers else {}, body, secret, now=now)
