"""From the request to the store: the stored data of a file and its link, and what nobody can read. Cases D4, F7, F14.

Source: docs/reference/files.md §1, §2.2, §7, §8; docs/reference/sending-api.md §10 to §12, §15.
"""

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core import management
from django.db import connection, connections
from django.utils import timezone

from config.audit.models import AuditEvent
from notifications.attachments import links, store
from notifications.attachments.encryption import FileKey
from notifications.delivery.outgoing import message_for
from notifications.models import (
    Attachment,
    DailyCounter,
    IdempotencyRecord,
    KeyType,
    LimitKind,
    Notification,
    SandboxMessage,
    Service,
    Status,
)
from tests.cleaning import clean_up
from tests.notifications.attachments import samples
from tests.notifications.attachments.s3_store import S3Store
from tests.notifications.attachments.sending import (
    file_caller,
    file_of,
    file_template,
    key_of,
    links_in,
    nothing_is_stored,
    send,
    told,
)
from tests.notifications.calling import ADDRESS, Caller, email_template, make_caller
from tests.notifications.draining import claim_one, drain_messages

pytestmark = pytest.mark.django_db

MARKER = "heron-4711-marker"
SIMULATED = "simulate-delivered@notifications.service.gov.uk"


@pytest.fixture
def caller() -> Caller:
    return file_caller()


def everything_in_the_database() -> str:
    """Return every cell of every row of every table, as in a dump."""
    cells: list[str] = []
    for model in apps.get_models():
        for row in model._default_manager.values_list():
            cells += [repr(bytes(value)) if isinstance(value, memoryview | bytes) else str(value) for value in row]
    return "\n".join(cells)


def test_the_link_is_enough_to_open_the_file(caller: Caller, any_store: str) -> None:
    data = b"name,amount\n" + b"x,1\n" * 100_000

    response = send(caller, file_of(data, filename="accounts.csv"))

    body = response.json()["content"]["body"]
    [link] = links_in(body)
    assert (body, response.status_code) == (link, 201)
    key = key_of(link)
    row = Attachment.objects.get(pk=key.file_id)
    assert key.open(store.read(row.storage_name), service_id=caller.service.id) == data
    assert (row.name, row.extension, row.size_bytes) == ("accounts.csv", "csv", len(data))
    assert (row.notification_id, row.service_id) == (Notification.objects.get().id, caller.service.id)
    assert key.fits(row.key_check)
    assert row.email_tag is not None
    assert key.is_email_address(ADDRESS.upper(), row.email_tag)


def test_options_are_stored(caller: Caller) -> None:
    send(caller, file_of(confirm_email_before_download=False, retention_period="1 week", is_csv=False))

    row = Attachment.objects.get()
    assert (row.asks_for_email_address, row.extension) == (False, "txt")
    assert (row.last_day - timezone.localdate(row.created_at)).days == 7


def test_subject_and_body_have_the_link_and_each_send_a_new_one(caller: Caller) -> None:
    template = email_template(caller, "Get it: ((doc)) and again ((DOC))", subject="File ((doc))")

    content = send(caller, file_of(), template=template).json()["content"]
    again = send(caller, file_of(), template=template).json()["content"]

    [in_subject] = links_in(content["subject"])
    assert links_in(content["body"]) == [in_subject] * 2
    assert "?key=" in in_subject
    assert in_subject not in again["body"]


def test_links_are_not_changed_by_rendering(caller: Caller) -> None:
    """Keys contain hyphens and underscores, which have a meaning in Markdown and typography."""
    template = email_template(caller, "# ((doc))\n\n* ((doc))\n\nGet it: ((doc)).\n\n((doc))", subject="-- ((doc)) --")
    for _ in range(60):
        content = send(caller, file_of(), template=template).json()["content"]
        link = links_in(content["body"])[0]
        claim = claim_one(Notification.objects.latest("created_at").id)
        assert claim is not None
        message = message_for(claim)

        assert links_in(message.subject) == [link]
        assert links_in(message.text) == [link] * 4
        assert message.html.count(f'href="{link}"') == 4


