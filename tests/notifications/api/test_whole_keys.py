"""Callers that send the whole key instead of a token. Source: docs/reference/sending-api.md §3."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from structlog.testing import capture_logs

from notifications.models import KeyType, Service
from tests.factories import make_api_key, make_service
from tests.notifications.calling import NUMBER, Caller, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

UNKNOWN = "6d0a9d5e-3f0e-4c55-8a3b-2f6f0f5b7c11"
TOO_SHORT = "Invalid token: Enter your full API key"
NOT_FOUND = "Invalid token: API key not found"
NO_BEARER = "Unauthorized: authentication bearer scheme must be used"


@pytest.fixture
def caller() -> Caller:
    return make_caller(accepts_whole_keys=True)


def whole_key(caller: Caller, **parts: str) -> str:
    given = {"name": caller.key.name, "service": str(caller.service.id), "secret": caller.key.secret, **parts}
    return "{name}-{service}-{secret}".format(**given)


def error(caller: Caller, header: str) -> tuple[int, str]:
    answer = caller.get("/v2/templates", Authorization=header)
    assert answer.json()["errors"][0]["error"] == "AuthError"
    return answer.status_code, messages(answer)[0]


@pytest.mark.parametrize("scheme", ["ApiKey-v1", "apikey-V1", "ApiKey-v1  "])
def test_every_path_accepts_the_whole_key(caller: Caller, scheme: str) -> None:
    header = f"{scheme} {whole_key(caller)}"
    body = {"phone_number": NUMBER, "template_id": str(sms_template(caller).pk)}

    assert caller.post("/v2/notifications/sms", body, Authorization=header).status_code == 201
    for path in ("/v2/notifications", "/v2/notifications/scheduled", "/v2/templates", "/v2/received-text-messages"):
        assert caller.get(path, Authorization=header).status_code == 200


def test_only_the_last_73_characters_count(caller: Caller) -> None:
    for name in ("", "another name "):
        key = whole_key(caller, name=name)
        assert caller.get("/v2/templates", Authorization=f"ApiKey-v1 {key}").status_code == 200
    assert caller.get("/v2/templates", Authorization=f"ApiKey-v1 {key[-73:]}").status_code == 200


@pytest.mark.parametrize("key", ["", "x", "x" * 72], ids=len)
def test_a_short_key_is_refused(caller: Caller, key: str) -> None:
    assert error(caller, f"ApiKey-v1 {key}".strip()) == (403, TOO_SHORT)


@pytest.mark.parametrize(
    "parts",
    [{"service": UNKNOWN}, {"secret": UNKNOWN}, {"service": "x" * 36}, {"secret": "é" * 36}],
    ids=["another service", "another secret", "no UUID", "not ASCII"],
)
def test_an_unknown_key_is_not_found(caller: Caller, parts: dict[str, str]) -> None:
    assert error(caller, f"ApiKey-v1 {whole_key(caller, **parts)}") == (403, NOT_FOUND)


def test_a_service_without_the_setting_refuses_the_scheme(caller: Caller) -> None:
    other = Caller(make_api_key(make_service()))
    assert error(other, f"ApiKey-v1 {whole_key(other)}") == (401, NO_BEARER)


def test_a_token_is_still_accepted(caller: Caller) -> None:
    assert caller.get("/v2/templates").status_code == 200


def test_revoked_keys_and_archived_services_are_refused(caller: Caller) -> None:
    revoked = make_api_key(caller.service, KeyType.LIVE, revoked_at=timezone.now() - timedelta(days=1))
    assert error(caller, f"ApiKey-v1 {whole_key(Caller(revoked))}") == (403, "Invalid token: API key revoked")

    other = make_caller(accepts_whole_keys=True)
    Service.objects.filter(pk=other.service.pk).update(active=False)
    assert error(other, f"ApiKey-v1 {whole_key(other)}") == (403, "Invalid token: service is archived")


def test_the_key_is_not_logged(caller: Caller) -> None:
    keys = [whole_key(caller), whole_key(caller, service=str(uuid4())), caller.key.secret]
    with capture_logs() as logged:
        for key in keys:
            caller.get("/v2/templates", Authorization=f"ApiKey-v1 {key}")

    assert len(logged) >= len(keys)
    assert caller.key.secret not in str(logged)
