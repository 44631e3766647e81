"""Authentication in a fixed order, and the recorded use of a key."""

import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.utils import timezone
from structlog.testing import capture_logs

from config.metrics import registry
from config.rest.handler import HELPFUL
from notifications.models import ApiKey, KeyType
from notifications.submission import ttl_cache
from tests.factories import make_api_key, make_service
from tests.notifications.calling import Caller, make_caller, messages, sms_template
from tests.notifications.tokens import make_token

pytestmark = pytest.mark.django_db

PATH = "/v2/notifications"
GENERAL = "Invalid token: make sure your API token matches the example at http://127.0.0.1:8000/docs/#authentication"
CLOCK = "Error: Your system clock must be accurate to within 30 seconds"
NOT_FOUND = "Invalid token: API key not found"


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def ask(header: str | None, **more: str) -> Any:
    headers = more if header is None else {"Authorization": header, **more}
    return Client(raise_request_exception=False).get(PATH, headers=headers)


def check_refused(response: Any, status: int, message: str) -> None:
    assert (response.status_code, messages(response)) == (status, [message])
    assert response.json()["errors"][0]["error"] == "AuthError"
    assert response.headers.get("WWW-Authenticate") == ("Bearer" if status == 401 else None)


@pytest.mark.parametrize("header", [None, "", "   "])
def test_a_missing_token_is_rejected(header: str | None) -> None:
    check_refused(ask(header), 401, "Unauthorized: authentication token must be provided")


@pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer ", "Token a.b.c", "a.b.c", "Bearer a b", "Bearer é"])
def test_another_scheme_or_an_empty_token_is_rejected(header: str) -> None:
    check_refused(ask(header), 401, "Unauthorized: authentication bearer scheme must be used")


def test_a_header_of_more_than_4_kb_is_not_read(caller: Caller) -> None:
    response = ask(caller.authorization(claims={"padding": "x" * 4096}))

    check_refused(response, 401, "Unauthorized: authentication bearer scheme must be used")


def test_a_token_with_further_claims_is_valid(caller: Caller) -> None:
    assert ask(caller.authorization(claims={"padding": "x" * 1024})).status_code == 200


def test_a_known_token_is_checked_again(caller: Caller) -> None:
    token = caller.authorization()

    assert [ask(token).status_code for _ in range(2)] == [200, 200]
    with time_machine.travel(time.time() + 31, tick=False):
        check_refused(ask(token), 403, CLOCK)
    ApiKey.objects.filter(pk=caller.key.pk).update(revoked_at=timezone.now())
    ttl_cache.clear()
    assert ask(token).status_code == 403


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
def test_the_scheme_is_compared_without_case(caller: Caller, scheme: str) -> None:
    assert ask(caller.authorization().replace("Bearer", scheme)).status_code == 200


@pytest.mark.parametrize(
    "token",
    [
        "a",
        "a.b",
        "a.b.c.d",
        "..",
        "???.???.???",
        "e30.e30.é",
        "bnVsbA.e30.",
        "e30.bnVsbA.",
        "e30.W10.",
        "e30.eyJ.",
        "e30.e30.a",
    ],
)
def test_a_malformed_token_is_rejected(token: str) -> None:
    message = GENERAL if token.isascii() else "Unauthorized: authentication bearer scheme must be used"

    check_refused(ask(f"Bearer {token}"), 403 if token.isascii() else 401, message)


def test_a_hundred_thousand_brackets_in_a_token_cause_no_500(caller: Caller) -> None:
    check_refused(ask(caller.authorization(payload_text="[" * 2000)), 403, GENERAL)