def test_the_stored_message_has_the_link_without_its_key(caller: Caller) -> None:
    response = send(caller, file_of())
    told = links_in(response.json()["content"]["body"])[0]
    record = caller.get(f"/v2/notifications/{response.json()['id']}").json()
    listed = caller.get("/v2/notifications").json()["notifications"][0]

    without = told.partition("?")[0]
    assert record["body"] == listed["body"] == without
    assert Notification.objects.get().body == without


@pytest.mark.parametrize("key_type", KeyType)
@pytest.mark.fault("F14")
def test_after_the_send_the_key_is_not_stored(key_type: KeyType, console: Any, caplog: Any, blobs: Path) -> None:
    """Case F14. The sandbox inbox replaces the recipient's mailbox and is the only exception; it is encrypted."""
    caplog.set_level(logging.DEBUG)
    caller = file_caller(key_type)
    if key_type is KeyType.TEAM:
        Service.objects.filter(pk=caller.service.pk).update(live=True)
        from_team = {"email_address": "team@example.com"}
        apps.get_model("notifications", "TeamMember").objects.create(
            service=caller.service, email_address="team@example.com", normalised_email="team@example.com"
        )
    else:
        from_team = {}
    response = send(caller, file_of(), headers={"Idempotency-Key": f"one-{key_type}"}, **from_team)
    assert response.status_code == 201, response.content
    [link] = links_in(response.json()["content"]["body"])
    secret = link.partition("?key=")[2]
    notification = Notification.objects.get()
    assert notification.outgoing == ("Your file", link)

    drain_messages()

    notification.refresh_from_db()
    assert notification.status == Status.DELIVERED
    assert notification.encrypted_outgoing is None
    assert SandboxMessage.objects.get().content.text.strip() == link
    address = f"/admin/notifications/notification/{notification.id}/change/"
    pages = [
        console.get(page).content.decode()
        for page in (
            *(address, "/admin/notifications/notification/", "/admin/notifications/attachment/"),
            f"/admin/notifications/attachment/{Attachment.objects.get().id}/change/",
            "/admin/operations/audit/",
        )
    ]
    kept = "\n".join([everything_in_the_database(), caplog.text, *pages, *(str(path) for path in blobs.rglob("*"))])
    assert secret not in kept
    assert key_of(link).secret.hex() not in kept
    assert repr(key_of(link).secret)[2:-1] not in kept
    assert link.partition("?")[0] in pages[0]


@pytest.mark.parametrize("end", ["permanent", "archived", "closed", "sweep"])
def test_every_other_end_removes_the_key(caller: Caller, end: str) -> None:
    send(caller, file_of())
    row = Notification.objects.get()
    mine = Notification.objects.filter(pk=row.pk)
    if end == "archived":
        Service.objects.filter(pk=caller.service.pk).update(active=False)
        drain_messages()
    elif end == "permanent":
        claim = claim_one(row.id)
        assert claim is not None
        attempt: Any = {"at": None, "provider": "", "outcome": "permanent", "reply": "", "ms": 1}
        assert claim.fail(attempt, status=Status.PERMANENT_FAILURE, at=timezone.now())
    elif end == "closed":
        mine.advance(Status.TEMPORARY_FAILURE, timezone.now())
    else:  # as after the restore of a backup
        mine.update(status=Status.DELIVERED)
        clean_up("old-messages")

    row.refresh_from_db()
    assert row.status != Status.CREATED
    assert row.encrypted_outgoing is None


def test_a_message_that_waits_for_a_retry_keeps_its_key(caller: Caller) -> None:
    send(caller, file_of())
    row = Notification.objects.get()
    claim = claim_one(row.id)
    assert claim is not None
    attempt: Any = {"at": None, "provider": "", "outcome": "temporary", "reply": "", "ms": 1}

    assert claim.release(attempt, delay=timedelta(0))
    clean_up("old-messages")

    row.refresh_from_db()
    assert "?key=" in row.outgoing[1]


