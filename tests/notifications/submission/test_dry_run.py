"""Dry runs over HTTP: the answer, and that nothing is stored. Source: docs/reference/bulk-sending.md §4."""

import base64
from collections.abc import Mapping
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notifications.models import DailyCounter, KeyType, LimitKind, RateSlot, Service
from tests.factories import make_guest, make_reply_to, make_service, make_sms_sender
from tests.notifications.calling import ADDRESS, NUMBER, Caller, email_template, make_caller, messages, sms_template

pytestmark = [pytest.mark.usefixtures("noon"), pytest.mark.django_db]

UNKNOWN = "4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10"
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
CHECKS = (
    *("daily_limit", "schema", "channel", "template", "personalisation", "empty", "file_in_text", "sender"),
    *("recipient", "suppression", "number", "international_limit", "files", "length", "fallback"),
)


def file(data: bytes = b"a,b\n1,2\n", **options: Any) -> dict[str, Any]:
    return {"file": base64.b64encode(data).decode(), "filename": "list.csv", **options}


def dry_run(caller: Caller, channel: str, body: Any, query: str = "dry_run=true", **headers: str) -> Any:
    return caller.post(f"/v2/notifications/{channel}?{query}", body, **headers)


def verdicts(answer: Any) -> Mapping[str, Any]:
    """Return the checks that did not succeed: name → None, or the messages."""
    assert answer.status_code == 200, answer.content
    checks = answer.json()["checks"]
    assert tuple(one["check"] for one in checks) == CHECKS
    assert answer.json()["accepted"] is all(one["ok"] for one in checks)
    return {
        one["check"]: None if one["ok"] is None else [error["message"] for error in one["errors"]]
        for one in checks
        if one["ok"] is not True
    }


def rows() -> dict[str, int]:
    """Return the number of rows of every table but the rate window."""
    models = apps.get_models(include_auto_created=True)
    return {
        model._meta.label: model._default_manager.count()
        for model in models
        if model._meta.managed and model is not RateSlot
    }


@pytest.fixture
def caller() -> Caller:
    return make_caller(name="Town Hall", file_contact="help@example.org")


def sms_body(caller: Caller, content: str = "Hello ((name))", **fields: Any) -> dict[str, Any]:
    template = sms_template(caller, content)
    return {"phone_number": NUMBER, "template_id": str(template.id), "personalisation": {"name": "Ana"}, **fields}


def email_body(caller: Caller, content: str = "Dear ((name))", **fields: Any) -> dict[str, Any]:
    template = email_template(caller, content)
    return {"email_address": ADDRESS, "template_id": str(template.id), "personalisation": {"name": "Ana"}, **fields}


def test_the_answer_shows_the_text_message_that_would_be_sent(caller: Caller) -> None:
    body = sms_body(caller, "Hello ((name)) ŵ", scheduled_for=None)

    answer = dry_run(caller, "sms", body).json()

    sends_at = answer.pop("sends_at")
    assert sends_at > "2026"
    assert sends_at.endswith("Z")
    assert answer == {
        "dry_run": True,
        "accepted": True,
        "checks": [{"check": name, "ok": True, "errors": []} for name in CHECKS],
        "content": {"body": "Hello Ana ŵ", "from_number": "PIGEON"},
        "html": None,
        "parts": 1,
        "characters": 11,
        "encoding": "16-bit",
        "recipient": {"normalised": "447700900123", "international": False, "simulated": False},
        "template": {
            "id": body["template_id"],
            "version": 1,
            "uri": f"http://127.0.0.1:8000/v2/template/{body['template_id']}/version/1",
        },
        "limits": {"sms": {"limit": 250_000, "remaining": 250_000}},
        "scheduled_for": None,
        "repeat_of": None,
        "suppressed_by": None,
    }