@pytest.mark.parametrize(
    ("token", "message"),
    [
        pytest.param({"drop": ["iss"]}, "Invalid token: iss field not provided", id="no iss"),
        *[
            pytest.param(
                {"claims": {"iss": value}}, "Invalid token: service id is not the right data type", id=f"iss {value!r}"
            )
            for value in (None, 17, True, "harbour", [], {}, "", " 4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10")
        ],
        pytest.param({"claims": {"iss": str(uuid4())}}, "Invalid token: service not found", id="no such service"),
        *[
            pytest.param({"alg": alg}, "Invalid token: algorithm used is not HS256", id=f"alg {alg}")
            for alg in ("none", "hs256", "HS512", "RS256", "")
        ],
        pytest.param({"drop_header": ["alg"]}, "Invalid token: algorithm used is not HS256", id="no alg"),
        pytest.param({"signature": ""}, NOT_FOUND, id="no signature"),
        pytest.param({"drop": ["iat"]}, NOT_FOUND, id="no iat"),
        pytest.param({"claims": {"aud": "harbour"}}, GENERAL, id="aud"),
        pytest.param({"claims": {"exp": int(time.time()) - 3600}}, GENERAL, id="exp past"),
        pytest.param({"claims": {"exp": "soon"}}, GENERAL, id="exp a word"),
        pytest.param({"claims": {"nbf": "soon"}}, GENERAL, id="nbf a word"),
        pytest.param({"claims": {"nbf": int(time.time()) + 3600}}, CLOCK, id="nbf ahead"),
        pytest.param({"header": {"crit": ["exp2"], "exp2": 1}}, GENERAL, id="crit"),
        pytest.param({"iat_offset": -500, "claims": {"aud": "harbour"}}, CLOCK, id="the clock before other claims"),
    ],
)
@pytest.mark.fault("G1", "G3")
def test_each_row_of_the_contract(caller: Caller, token: dict[str, Any], message: str) -> None:
    check_refused(ask(caller.authorization(**token)), 403, message)


@pytest.mark.parametrize(
    ("iat", "is_good"),
    [
        *[
            (lambda now, offset=offset: now + offset, offset in range(-30, 31))
            for offset in (-31, -30, 0, 30, 31, -3600)
        ],
        (lambda now: now + 0.9, True),
        (str, True),
        (lambda now: f"{now}.5", True),
        (lambda now: now * 1000, False),
        *[(lambda now, value=value: value, False) for value in (None, True, "now", "", [], {}, 1e300, -1e300, 10**400)],
        (lambda now: float("nan"), False),
    ],
)
@pytest.mark.fault("C1")
def test_the_clock_may_differ_by_thirty_seconds_both_ways(caller: Caller, iat: Any, is_good: bool) -> None:
    with time_machine.travel(1_800_000_000.4, tick=False):
        response = ask(caller.authorization(claims={"iat": iat(1_800_000_000)}))

    if is_good:
        assert response.status_code == 200
    else:
        assert response.status_code == 403
        assert messages(response)[0] in {CLOCK, GENERAL}  # a token that is not JSON fails before the check of its time


def test_the_hint_states_the_difference_of_the_clocks(caller: Caller) -> None:
    with time_machine.travel("2026-11-20T09:01:04Z", tick=False):
        response = ask(caller.authorization(iat_offset=-52), Accept=HELPFUL)

    assert response.json()["errors"][0]["fix"] == (
        "The token was issued at 09:00:12 UTC, but the server's clock shows 09:01:04 UTC. They are 52 s apart. "
        "Turn on time synchronisation on your computer."
    )
    assert response.json()["errors"][0]["docs"] == "http://127.0.0.1:8000/docs/#errors-system-clock"


def test_an_unknown_caller_learns_nothing_from_the_clock_error(caller: Caller) -> None:
    token = make_token(str(caller.service.id), str(uuid4()), iat_offset=-500)

    check_refused(ask(f"Bearer {token}"), 403, NOT_FOUND)


def test_the_secret_of_another_service_is_rejected(caller: Caller) -> None:
    token = make_token(str(caller.service.id), make_api_key().secret)

    check_refused(ask(f"Bearer {token}"), 403, NOT_FOUND)


def test_a_service_without_keys_and_an_archived_one_are_rejected(caller: Caller) -> None:
    keyless = make_service()
    check_refused(ask(f"Bearer {make_token(str(keyless.id), 'x')}"), 403, "Invalid token: service has no API keys")

    type(caller.service).objects.filter(id=caller.service.id).update(active=False)

    check_refused(ask(caller.authorization()), 403, "Invalid token: service is archived")


def test_a_service_with_long_revoked_keys_has_no_keys() -> None:
    key = make_api_key(revoked_at=timezone.now() - timedelta(days=8))

    check_refused(ask(Caller(key).authorization()), 403, "Invalid token: service has no API keys")