@pytest.mark.fault("F7")
def test_database_and_store_reveal_nothing_and_the_link_opens_the_file(
    caller: Caller, any_store: str, caplog: Any
) -> None:
    """Case F7: the attacker has every cell and every blob and, after the email was sent, FIELD_KEYS too."""
    caplog.set_level(logging.DEBUG)
    data = f"name,secret\nAmala,{MARKER}\n".encode()
    response = send(caller, file_of(data, filename=f"{MARKER}.csv"), file_of(data, filename=f"{MARKER}.csv"))
    found = links_in(response.json()["content"]["body"])
    drain_messages()
    SandboxMessage.objects.all().delete()  # the recipient's mailbox

    taken_blobs = [store.read(name) for name in store.names()]
    dump = everything_in_the_database()

    assert len(set(taken_blobs)) == 2
    assert MARKER not in dump
    assert MARKER not in caplog.text
    assert not any(MARKER.encode() in blob for blob in taken_blobs)
    for row in Attachment.objects.all():
        for guess in (bytes(row.key_check) * 2, bytes(row.email_tag or b""), row.id.bytes * 2, bytes(32)):
            assert not FileKey(file_id=row.id, secret=guess).fits(row.key_check)
            with pytest.raises(Exception, match=r"^$"):
                FileKey(file_id=row.id, secret=guess).open(taken_blobs[0], service_id=row.service_id)
    for link in found:
        key = key_of(link)
        row = Attachment.objects.get(pk=key.file_id)
        assert key.open(store.read(row.storage_name), service_id=row.service_id) == data


def test_names_in_the_store_reveal_nothing(caller: Caller) -> None:
    send(caller, file_of())

    row = Attachment.objects.get()
    assert store.names() == [row.storage_name]
    assert row.id.hex not in row.storage_name
    assert links.write(row.id.bytes) not in row.storage_name


def test_a_simulated_recipient_gets_a_link_and_nothing_is_stored_sent_or_counted(caller: Caller, blobs: Path) -> None:
    response = send(caller, file_of(), email_address=SIMULATED)

    expected = f"http://127.0.0.1:8000/services/{caller.service.id}/documents/test-document"
    assert (response.status_code, response.json()["content"]["body"]) == (201, expected)
    assert nothing_is_stored(blobs)
    assert not DailyCounter.objects.exists()


def test_with_a_test_key_everything_except_the_send_is_real() -> None:
    caller = file_caller(KeyType.TEST)

    [link] = links_in(send(caller, file_of()).json()["content"]["body"])

    row = Attachment.objects.get()
    assert key_of(link).open(store.read(row.storage_name), service_id=row.service_id) == samples.CSV


def test_a_repeated_request_returns_the_link_without_its_key_and_stores_nothing(caller: Caller) -> None:
    template, file = file_template(caller), file_of()
    headers = {"Idempotency-Key": "once"}

    first = send(caller, file, template=template, headers=headers)
    again = send(caller, file, template=template, headers=headers)
    other = send(caller, file_of(b"another"), template=template, headers=headers)

    [link] = links_in(first.json()["content"]["body"])
    assert again.headers["Idempotent-Replay"] == "true"
    assert again.json() == json.loads(json.dumps(first.json()).replace(link, link.partition("?")[0]))
    assert other.status_code == 422
    assert Attachment.objects.count() == len(store.names()) == 1
    assert "key=" not in json.dumps(IdempotencyRecord.objects.get().answer)


