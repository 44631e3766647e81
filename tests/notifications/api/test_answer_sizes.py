"""An error does not grow with the request that it refuses. Source: docs/reference/sending-api.md §2.2."""

import json
from typing import Any

import pytest

from notifications import errors
from tests.notifications.calling import ADDRESS, NUMBER, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db

LONG = "x" * 300_000
MANY = {f"n{number}": 1 for number in range(40_000)}
MAX_BYTES = 64_000

SMS = "/v2/notifications/sms"
EMAIL = "/v2/notifications/email"
BULK = "/v2/notifications/bulk"
QUOTING: list[tuple[str, object]] = [
    (SMS, [LONG]),
    (SMS, LONG),
    (SMS, {"phone_number": [LONG]}),
    (SMS, {"phone_number": NUMBER, "template_id": {"a": LONG}}),
    (SMS, {"phone_number": LONG}),
    (SMS, {"reference": LONG}),
    (SMS, {"reference": ["y"] * 90_000}),
    (SMS, {"language": LONG}),
    (SMS, {"template_version": LONG}),
    (SMS, {"personalisation": LONG}),
    (SMS, {"personalisation": {LONG: [1] * 10_001}}),
    (SMS, {"callback": {"url": LONG, "bearer_token": LONG}}),
    (SMS, {"scheduled_for": LONG}),
    (SMS, {"sms_sender_id": LONG}),
    (SMS, {"fallback": {LONG: 1}}),
    (SMS, {"fallback": LONG}),
    (SMS, MANY),
    (SMS, {LONG: 1, "y" * 300_000: 2}),
    (EMAIL, {"email_address": LONG, "one_click_unsubscribe_url": f"https://{LONG}"}),
    (EMAIL, {"email_address": ADDRESS, "sanitise_content_for": LONG}),
    (EMAIL, {"email_address": ADDRESS, "personalisation": {"file": {"file": [LONG], "filename": LONG, LONG: 1}}}),
    (EMAIL, {"personalisation": {f"f{number}": {"file": "", "is_csv": LONG[:50]} for number in range(5_000)}}),
    (BULK, {"name": LONG, "csv": "a"}),
    (BULK, {"name": "x", "csv": f"{LONG}\n1"}),
    (BULK, {"name": "x", "csv": "phone number," + ",".join(["phone number"] * 900) + "\n1"}),
    (BULK, {"name": "x", "rows": [["phone number", LONG], *[["1", ""]] * 5_000]}),
    (BULK, {"name": "x", "rows": [[LONG]]}),
    (BULK, {"name": "x", "rows": LONG, "csv": [LONG]}),
    ("/v2/suppressions", {"note": LONG, "email_address": LONG, "reason": LONG}),
    ("/v2/suppressions", {"phone_number": [LONG], LONG: 1}),
    ("/v2/suppressions/search", {"email_address": LONG}),
]


@pytest.mark.parametrize(("path", "body"), QUOTING, ids=[f"{path}-{i}" for i, (path, _) in enumerate(QUOTING)])
def test_an_error_is_short_however_long_the_request(path: str, body: Any) -> None:
    caller = make_caller()
    template = email_template(caller) if path == EMAIL else sms_template(caller)
    if isinstance(body, dict):
        body = {"template_id": str(template.id), **body}

    answer = caller.post(path, raw=json.dumps(body).encode())

    assert answer.status_code in {400, 413, 415, 422}, answer.content[:300]
    assert len(answer.content) < MAX_BYTES


def test_a_quoted_value_ends_with_an_ellipsis() -> None:
    assert errors.shown("x" * 4_000) == "x" * 4_000
    assert errors.shown("x" * 4_001) == "x" * 4_000 + "…"
    assert errors.PropertiesUnexpected(names=["a", "y" * 5_000]).message.endswith("y… were unexpected)")


def test_a_value_of_a_text_is_limited_even_if_its_caller_forgets() -> None:
    assert len(errors.PersonalisationMissing(names=LONG).message) < 10_100