def test_the_answer_shows_the_email_with_the_links_of_simulated_recipients(caller: Caller) -> None:
    body = email_body(caller, "# ((name))\n\nSee ((file))", personalisation={"name": "Ana", "file": file()})

    answer = dry_run(caller, "email", body).json()

    assert answer["accepted"] is True
    assert answer["content"].keys() == {"subject", "body", "from_email", "one_click_unsubscribe_url"}
    assert f"/services/{caller.service.id}/documents/test-document" in answer["content"]["body"]
    assert "<h2" in answer["html"]
    assert "test-document" in answer["html"]
    assert (answer["parts"], answer["characters"], answer["encoding"]) == (None, None, None)
    assert answer["recipient"] == {"normalised": ADDRESS, "international": False, "simulated": False}
    assert answer["limits"] == {"email": {"limit": 250_000, "remaining": 250_000}}


@pytest.mark.parametrize(
    ("channel", "change", "expected"),
    [
        ("sms", {"phone_number": "999"}, {"schema": ["phone_number Not enough digits"]}),
        ("sms", {"colour": 1}, {"schema": ["Additional properties are not allowed (colour was unexpected)"]}),
        ("sms", {"template_id": UNKNOWN}, {"template": ["Template not found"]}),
        ("sms", {"personalisation": {}}, {"personalisation": ["Missing personalisation: name"]}),
        ("sms", {"personalisation": {"name": file()}}, {"file_in_text": ["Can only send a file by email"]}),
        ("sms", {"personalisation": {"name": "x" * 1000}}, {"length": ...}),
        ("sms", {"sms_sender_id": UNKNOWN}, {"sender": ...}),
        ("sms", {"phone_number": "+33698765432"}, {"number": ["Cannot send to international mobile numbers"]}),
        ("email", {"email_address": "ana"}, {"schema": ["email_address Not a valid email address"]}),
        ("email", {"email_reply_to_id": UNKNOWN}, {"sender": ...}),
        ("email", {"personalisation": {"name": file(b"")}}, {"files": ["Document must not be empty"]}),
        (
            "email",
            {"personalisation": {"name": file(EICAR, filename="a.txt")}},
            {"files": ["File did not pass the virus scan"]},
        ),
    ],
)
def test_a_check_fails_as_the_send_does_and_no_row_changes(
    caller: Caller, channel: str, change: dict[str, Any], expected: dict[str, Any]
) -> None:
    Service.objects.filter(pk=caller.service.pk).update(permissions=["sms", "email"])
    body = (sms_body if channel == "sms" else email_body)(caller) | change
    caller.get("/v2/templates")  # notes the use of the key
    before = rows()

    failed = verdicts(dry_run(caller, channel, body))

    assert rows() == before
    found = {name: texts for name, texts in failed.items() if texts is not None}
    assert found.keys() == expected.keys()
    assert all(texts == found[name] for name, texts in expected.items() if texts is not ...)
    refused = caller.post(f"/v2/notifications/{channel}", body)
    assert refused.status_code == 400
    assert messages(refused) == next(iter(found.values()))


def test_every_check_runs_that_earlier_errors_do_not_prevent(caller: Caller) -> None:
    Service.objects.filter(pk=caller.service.pk).update(permissions=["email"])
    body = sms_body(caller, phone_number="+1 415", personalisation={}, sms_sender_id=UNKNOWN)

    assert verdicts(dry_run(caller, "sms", body)) == {
        "schema": ["phone_number Not enough digits"],
        "channel": ["Service is not allowed to send text messages"],
        "personalisation": ["Missing personalisation: name"],
        "empty": None,
        "sender": [f"sms_sender_id {UNKNOWN} does not exist in database for service id {caller.service.id}"],
        "recipient": None,
        "suppression": None,
        "number": None,
        "international_limit": None,
        "length": None,
    }