@pytest.mark.django_db(transaction=True)
@pytest.mark.fault("D4")
def test_fifty_concurrent_requests_with_one_idempotency_key_create_one_message_with_its_file(blobs: Path) -> None:
    caller = file_caller()
    template, file = file_template(caller), file_of()

    def once(_: int) -> Any:
        try:
            return send(caller, file, template=template, headers={"Idempotency-Key": "fifty"})
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(once, range(50)))

    kept = [answer.json() for answer in answers if answer.headers.get("Idempotent-Replay")]
    whole = [answer for answer in answers if answer.status_code == 201 and "Idempotent-Replay" not in answer.headers]
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len(whole) == 1
    assert len({json.dumps(answer) for answer in kept}) <= 1
    assert Notification.objects.count() == Attachment.objects.count() == len(store.names()) == 1
    assert send(caller, file_of(b"x"), template=template, headers={"Idempotency-Key": "fifty"}).status_code == 422


# All or nothing


@pytest.mark.usefixtures("noon")
def test_a_reached_daily_limit_leaves_no_blob(caller: Caller, blobs: Path) -> None:
    """This is the last possible error, inside the transaction, when the blobs are already written."""
    Service.objects.filter(pk=caller.service.pk).update(daily_limit_email=5)
    caller = make_caller(Service.objects.get(pk=caller.service.pk))
    day = datetime.now(UTC).date()
    template = file_template(caller, 3)
    counter = DailyCounter.objects.create(service=caller.service, day=day, kind=LimitKind.EMAIL, count=4)
    assert send(caller, *[file_of()] * 3, template=template).status_code == 201
    before = sorted(store.names())
    counter.refresh_from_db()

    response = send(caller, *[file_of()] * 3, template=template)

    assert response.status_code == 429
    assert sorted(store.names()) == before


def test_an_outage_in_the_middle_of_three_files_leaves_no_orphan(caller: Caller, blobs: Path) -> None:
    """The folder of the second blob cannot be created, because a file has its name."""
    for number in range(256):
        place = blobs / f"{number:02x}"
        if number % 2:
            blobs.mkdir(exist_ok=True, mode=0o700)
            place.write_bytes(b"in the way")

    statuses = {send(caller, *[file_of()] * 3).status_code for _ in range(12)}

    assert statuses <= {201, 500}
    assert 500 in statuses
    assert len(store.names()) == Attachment.objects.count() == 3 * Notification.objects.count()


@pytest.mark.fault("A13")
def test_a_bucket_that_dies_causes_a_500_and_emails_without_files_work(caller: Caller, s3: S3Store) -> None:
    assert send(caller, file_of()).status_code == 201
    s3.program.kill()
    try:
        away = send(caller, file_of(), file_of(), file_of())
        without = caller.send_email(email_template(caller))
    finally:
        s3.start()

    assert (away.status_code, without.status_code) == (500, 201)
    assert told(away) == [("Exception", "Internal server error")]
    assert store.names() == []
    assert Attachment.objects.count() == 1
    assert send(caller, file_of()).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_a_database_that_refuses_the_row_leaves_no_blob(caller: Caller, blobs: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE notifications_attachment RENAME TO elsewhere")
    try:
        response = send(caller, file_of(), file_of())
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE elsewhere RENAME TO notifications_attachment")

    assert response.status_code == 500
    assert nothing_is_stored(blobs)


def test_keys_can_be_rotated_with_stored_names_and_waiting_messages(caller: Caller, settings: Any) -> None:
    old = settings.FIELD_KEYS
    response = send(caller, file_of(filename="a.csv"))
    settings.FIELD_KEYS = ["bmV3LWZpZWxkLWtleS1mb3ItdGhpcy10ZXN0LW9ubHk=", *old]

    management.call_command("rotate_keys", verbosity=0)

    settings.FIELD_KEYS = settings.FIELD_KEYS[:1]
    assert Attachment.objects.get().name == "a.csv"
    assert Notification.objects.get().outgoing[1] == response.json()["content"]["body"]
    assert not AuditEvent.objects.filter(after__icontains="a.csv").exists()
