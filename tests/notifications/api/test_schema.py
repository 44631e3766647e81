"""The shape of requests: every documented field, its wrong values, and the order in which errors are reported."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import time_machine

from notifications import errors
from notifications.api import fields
from notifications.api.fields import parse_uuid
from notifications.api.serializers import EmailSerializer, RequestSerializer, TextMessageSerializer
from notifications.attachments import validation
from notifications.models import Notification, Permission
from tests.factories import make_reply_to, make_service, make_sms_sender
from tests.notifications.calling import Caller, asking_for_help, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

RENDERING = Path(__file__).parents[2] / "vectors" / "rendering.jsonl"
SCHEMAS: dict[str, type[RequestSerializer]] = {"sms": TextMessageSerializer, "email": EmailSerializer}
VECTORS = [
    pytest.param(vector, id=vector["id"])
    for vector in map(json.loads, RENDERING.read_text().strip().split("\n"))
    if vector["kind"] == "v2_validation"
]
WRONG: list[Any] = [None, True, False, 0, 7, 1.5, [], ["a"], [{"b": None}], {}, {"a": 1}, "", "x", "x" * 40]


def errors_of(serializer: type[RequestSerializer], body: object, **service: Any) -> list[dict[str, str]]:
    return told(lambda: serializer.shared().read(body, make_service(**service)))


def told(judge: Callable[[], object]) -> list[dict[str, str]]:
    try:
        judge()
    except errors.InvalidRequest as refusal:
        return [{"error": error.kind, "message": error.message} for error in refusal.errors]
    return []


@pytest.mark.parametrize("vector", VECTORS)
def test_vector(vector: dict[str, Any]) -> None:
    if vector["schema"] == "file":
        found = told(lambda: validation.parse(vector["body"]))
    else:
        found = errors_of(SCHEMAS[vector["schema"]], vector["body"], permissions=list(Permission.values))

    assert found == vector["errors"]


@pytest.mark.parametrize("body", [None, [], "", 0, False, {}])
def test_an_empty_value_counts_as_an_empty_object(body: object) -> None:
    told = [error["message"] for error in errors_of(TextMessageSerializer, body)]

    assert told == ["phone_number is a required property", "template_id is a required property"]


@pytest.mark.parametrize("body", [[7], "x", 12, True, 1.5])
def test_any_other_value_is_reported_without_a_property(body: object) -> None:
    assert [error["message"] for error in errors_of(EmailSerializer, body)] == [f"{body} is not of type object"]


def shown(value: object) -> str:
    return str(value).replace("'", "")


def words_for(name: str, value: Any, kind: str) -> str | None:
    """Return the error in the contract's table for a wrong value, or None for a valid one."""
    if kind == "uuid":
        return f"{name} is not a valid UUID"
    if kind == "https":
        return f"{name} is not a valid https url"
    good, words = {
        "string": (isinstance(value, str), "string"),
        "object": (isinstance(value, dict), "object"),
        "string, null": (isinstance(value, str | None), "string, null"),
        "array, null": (isinstance(value, list | None), "array, null"),
    }[kind]
    return None if good else f"{name} {shown(value)} is not of type {words}"


FIELDS = [
    ("sms", "reference", "string"),
    ("sms", "phone_number", "string"),
    ("sms", "template_id", "uuid"),
    ("sms", "personalisation", "object"),
    ("sms", "scheduled_for", "string, null"),
    ("sms", "sms_sender_id", "uuid"),
    ("email", "reference", "string"),
    ("email", "email_address", "string"),
    ("email", "template_id", "uuid"),
    ("email", "personalisation", "object"),
    ("email", "scheduled_for", "string, null"),
    ("email", "email_reply_to_id", "uuid"),
    ("email", "one_click_unsubscribe_url", "https"),
    ("email", "sanitise_content_for", "array, null"),
]


@pytest.mark.parametrize(("channel", "name", "kind"), FIELDS)
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_every_field_rejects_a_wrong_type_by_name(channel: str, name: str, kind: str, value: object) -> None:
    recipient = {"phone_number": "07700900123"} if channel == "sms" else {"email_address": "a@example.org"}
    body = {**recipient, "template_id": str(uuid4()), name: value}

    told = [error["message"] for error in errors_of(SCHEMAS[channel], body)]

    expected = words_for(name, value, kind)
    if expected is None:
        assert all(message.startswith(f"{name} ") for message in told)  # the type is right, but the value may be wrong
    else:
        assert told == [expected]


def test_all_errors_are_reported_together_in_the_order_of_the_table() -> None:
    body = {
        "zulu": 1,
        "sms_sender_id": "q",
        "alpha": 2,
        "personalisation": None,
        "phone_number": "0770x900123",
        "scheduled_for": 5,
        "reference": 9,
    }

    assert [error["message"] for error in errors_of(TextMessageSerializer, body)] == [
        "reference 9 is not of type string",
        "phone_number Must not contain letters or symbols",
        "personalisation None is not of type object",
        "scheduled_for 5 is not of type string, null",
        "sms_sender_id is not a valid UUID",
        "template_id is a required property",
        "Additional properties are not allowed (alpha, zulu were unexpected)",
    ]