@pytest.mark.parametrize("body", [None, [], [7], "x"])
def test_a_body_without_properties_is_a_result(caller: Caller, body: Any) -> None:
    answer = dry_run(caller, "sms", body)

    assert verdicts(answer)["schema"]
    unknown = ("content", "html", "recipient", "template", "parts", "sends_at", "repeat_of", "suppressed_by")
    assert [answer.json()[name] for name in unknown] == [None] * len(unknown)


def test_an_error_has_its_status_kind_and_fix(caller: Caller) -> None:
    Service.objects.filter(pk=caller.service.pk).update(daily_limit_sms=1)
    caller.send_sms(sms_template(caller))

    answer = dry_run(caller, "sms", sms_body(caller)).json()

    assert answer["checks"][0] == {
        "check": "daily_limit",
        "ok": False,
        "errors": [
            {
                "status_code": 429,
                "error": "TooManyRequestsError",
                "message": "Exceeded send limits (sms: 1) for today",
                "fix": "Send again after midnight UTC, in `Retry-After` seconds, or ask for a higher limit.",
            }
        ],
    }
    assert answer["limits"] == {"sms": {"limit": 1, "remaining": 0}}
    assert answer["accepted"] is False


def test_an_accepted_dry_run_changes_no_row(caller: Caller) -> None:
    bodies = {
        "sms": sms_body(caller, reference="once"),
        "email": email_body(caller, "See ((name))", personalisation={"name": file()}),
    }
    caller.get("/v2/templates")
    before = rows()

    for channel, body in bodies.items():
        for _ in range(2):
            assert dry_run(caller, channel, body, Idempotency_Key="the same for all").json()["accepted"] is True

    assert rows() == before


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("dry_run=yes", "dry_run yes is not one of [true, false]"),
        ("dry_run=True", "dry_run True is not one of [true, false]"),
        ("dryrun=true", "Additional properties are not allowed (dryrun was unexpected)"),
        ("dry_run=true&limit=1", "Additional properties are not allowed (limit was unexpected)"),
    ],
)
@pytest.mark.parametrize("channel", ["sms", "email"])
def test_other_parameters_are_refused_and_nothing_is_sent(
    caller: Caller, channel: str, query: str, message: str
) -> None:
    body = (sms_body if channel == "sms" else email_body)(caller)
    before = rows()

    answer = dry_run(caller, channel, body, query)

    assert (answer.status_code, answer.json()["errors"]) == (400, [{"error": "ValidationError", "message": message}])
    assert rows() | {"notifications.RateSlot": 0} == before | {"notifications.RateSlot": 0}


def test_false_sends_and_a_repeated_parameter_does_not(caller: Caller) -> None:
    assert dry_run(caller, "sms", sms_body(caller), "dry_run=false").status_code == 201
    assert dry_run(caller, "sms", sms_body(caller), "dry_run=true&dry_run=false").status_code == 200


def test_the_request_is_refused_as_usual(caller: Caller) -> None:
    path = "/v2/notifications/sms?dry_run=true"
    assert caller.post(path, raw=b"{").status_code == 400
    assert caller.post(path, {}, Content_Type="text/plain").status_code == 415
    assert caller.post(path, {}, Authorization="").status_code == 401


def test_dry_runs_have_their_own_rate_window(caller: Caller) -> None:
    Service.objects.filter(pk=caller.service.pk).update(rate_limit_per_minute=1)
    body = sms_body(caller)

    answers = [dry_run(caller, "sms", body), dry_run(caller, "sms", body), caller.post("/v2/notifications/sms", body)]

    assert [answer.status_code for answer in answers] == [200, 429, 201]
    assert answers[0]["RateLimit"] == '"live-dry";r=0'
    assert messages(answers[1]) == ["Exceeded rate limit for key type LIVE of 1 requests per 60 seconds"]


