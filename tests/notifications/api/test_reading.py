"""Callers read messages, templates and received texts. Source: docs/reference/sending-api.md §17."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.utils import timezone

from notifications.models import BulkRow, KeyType, Notification, ReceivedText, Status, Template, TemplateVersion
from tests.factories import make_api_key, make_bulk_send, make_notification
from tests.notifications.calling import Caller, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
RECORD_KEYS = {
    *("id", "reference", "type", "phone_number", "email_address", "postcode", "postage", "created_by_name", "status"),
    *("line_1", "line_2", "line_3", "line_4", "line_5", "line_6", "template", "body", "subject", "created_at"),
    *("sent_at", "completed_at", "scheduled_for", "one_click_unsubscribe_url", "is_cost_data_ready"),
    *("cost_in_pounds", "cost_details"),
}


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def ids(response: Any) -> list[str]:
    return [row["id"] for row in response.json()["notifications"]]


def make_row(caller: Caller, **fields: Any) -> Notification:
    template = fields.pop("template", None) or sms_template(caller)
    return make_notification(template, **{"key_type": caller.key.key_type, **fields})


def read(caller: Caller, row: Notification) -> dict[str, Any]:
    body: dict[str, Any] = caller.get(f"/v2/notifications/{row.id}").json()
    return body


def test_every_key_of_a_record_is_always_present(caller: Caller) -> None:
    sms, email = make_row(caller), make_row(caller, template=email_template(caller), body="\n Dear Ana \n")

    text, message = read(caller, sms), read(caller, email)

    assert text.keys() == message.keys() == RECORD_KEYS | {"fallback", "fallback_of"}
    assert (text["type"], text["phone_number"], text["email_address"]) == ("sms", "07700 900123", None)
    assert (message["type"], message["phone_number"], message["email_address"]) == ("email", None, "ana@example.com")
    assert (text["subject"], message["subject"], message["body"]) == (None, "Hello", "Dear Ana")
    assert TIME.fullmatch(text["created_at"])
    assert {text[name] for name in ("line_1", "postage", "created_by_name", "sent_at", "scheduled_for")} == {None}
    assert text["template"] == {
        "id": str(sms.template_id),
        "version": 1,
        "uri": f"http://127.0.0.1:8000/v2/template/{sms.template_id}/version/1",
    }


def test_the_cost_of_a_text_message_is_known_once_it_is_sent(caller: Caller, settings: Any) -> None:
    settings.SMS_RATE = Decimal("0.0227")
    waiting = make_row(caller)
    sent = make_row(caller, sent_at=timezone.now(), parts=3, rate_multiplier=2, status=Status.SENT)

    before, after = read(caller, waiting), read(caller, sent)

    assert (before["is_cost_data_ready"], before["cost_in_pounds"], before["cost_details"]) == (False, None, {})
    assert (after["is_cost_data_ready"], after["cost_in_pounds"]) == (True, 0.1362)
    assert after["cost_details"] == {
        "billable_sms_fragments": 3,
        "international_rate_multiplier": 2,
        "sms_rate": 0.0227,
    }


def test_an_email_costs_nothing_written_with_a_decimal_point(caller: Caller) -> None:
    """Clients in typed languages would parse `0` as a whole number."""
    row = make_row(caller, template=email_template(caller))

    answer = caller.get(f"/v2/notifications/{row.id}")

    assert (answer.json()["is_cost_data_ready"], answer.json()["cost_details"]) == (True, {})
    assert re.findall(rb'"cost_in_pounds":([^,]*)', answer.content) == [b"0.0"]
    assert re.findall(rb'"cost_in_pounds":([^,]*)', caller.get("/v2/notifications").content) == [b"0.0"]


def test_an_id_may_have_several_spellings_and_is_shown_in_one(caller: Caller) -> None:
    row = make_row(caller)

    for written in (str(row.id).upper(), row.id.hex, f"urn:uuid:{row.id}"):
        assert caller.get(f"/v2/notifications/{written}").json()["id"] == str(row.id)


@pytest.mark.parametrize("text", ["lighthouse", "0", "e4abd5a-7a72-4230-8ebb-8e04456198c9", "%00", "a b"])
def test_an_invalid_id_is_rejected(caller: Caller, text: str) -> None:
    assert messages(caller.get(f"/v2/notifications/{text}")) == ["notification_id is not a valid UUID"]
    assert messages(caller.get(f"/v2/template/{text}")) == ["id is not a valid UUID"]
    assert messages(caller.get(f"/v2/template/{text}/version/1")) == ["id is not a valid UUID"]
    assert messages(caller.post(f"/v2/template/{text}/preview", {})) == ["id is not a valid UUID"]


def test_two_services_never_see_each_others_rows(caller: Caller) -> None:
    stranger = make_caller()
    row, template = make_row(caller), email_template(caller)
    ReceivedText.objects.create(service=caller.service, notify_number="1", user_number="2", content="hi")

    for path in (
        f"/v2/notifications/{row.id}",
        f"/v2/template/{template.id}",
        f"/v2/template/{template.id}/version/1",
    ):
        assert caller.get(path).status_code == 200
        assert messages(stranger.get(path)) == ["No result found"]
    assert messages(stranger.post(f"/v2/template/{template.id}/preview", {})) == ["No result found"]
    assert ids(stranger.get("/v2/notifications")) == []
    assert ids(stranger.get("/v2/notifications", {"older_than": str(row.id)})) == []
    assert stranger.get("/v2/templates").json() == {"templates": []}
    assert stranger.get("/v2/received-text-messages").json()["received_text_messages"] == []


def test_past_retention_a_message_is_not_found_even_before_its_deletion() -> None:
    caller = make_caller(retention_days=7)
    with time_machine.travel("2026-11-20T12:00:00Z", tick=False):
        last_day = make_row(caller, created_at=datetime(2026, 11, 13, 0, 0, tzinfo=UTC))
        day_before = make_row(caller, created_at=datetime(2026, 11, 12, 23, 59, 59, tzinfo=UTC))

        assert caller.get(f"/v2/notifications/{last_day.id}").status_code == 200
        assert caller.get(f"/v2/notifications/{day_before.id}").status_code == 404
        assert ids(caller.get("/v2/notifications")) == [str(last_day.id)]


def test_every_key_type_reads_one_message_and_lists_its_own(caller: Caller) -> None:
    row = make_row(caller)
    test = Caller(make_api_key(caller.service, KeyType.TEST))

    assert test.get(f"/v2/notifications/{row.id}").status_code == 200
    assert (ids(caller.get("/v2/notifications")), ids(test.get("/v2/notifications"))) == ([str(row.id)], [])


def test_the_list_is_newest_first_and_ties_lose_no_row(caller: Caller) -> None:
    template = sms_template(caller)
    moment = timezone.now()
    tied = [make_row(caller, template=template, created_at=moment) for _ in range(260)]
    newest = make_row(caller, template=template, created_at=moment + timedelta(seconds=1))

    first = caller.get("/v2/notifications").json()
    second = caller.get(first["links"]["next"].removeprefix("http://127.0.0.1:8000")).json()

    listed = [row["id"] for page in (first, second) for row in page["notifications"]]
    assert len(first["notifications"]) == 250
    assert listed == [str(newest.id), *sorted((str(row.id) for row in tied), reverse=True)]
    after = caller.get(second["links"]["next"].removeprefix("http://127.0.0.1:8000")).json()
    assert (after["notifications"], "next" in after["links"]) == ([], False)


def test_the_links_keep_the_query_with_older_than_as_the_first_uuid(caller: Caller) -> None:
    decoy = str(uuid4())
    row = make_row(caller, reference=decoy)

    links = caller.get("/v2/notifications", {"reference": decoy, "template_type": ["sms", "email"]}).json()["links"]

    query = f"reference={decoy}&template_type=sms&template_type=email"
    assert links == {
        "current": f"http://127.0.0.1:8000/v2/notifications?{query}",
        "next": f"http://127.0.0.1:8000/v2/notifications?older_than={row.id}&{query}",
    }


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status": "failed"}, {"temporary-failure", "permanent-failure", "technical-failure"}),
        ({"status": "accepted"}, {"created", "sending"}),
        ({"status": "received"}, {"delivered"}),
        ({"status": ["created", "delivered"]}, {"created", "delivered"}),
        ({"status": "cancelled"}, {"cancelled"}),
        ({"status": ["cancelled", "validation-failed"]}, {"cancelled"}),
        ({"template_type": "email"}, set()),
        ({"template_type": ["letter", "sms"]}, set(Status.values)),
        ({"template_type": "letter"}, set()),
        ({"template_type": "sms", "status": "pending", "include_jobs": "true"}, {"pending"}),
        ({"reference": "x"}, set()),
        ({"reference": "a\0b"}, set()),
        ({"older_than": str(uuid4())}, set()),
    ],
)
def test_filters(caller: Caller, query: dict[str, Any], found: set[str]) -> None:
    template = sms_template(caller)
    for status in Status.values:
        make_row(caller, template=template, status=status, reference="r")

    response = caller.get("/v2/notifications", query)

    assert {row["status"] for row in response.json()["notifications"]} == found


def test_messages_of_bulk_sends_are_listed_on_request(caller: Caller) -> None:
    template = sms_template(caller)
    row = BulkRow.objects.create(bulk_send=make_bulk_send(template), number=2)
    single, bulk = make_row(caller, template=template), make_row(caller, template=template, bulk_row=row)

    assert ids(caller.get("/v2/notifications")) == [str(single.id)]
    assert set(ids(caller.get("/v2/notifications", {"include_jobs": "True"}))) == {str(single.id), str(bulk.id)}
    assert caller.get(f"/v2/notifications/{bulk.id}").status_code == 200


def test_a_reference_is_found_exactly_and_an_empty_one_is_one(caller: Caller) -> None:
    rows = {text: make_row(caller, reference=text) for text in ("one", "One", "", None)}

    assert ids(caller.get("/v2/notifications", {"reference": "one"})) == [str(rows["one"].id)]
    assert ids(caller.get("/v2/notifications", {"reference": ""})) == [str(rows[""].id)]


@pytest.mark.parametrize(
    ("path", "query", "errors"),
    [
        (
            "notifications",
            "status=asleep&status=sent,delivered&template_type=pigeon&older_than=x&include_jobs=false&limit=1&a=2",
            [
                "template_type pigeon is not one of [sms, email, letter]",
                "status asleep is not one of [cancelled, created, sending, sent, delivered, pending, failed, "
                "technical-failure, temporary-failure, permanent-failure, pending-virus-check, validation-failed, "
                "virus-scan-failed, returned-letter, accepted, received]",
                "status sent,delivered is not one of [cancelled, created, sending, sent, delivered, pending, failed, "
                "technical-failure, temporary-failure, permanent-failure, pending-virus-check, validation-failed, "
                "virus-scan-failed, returned-letter, accepted, received]",
                "older_than is not a valid UUID",
                "include_jobs false is not one of [true, True]",
                "Additional properties are not allowed (a, limit were unexpected)",
            ],
        ),
        ("templates", "type=pigeon", ["type pigeon is not one of [sms, email, letter]"]),
        ("templates", "page=1", ["Additional properties are not allowed (page was unexpected)"]),
        ("received-text-messages", "older_than=x", ["older_than is not a valid UUID"]),
        ("received-text-messages", "status=x", ["Additional properties are not allowed (status was unexpected)"]),
    ],
)
def test_all_errors_of_a_query_are_reported_together(caller: Caller, path: str, query: str, errors: list[str]) -> None:
    response = caller.get(f"/v2/{path}?{query}")

    assert response.status_code == 400
    assert messages(response) == errors
    assert {entry["error"] for entry in response.json()["errors"]} == {"ValidationError"}


def make_second_version(template: Template, **fields: Any) -> TemplateVersion:
    moment = datetime(2026, 11, 20, 9, tzinfo=UTC)
    Template.objects.filter(id=template.id).update(current_version=2, name="Renamed", updated_at=moment)
    values = {"name": "Renamed", "content": "Now ((b))", "subject": "New ((c))", "created_at": moment}
    return TemplateVersion.objects.create(template=template, number=2, **{**values, **fields})


def test_a_template_and_its_versions_have_their_own_content(caller: Caller, settings: Any) -> None:
    template = email_template(caller, "((b)) ((First Name)) ((first_name??yes))", "((c)) ((B))", name="Named")
    make_second_version(template, created_by="ana@example.org")

    newest = caller.get(f"/v2/template/{template.id}").json()
    first = caller.get(f"/v2/template/{template.id}/version/1").json()

    assert newest == {
        "id": str(template.id),
        "name": "Renamed",
        "type": "email",
        "created_at": first["created_at"],
        "updated_at": "2026-11-20T09:00:00.000000Z",
        "created_by": "ana@example.org",
        "version": 2,
        "body": "Now ((b))",
        "subject": "New ((c))",
        "personalisation": {"c": {"required": True}, "b": {"required": True}},
        "postage": None,
        "letter_contact_block": None,
    }
    assert (first["name"], first["version"], first["updated_at"]) == ("Named", 1, None)
    assert first["created_by"] == settings.PROVISION_AUTHOR
    assert list(first["personalisation"]) == ["c", "B", "First Name"]


@pytest.mark.parametrize("author", ["", "admin", "mina@home"])
def test_the_author_of_a_template_is_an_email_address_also_for_an_account_without_one(
    caller: Caller, settings: Any, author: str
) -> None:
    template = email_template(caller)
    make_second_version(template, created_by=author)

    assert caller.get(f"/v2/template/{template.id}").json()["created_by"] == settings.PROVISION_AUTHOR


@pytest.mark.parametrize("number", ["0", "2", "99", "two", "-1", "1.0", "9" * 30, "１"])
def test_an_unknown_version_of_a_template_is_not_found(caller: Caller, number: str) -> None:
    assert caller.get(f"/v2/template/{sms_template(caller).id}/version/{number}").status_code == 404


def test_templates_are_sorted_by_name_and_type_without_archived_ones(caller: Caller) -> None:
    for name, make in [
        ("beta", sms_template),
        ("Beta", sms_template),
        ("Alpha", email_template),
        ("Beta", email_template),
    ]:
        make(caller, name=name)
    sms_template(caller, name="Gamma", archived_at=timezone.now())

    def listed(query: str = "") -> list[tuple[str, str]]:
        return [(row["name"], row["type"]) for row in caller.get(f"/v2/templates{query}").json()["templates"]]

    assert listed() == [("Alpha", "email"), ("Beta", "email"), ("Beta", "sms"), ("beta", "sms")]
    assert listed("?type=sms") == [("Beta", "sms"), ("beta", "sms")]
    assert listed("?type=letter") == []


def test_a_preview_equals_the_sent_message() -> None:
    caller = make_caller(name="Town Hall", prefix_sms=True, permissions=[])
    text, message = sms_template(caller, "Hello ((n))"), email_template(caller, "# Hi ((n))", "For ((n))")
    make_second_version(message, content="[x](https://a.example) ((n))", unsubscribe_link=True)

    sms = caller.post(f"/v2/template/{text.id}/preview", {"personalisation": {"N": "Jo"}, "extra": 1})
    email = caller.post(f"/v2/template/{message.id}/preview", {"personalisation": {"n": "<b>", "c": 1}})

    assert sms.status_code == email.status_code == 200
    assert sms.json() == {
        "id": str(text.id),
        "type": "sms",
        "version": 1,
        "body": "Town Hall: Hello Jo",
        "subject": None,
        "html": None,
        "postage": None,
    }
    assert email.json()["subject"] == "New 1"
    assert '<a href="https://a.example"' in email.json()["html"]
    assert "&lt;b&gt;" in email.json()["html"]
    assert "http://127.0.0.1:8000/unsubscribe/preview" in email.json()["html"]
    assert not Notification.objects.exists()


@pytest.mark.parametrize(
    ("raw", "content_type", "status", "said"),
    [
        (b"", "", 200, None),
        (b"", "text/plain", 200, None),
        (b"null", "application/json", 200, None),
        (b"{}", "application/json", 200, None),
        (b"[]", "application/json", 200, None),
        (b"a=b", "application/x-www-form-urlencoded", 415, "Content-Type must be application/json"),
        (b"[", "application/json", 400, "Invalid JSON supplied in POST data"),
        (b"[7]", "application/json", 400, "[7] is not of type object"),
        (b'{"personalisation": null}', "application/json", 400, "personalisation None is not of type object"),
    ],
)
def test_bodies_of_a_preview_are_checked(
    caller: Caller, raw: bytes, content_type: str, status: int, said: str | None
) -> None:
    path = f"/v2/template/{sms_template(caller).id}/preview"

    response = caller.post(path, raw=raw, **{"Content-Type": content_type})

    assert response.status_code == status
    assert said is None or messages(response) == [said]


def test_received_texts_are_the_same_for_every_key_type(caller: Caller) -> None:
    moment = timezone.now()
    texts = [
        ReceivedText.objects.create(
            service=caller.service,
            notify_number="PIGEON",
            user_number="447700900456",
            content=f"{index} 🚲",
            created_at=moment + timedelta(seconds=index),
        )
        for index in range(2)
    ]
    test = Caller(make_api_key(caller.service, KeyType.TEST))

    page = caller.get("/v2/received-text-messages").json()
    rest = test.get("/v2/received-text-messages", {"older_than": str(texts[1].id)}).json()

    assert [row["content"] for row in page["received_text_messages"]] == ["1 🚲", "0 🚲"]
    assert page["received_text_messages"][0].keys() == {
        *("id", "created_at", "service_id", "notify_number", "user_number", "content")
    }
    base = "http://127.0.0.1:8000/v2/received-text-messages"
    assert page["links"] == {"current": base, "next": f"{base}?older_than={texts[0].id}"}
    assert rest["links"]["current"] == base
    assert [UUID(row["id"]) for row in rest["received_text_messages"]] == [texts[0].id]