@pytest.mark.parametrize(("length", "is_good"), [(0, True), (1000, True), (1001, False)])
def test_a_reference_has_at_most_a_thousand_characters(length: int, is_good: bool) -> None:
    body = {"phone_number": "07700900123", "template_id": str(uuid4()), "reference": "é" * length}

    told = [error["message"] for error in errors_of(TextMessageSerializer, body)]

    assert told == ([] if is_good else [f"reference {'é' * length} is too long"])


@pytest.mark.parametrize(("blanks", "is_good"), [(389, True), (390, False), (1_000_000, False)])
def test_a_number_with_many_spaces_fits_its_column_or_is_rejected(blanks: int, is_good: bool) -> None:
    caller = make_caller()

    response = caller.send_sms(sms_template(caller), phone_number=f"07700{' ' * blanks}900123")

    assert response.status_code == (201 if is_good else 400)
    if not is_good:
        assert messages(response) == ["phone_number Number is not valid – double check the phone number you entered"]


def test_values_are_shown_like_in_python_without_apostrophes() -> None:
    assert errors.shown({"a": ["b's", None, True, 1.50]}) == '{a: ["bs", None, True, 1.5]}'


ID = "4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10"


@pytest.mark.parametrize("text", [ID, ID.upper(), ID.replace("-", ""), f"{{{ID}}}", f"urn:uuid:{ID}"])
def test_a_uuid_may_have_several_spellings(text: str) -> None:
    assert str(parse_uuid(text)) == ID


@pytest.mark.parametrize(
    "text", ["", ID[1:], f"{ID} ", f" {ID}", f"{ID}\n", ID.replace("-", "_"), f"{{{ID}", f"-{ID}", "x" * 36]
)
def test_an_invalid_uuid_is_rejected(text: str) -> None:
    assert parse_uuid(text) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org/u?id=1&b=%20#x",
        "https://user@example.org:8443/a;b/c,d",
        "https://[2001:db8::1]/u",
        "https://203.0.113.5/",
        "https://xn--bcher-kva.example/~x",
    ],
)
def test_an_unsubscribe_url_follows_rfc_3986(url: str) -> None:
    assert fields.HttpsUrl().to_internal_value(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.org", "HTTPS://example.org", "https://", "https:/example.org", "https://exam ple.org"),
        *("https://example.org/é", "https://example.org/%zz", "https://example.org/<x>", 'https://example.org/"'),
        *(
            "example.org",
            " https://example.org",
            "https://example.org\n",
            "https://a\\b",
            "javascript:x",
            "https://a/[b]",
        ),
    ],
)
def test_an_invalid_unsubscribe_url_is_rejected(url: str) -> None:
    with pytest.raises(errors.ValidationError, match="one_click_unsubscribe_url is not a valid https url"):
        fields.HttpsUrl().to_internal_value(url)


def test_an_unsubscribe_url_may_be_2000_characters_long(caller: Caller) -> None:
    longest = f"https://example.org/{'u' * (2000 - len('https://example.org/'))}"
    template = email_template(caller)

    kept = caller.send_email(template, one_click_unsubscribe_url=longest)
    refused = caller.send_email(template, one_click_unsubscribe_url=f"{longest}u")

    assert kept.json()["content"]["one_click_unsubscribe_url"] == longest
    assert refused.status_code == 400
    (error,) = refused.json()["errors"]
    assert error["error"] == "ValidationError"
    assert error["message"] == f"one_click_unsubscribe_url {longest}u is too long"


def test_a_long_unsubscribe_url_is_read_in_linear_time() -> None:
    began = time.process_time()

    with pytest.raises(errors.ValidationError):
        fields.HttpsUrl().to_internal_value("https://" + "a@" * 200_000 + " ")

    assert time.process_time() - began < 2


NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-20T09:00:00Z", NOW),
        ("2026-11-20 10:30", datetime(2026, 11, 20, 10, 30, tzinfo=UTC)),
        ("2026-11-20T15:00:00+0530", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("2026-11-20T15:00:00+05:30", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("2026-11-20T05:00:00.25-05", datetime(2026, 11, 20, 10, 0, 0, 250_000, tzinfo=UTC)),
        ("20261120T100000Z", datetime(2026, 11, 20, 10, tzinfo=UTC)),
        ("2026-11-21T09:00:00", datetime(2026, 11, 21, 9, tzinfo=UTC)),
        (None, None),
    ],
)
def test_a_moment_within_the_next_day_is_accepted(text: str | None, moment: datetime | None) -> None:
    with time_machine.travel(NOW, tick=False):
        assert fields.ScheduledFor().to_internal_value(text) == moment


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-11-20T08:59:59Z", "can not be in the past"),
        ("0001-01-01T00:00:00+14:00", "can not be in the past"),
        ("2026-11-21T09:00:01Z", "can only be 24 hours in the future"),
        ("9999-12-31T23:59:59-14:00", "can only be 24 hours in the future"),
        *[
            (text, "format is invalid")
            for text in (
                *(
                    "",
                    "tomorrow",
                    "2026-11-20",
                    "20261120",
                    "05:06:07 2018-03-04",
                    "2026-02-30T00:00:00Z",
                    "2026-11-20T",
                ),
                *("2026-11-20T25:00:00Z", "2026-11-20t10:00:00Z", "2026-W47-5T10:00:00Z", " 2026-11-20T10:00:00Z"),
                *("2026-11-20T10:00:00Z\n", "１2026-11-20T10:00:00", "1763629200", "2026-11-20T"),
            )
        ],
    ],
)
def test_an_invalid_moment_is_rejected(text: str, words: str) -> None:
    with time_machine.travel(NOW, tick=False), pytest.raises(errors.ValidationError, match=f"datetime {words}"):
        fields.ScheduledFor().to_internal_value(text)