NAMES = st.sampled_from(["Ana", "", "x" * 920, None, 3, ["a", "b"], {"file": "QQ=="}, {"file": 7}, file(), file(EICAR)])
BODIES = st.fixed_dictionaries(
    {
        "personalisation": st.one_of(st.none(), st.just({}), st.fixed_dictionaries({"name": NAMES, "more": NAMES})),
        "template": st.sampled_from(["sms", "email", "archived", "empty", "other", UNKNOWN, "x", None]),
    },
    optional={
        "reference": st.sampled_from(["a", 7, "x" * 1001, None]),
        "phone_number": st.sampled_from([NUMBER, "07700900000", "+33698765432", "+12125551234", "01214960123", "1", 7]),
        "email_address": st.sampled_from([ADDRESS, "simulate-delivered@notifications.service.gov.uk", "ana", None]),
        "scheduled_for": st.sampled_from([None, "2000-01-01T00:00:00", "soon", 7]),
        "sms_sender_id": st.sampled_from([UNKNOWN, "x"]),
        "email_reply_to_id": st.sampled_from([UNKNOWN, "x"]),
        "one_click_unsubscribe_url": st.sampled_from(["https://example.org/u", "http://example.org"]),
        "sanitise_content_for": st.sampled_from([["name"], None, "name"]),
    },
)
SERVICES: list[dict[str, Any]] = [
    {},
    {"live": False},
    {"permissions": ["sms"]},
    {"permissions": ["email", "international_sms"], "prefix_sms": True},
    {"file_contact": "help@example.org", "permissions": ["sms", "email", "international_sms"]},
    {"daily_limit_sms": 0, "daily_limit_email": 0},
    {"daily_limit_international_sms": 0},
]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    channel=st.sampled_from(["sms", "email"]),
    given_body=BODIES,
    fields=st.sampled_from(SERVICES),
    key_type=st.sampled_from(KeyType),
)
def test_the_verdict_is_the_result_of_the_send(
    channel: str, given_body: dict[str, Any], fields: dict[str, Any], key_type: KeyType
) -> None:
    service = make_service(**fields)
    make_sms_sender(service)
    make_reply_to(service)
    make_guest(service, "+33698765432")
    caller = make_caller(service, key_type)
    content = "Hello ((name))"
    templates = {
        "sms": lambda: sms_template(caller, content).pk,
        "email": lambda: email_template(caller, content).pk,
        "archived": lambda: sms_template(caller, content, archived_at=timezone.now()).pk,
        "empty": lambda: sms_template(caller, "((name))").pk,
        "other": lambda: sms_template(make_caller(), content).pk,
    }
    body = dict(given_body)
    chosen = body.pop("template")
    if chosen is not None:
        body["template_id"] = str(templates[chosen]()) if chosen in templates else chosen
    before = rows()

    checked = dry_run(caller, channel, body)
    after = rows()
    sent = caller.post(f"/v2/notifications/{channel}", body)

    assert after == before
    failed = [one for one in checked.json()["checks"] if one["ok"] is False]
    assert checked.json()["accepted"] is (sent.status_code == 201), checked.content
    if sent.status_code == 201:
        own = sent.json()["content"]
        shown = checked.json()["content"]
        assert own == {**shown, "body": shown["body"] if "/d/" not in own["body"] else own["body"]}
    else:
        assert sent.status_code == failed[0]["errors"][0]["status_code"]
        assert messages(sent) == [error["message"] for error in failed[0]["errors"]]


def test_a_limit_for_international_numbers_is_shown(caller: Caller) -> None:
    day = timezone.now().date()
    DailyCounter.objects.create(service=caller.service, day=day, kind=LimitKind.INTERNATIONAL_SMS, count=100)

    answer = dry_run(caller, "sms", sms_body(caller, phone_number="+33698765432"))

    assert verdicts(answer) == {"international_limit": ["Exceeded send limits (international_sms: 100) for today"]}
    assert answer.json()["limits"]["international_sms"] == {"limit": 100, "remaining": 0}
    assert answer.json()["recipient"] == {"normalised": "33698765432", "international": True, "simulated": False}