@pytest.mark.parametrize(
    "ended", [{"revoked_at": timezone.now() - timedelta(days=6)}, {"expires_at": timezone.now() - timedelta(days=1)}]
)
def test_a_revoked_key_and_an_expired_one_are_rejected(ended: dict[str, Any]) -> None:
    caller = Caller(make_api_key(**ended))

    check_refused(ask(caller.authorization()), 403, "Invalid token: API key revoked")
    check_refused(ask(caller.authorization(iat_offset=-500)), 403, CLOCK)


def test_every_key_of_the_service_is_tried_recently_used_ones_first() -> None:
    service = make_service()
    shared = str(uuid4())
    make_api_key(service, revoked_at=timezone.now(), secret=shared)
    make_api_key(service)
    key = make_api_key(service, secret=shared)

    response = ask(Caller(key).authorization())

    assert response.status_code == 200
    key.refresh_from_db()
    assert key.last_used_at is not None


def test_a_key_revoked_by_another_process_is_rejected_within_two_seconds(caller: Caller) -> None:
    assert ask(caller.authorization()).status_code == 200
    ApiKey.objects.filter(id=caller.key.id).update(revoked_at=timezone.now())

    time.sleep(ttl_cache.SECONDS + 0.1)

    check_refused(ask(caller.authorization()), 403, "Invalid token: API key revoked")


def test_a_key_that_cannot_be_decrypted_is_logged_and_the_others_work(
    caller: Caller,
) -> None:
    lost = make_api_key(caller.service)
    ApiKey.objects.filter(id=lost.id).update(encrypted_secret=b"encrypted under another key")
    registry.flush()
    before = figures_of_unreadable()

    with capture_logs() as logs:
        response = ask(f"Bearer {make_token(str(caller.service.id), lost.secret)}")

    assert response.status_code == 500
    assert response.json()["errors"][0]["error"] == "Exception"
    assert messages(response) == ["The API keys of this service cannot be read"]
    assert ask(caller.authorization()).status_code == 200
    registry.flush()
    assert figures_of_unreadable() == before + 1
    assert ("api_key.unreadable", "error", str(lost.id)) in [
        (line["event"], line["log_level"], line.get("key_id")) for line in logs
    ]


def figures_of_unreadable() -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(value) FROM metric_value WHERE name = 'signalbox_unreadable_values'")
        return float(cursor.fetchone()[0] or 0)


def test_keys_that_cannot_be_decrypted_are_not_reported_as_missing(caller: Caller) -> None:
    ApiKey.objects.update(encrypted_secret=b"encrypted under another key")

    response = ask(caller.authorization())

    assert (response.status_code, messages(response)) == (500, ["The API keys of this service cannot be read"])


def test_a_revoked_key_that_cannot_be_decrypted_is_no_error(caller: Caller) -> None:
    lost = make_api_key(caller.service, revoked_at=timezone.now())
    ApiKey.objects.filter(id=lost.id).update(encrypted_secret=b"encrypted under another key")

    check_refused(ask(f"Bearer {make_token(str(caller.service.id), str(uuid4()))}"), 403, NOT_FOUND)


def test_the_use_of_a_key_is_recorded_once_a_minute_with_its_client(caller: Caller) -> None:
    caller.get(PATH, **{"User-Agent": "NOTIFY-API-PYTHON-CLIENT/10.0.1" + "x" * 200})
    caller.key.refresh_from_db()
    first = caller.key.last_used_at

    caller.get(PATH)

    caller.key.refresh_from_db()
    assert (caller.key.last_used_at, caller.key.last_client[:24]) == (first, "NOTIFY-API-PYTHON-CLIENT")


@pytest.mark.parametrize("key_type", list(KeyType))
def test_keys_of_every_type_may_read(key_type: KeyType) -> None:
    assert make_caller(key_type=key_type).get(PATH).status_code == 200


def test_no_part_of_a_rejected_token_is_returned(caller: Caller) -> None:
    response = caller.client.post(
        "/v2/notifications/sms",
        b"{}",
        content_type="application/json",
        headers={"Authorization": caller.authorization(iat_offset=-99)},
    )

    assert caller.key.secret not in response.content.decode()
    assert response.status_code == 403


def test_the_token_is_checked_before_the_body(caller: Caller) -> None:
    template = sms_template(caller)
    response = Client().post(
        "/v2/notifications/sms", {"template_id": template.id}, headers={"Authorization": "Bearer a.b"}
    )

    check_refused(response, 403, GENERAL)