# Every documented field has its documented effect.


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def test_the_fields_of_a_text_message_have_their_effect(caller: Caller) -> None:
    other = make_sms_sender(caller.service, "BUREAU", is_default=False)
    template = sms_template(caller, "Hello ((name)), bring ((things))")

    response = caller.send_sms(
        template,
        phone_number="07700 900 123",
        personalisation={"name": "Jo", "things": ["rope", "bait"], "unknown": 1},
        reference="batch-1",
        sms_sender_id=str(other.id),
    )

    body = response.json()
    row = Notification.objects.get(id=body["id"])
    assert response.status_code == 201
    assert body == {
        "id": str(row.id),
        "reference": "batch-1",
        "content": {"body": "Hello Jo, bring rope and bait", "from_number": "BUREAU"},
        "uri": f"http://127.0.0.1:8000/v2/notifications/{row.id}",
        "template": {
            "id": str(template.id),
            "version": 1,
            "uri": f"http://127.0.0.1:8000/v2/template/{template.id}/version/1",
        },
        "scheduled_for": None,
    }
    assert (row.recipient, row.normalised_recipient, row.sms_sender) == ("07700 900 123", "447700900123", other)


def test_the_fields_of_an_email_have_their_effect(caller: Caller) -> None:
    other = make_reply_to(caller.service, "second@example.com", is_default=False)
    template = email_template(caller, "Dear ((name))\r\n\r\nBring ((things))", "For ((name)) and ((things))")
    url = "https://example.org/unsubscribe?user=7"

    response = caller.send_email(
        template,
        email_address="Someone@Example.org",
        personalisation={"name": "Jo", "things": ["rope", "bait"]},
        reference="",
        email_reply_to_id=str(other.id),
        one_click_unsubscribe_url=url,
        sanitise_content_for=None,
        scheduled_for=None,
    )

    body = response.json()
    row = Notification.objects.get(id=body["id"])
    assert body["content"] == {
        "subject": "For Jo and rope and bait",
        "body": "Dear Jo\r\n\r\nBring \n\n* rope\n* bait",
        "from_email": f"{caller.service.name.lower().replace(' ', '.')}@signalbox.invalid",
        "one_click_unsubscribe_url": url,
    }
    assert (body["reference"], body["sanitised_content"]) == ("", {})
    assert (row.recipient, row.normalised_recipient, row.reply_to) == (
        "Someone@Example.org",
        "someone@example.org",
        other,
    )


def test_the_two_required_fields_are_enough(caller: Caller) -> None:
    email = caller.send_email(email_template(caller)).json()

    assert (email["reference"], email["content"]["one_click_unsubscribe_url"]) == (None, None)
    assert caller.send_sms(sms_template(caller)).json()["content"]["from_number"] == "PIGEON"


def test_personalisation_is_required_only_by_placeholders(caller: Caller) -> None:
    template = email_template(caller, "Your ((due_date)) and ((name))")

    response = asking_for_help(caller).send_email(template, personalisation={"dueDate": "x", "Naem": "y" * 9})

    assert messages(response) == ["Missing personalisation: name"]
    assert response.json()["errors"][0]["fix"] == "You sent: dueDate, Naem. Did you mean `name` instead of `Naem`?"


def test_a_file_for_a_text_message_is_rejected_and_nothing_is_stored(caller: Caller) -> None:
    caller.service.file_contact = "https://contact.example.org"
    caller.service.save()
    template = email_template(caller, "Get it: ((doc))")

    with_contact = caller.send_email(template, personalisation={"doc": {"file": "not base64"}})
    in_text = caller.send_sms(sms_template(caller, "((doc))"), personalisation={"doc": {"file": "QQ=="}})
    stranger = make_caller()
    without = stranger.send_email(email_template(stranger), personalisation={"doc": {"file": "QQ=="}})

    assert messages(with_contact) == ["Document is not base64 encoded"]
    assert messages(in_text) == ["Can only send a file by email"]
    assert messages(without) == [
        "Send files by email has not been set up - add contact details for your service at "
        f"http://127.0.0.1:8000/admin/notifications/service/{stranger.service.id}/"
    ]
    assert {with_contact.status_code, in_text.status_code, without.status_code} == {400}
    assert not Notification.objects.exists()
