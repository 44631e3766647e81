"""An id of another service gets the same answers as an id that does not exist."""

import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from notifications.models import Notification, ReceivedText, TemplateVersion
from tests.factories import make_notification, make_suppression, make_unsubscribe_request
from tests.notifications.calling import ADDRESS, NUMBER, Caller, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db

REFERENCE = "a-batch-of-the-first-service"


@pytest.fixture
def first() -> Caller:
    """Create a service with one of each kind of row that has an id."""
    caller = make_caller(name="The first service")
    email, text = email_template(caller, "The first one's words"), sms_template(caller, "Words too")
    TemplateVersion.objects.create(template=email, number=2, name="Newer", subject="Hi", content="More words")
    email.current_version = 2
    email.save()
    for template in (email, text):
        make_notification(template, api_key=caller.key, reference=REFERENCE)
    ReceivedText.objects.create(service=caller.service, notify_number="447700900851", user_number="1", content="Hi")
    make_unsubscribe_request(email)
    make_suppression(caller.service)
    return caller


@pytest.fixture
def second() -> Caller:
    caller = make_caller(name="The second service")
    email_template(caller), sms_template(caller)
    return caller


def ids_of(caller: Caller) -> dict[str, str]:
    service = caller.service
    newest = Notification.objects.filter(service=service).first()
    rows = {
        "sms template": service.templates.get(type="sms"),
        "email template": service.templates.get(type="email"),
        "sender": service.sms_senders.get(),
        "reply-to": service.reply_to_addresses.get(),
        "notification": newest,
        "received text": service.received_texts.first(),
        "unsubscribe request": service.unsubscribe_requests.first(),
        "suppression": service.suppressions.first(),
    }
    return {name: str(row.pk) for name, row in rows.items() if row is not None}


Ask = Callable[[Caller, Mapping[str, str]], Any]


def send_sms(caller: Caller, **fields: Any) -> Any:
    own = {"template_id": str(caller.service.templates.get(type="sms").id)}
    return caller.post("/v2/notifications/sms", {"phone_number": NUMBER, **own, **fields})


def send_email(caller: Caller, **fields: Any) -> Any:
    own = {"template_id": str(caller.service.templates.get(type="email").id)}
    return caller.post("/v2/notifications/email", {"email_address": ADDRESS, **own, **fields})


def lift(caller: Caller, identifier: str) -> Any:
    headers = {"Authorization": caller.authorization()}
    return caller.client.delete(f"/v2/suppressions/{identifier}", headers=headers)


WALK: dict[str, Ask] = {
    "send a text from the template": lambda by, ids: send_sms(by, template_id=ids["sms template"]),
    "send an email from the template": lambda by, ids: send_email(by, template_id=ids["email template"]),
    "send a text from a template of the other type": lambda by, ids: send_sms(by, template_id=ids["email template"]),
    "send with the sender": lambda by, ids: send_sms(by, sms_sender_id=ids["sender"]),
    "send with the reply-to address": lambda by, ids: send_email(by, email_reply_to_id=ids["reply-to"]),
    "read the template": lambda by, ids: by.get(f"/v2/template/{ids['email template']}"),
    "read version 1": lambda by, ids: by.get(f"/v2/template/{ids['email template']}/version/1"),
    "read version 2": lambda by, ids: by.get(f"/v2/template/{ids['email template']}/version/2"),
    "preview the template": lambda by, ids: by.post(f"/v2/template/{ids['email template']}/preview", {}),
    "read the notification": lambda by, ids: by.get(f"/v2/notifications/{ids['notification']}"),
    "list after the notification": lambda by, ids: by.get(f"/v2/notifications?older_than={ids['notification']}"),
    "list texts after the received one": lambda by, ids: by.get(
        f"/v2/received-text-messages?older_than={ids['received text']}"
    ),
    "list requests after the unsubscribe request": lambda by, ids: by.get(
        f"/v2/unsubscribe-requests?older_than={ids['unsubscribe request']}"
    ),
    "list after the suppression": lambda by, ids: by.get(f"/v2/suppressions?older_than={ids['suppression']}"),
    "read the suppression": lambda by, ids: by.get(f"/v2/suppressions/{ids['suppression']}"),
    "lift the suppression": lambda by, ids: lift(by, ids["suppression"]),
}


def told(response: Any, ids: Mapping[str, str]) -> tuple[int, str]:
    """Return an answer without the requested ids and its own request id."""
    text = response.content.decode()
    for identifier in ids.values():
        text = text.replace(identifier, "THE ID")
    return response.status_code, re.sub(r"older_than=[0-9a-f-]+", "older_than=THE ID", text)


@pytest.mark.parametrize("step", WALK)
@pytest.mark.fault("G4")
def test_an_id_of_another_service_gets_the_answer_of_an_unknown_one(first: Caller, second: Caller, step: str) -> None:
    ids = ids_of(first)
    nobodys = {name: str(uuid.uuid4()) for name in ids}

    foreign, unknown = WALK[step](second, ids), WALK[step](second, nobodys)

    assert told(foreign, ids) == told(unknown, nobodys)
    assert "first" not in foreign.content.decode()
    assert "words" not in foreign.content.decode().lower()
    assert Notification.objects.filter(service=second.service).count() == 0


@pytest.mark.parametrize("step", [step for step in WALK if "other type" not in step])
def test_the_service_itself_gets_a_result_for_each_id(first: Caller, step: str) -> None:
    """Otherwise the comparison would prove nothing."""
    ids = ids_of(first)

    own, unknown = (WALK[step](first, asked) for asked in (ids, {name: str(uuid.uuid4()) for name in ids}))

    assert own.status_code in {200, 201}
    if "after" not in step:  # either of the list's two rows may be the older one
        assert unknown.status_code in {400, 404}


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        (f"/v2/notifications?reference={REFERENCE}", "notifications"),
        ("/v2/notifications", "notifications"),
        ("/v2/received-text-messages", "received_text_messages"),
        ("/v2/unsubscribe-requests", "unsubscribe_requests"),
        ("/v2/suppressions", "suppressions"),
    ],
)
def test_no_list_contains_a_row_of_another_service(first: Caller, second: Caller, path: str, rows: str) -> None:
    assert first.get(path).json()[rows]
    assert second.get(path).json()[rows] == []


def test_each_service_lists_its_own_templates(first: Caller, second: Caller) -> None:
    listed = [{row["id"] for row in one.get("/v2/templates").json()["templates"]} for one in (first, second)]

    assert [len(ids) for ids in listed] == [2, 2]
    assert not listed[0] & listed[1]


def test_a_key_of_one_service_signs_for_no_other(first: Caller, second: Caller) -> None:
    claim = second.authorization(claims={"iss": str(first.service.id)})

    answer = second.client.get("/v2/templates", headers={"Authorization": claim})

    assert (answer.status_code, answer.json()["errors"][0]["message"]) == (403, "Invalid token: API key not found")
