"""After an erasure nothing that is stored has the recipient. Source: docs/reference/erasing.md §3 to §5."""

import csv
import io
import json
import os
import re
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from config.audit.models import AuditEvent
from config.erased import ERASED
from notifications.attachments import store
from notifications.delivery import suppressions
from notifications.models import (
    Attachment,
    BulkRow,
    Channel,
    Fallback,
    LogExportPart,
    Notification,
    RowState,
    Status,
    Suppression,
)
from notifications.one_person import erasing
from notifications.one_person.person import Person
from tests.factories import (
    make_bulk_send,
    make_notification,
    make_service,
    make_suppression,
    make_template,
)
from tests.notifications.draining import drain_messages
from tests.notifications.one_person.stored import attempt, every_text, fill

PHONE, EMAIL = "07700 900 123", "Ann.Lee@example.org"
FORMS = {
    PHONE: ["07700900123", "7700900123", "07700 900 123", "447700900123"],
    EMAIL: ["ann.lee@example.org", "ann.lee%40example.org"],
}


def erase(*arguments: str) -> str:
    out = io.StringIO()
    call_command("erase_recipient", *arguments, stdout=out)
    return out.getvalue()


def make_fallback() -> None:
    """Store a text to PHONE that an email to EMAIL replaces if it fails."""
    text = make_notification(make_template(channel=Channel.SMS), PHONE, status=Status.SENDING)
    fallback = Fallback(message=text, template=make_template(text.service), template_version=1)
    fallback.set_content(make_notification(make_template(text.service), EMAIL))
    fallback.save()


def places_with(recipient: str) -> list[str]:
    mentions = Person.parse(recipient).mentions
    return sorted(
        {
            place
            for place, text in every_text()
            if mentions.are_in(text) or any(form in text.lower() for form in FORMS[recipient])
        }
    )


def dump() -> str:
    """Return the whole database as SQL, from the program of PostgreSQL or from SQLite itself."""
    if connection.vendor == "sqlite":
        return "\n".join(connection.connection.iterdump())
    given = connection.settings_dict
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    environment = os.environ | {name: str(given[key]) for name, key in names.items() if given[key]}
    return subprocess.run(["pg_dump"], env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("recipient", [PHONE, EMAIL])
def test_no_column_file_log_or_dump_has_the_recipient(
    recipient: str, admin_user: Any, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    service = fill(recipient, admin_user)
    own_blobs = {Attachment.objects.get().storage_name, LogExportPart.objects.get().storage_name}
    fill("bo@example.org", admin_user, service=service)
    before = len(places_with(recipient))
    assert before > 20
    statuses = Notification.objects.order_by().values_list("pk", "template_id", "created_at", "parts")
    kept = set(statuses)

    output = erase(recipient, "--yes", "--case", "DPR-7")

    assert places_with(recipient) == []
    pattern = re.compile("|".join(map(re.escape, FORMS[recipient])), re.IGNORECASE)
    assert not pattern.search(dump())
    assert not pattern.search(output + caplog.text + "".join(capsys.readouterr()))
    # The dump has the rows of the database. Its files, and those of other test processes, have pages of other tests.
    for path in Path(os.environ["VAR_DIR"]).rglob("*"):
        if path.is_file() and not path.name.startswith("test.sqlite3"):
            assert not pattern.search(path.read_bytes().decode("latin-1")), path
    assert set(statuses) == kept
    assert not own_blobs.intersection(store.names())
    assert Attachment.objects.exclude(deleted_at=None).get().storage_name in own_blobs
    _check_proof(recipient)


def _check_proof(recipient: str) -> None:
    event = AuditEvent.objects.get(verb="erased_person")
    assert event.reason == "DPR-7"
    numbers = event.after or {}
    assert numbers["messages"] == 2
    assert numbers["files"] == numbers["guest_list"] == numbers["drafts"] == 1
    assert event.object_id == Person.parse(recipient).hash.removeprefix("hmac:")


@pytest.mark.django_db
class TestRules:
    def test_a_message_keeps_what_counts_and_loses_what_names_the_person(self) -> None:
        replies = [attempt("550 User ann.lee unknown"), attempt("421 Try later")]
        sent = make_notification(None, EMAIL, status=Status.SENT, reference="R7", attempts=replies, attempt=2, parts=3)

        erase(EMAIL, "--yes")

        sent.refresh_from_db()
        assert (sent.recipient, sent.normalised_recipient, sent.subject, sent.body) == (ERASED, "", ERASED, ERASED)
        assert (sent.status, sent.reference, sent.parts) == (Status.SENT, "R7", 3)
        assert [one["reply"] for one in sent.attempts] == [ERASED, "421 Try later"]

    def test_waiting_messages_and_rows_are_cancelled_and_given_back(self) -> None:
        template = make_template()
        waiting = make_notification(template, EMAIL)
        bulk_send = make_bulk_send(template, waiting=1, row_count=1)
        BulkRow.objects.create(
            bulk_send=bulk_send, number=2, state=RowState.WAITING, recipient=EMAIL, normalised_recipient=EMAIL.lower()
        )

        erase(EMAIL, "--yes")
        drain_messages()

        waiting.refresh_from_db()
        bulk_send.refresh_from_db()
        assert waiting.status == Status.CANCELLED
        assert (bulk_send.waiting, bulk_send.cancelled) == (0, 1)
        assert BulkRow.objects.get().state == RowState.CANCELLED

    @pytest.mark.parametrize("attempts", [[], [attempt("timeout", "uncertain")]])
    def test_a_message_that_a_provider_may_have_ends_as_technical_failure(self, attempts: list[Any]) -> None:
        lost = make_notification(None, EMAIL, attempt=1, attempts=attempts)

        erase(EMAIL, "--yes")

        lost.refresh_from_db()
        assert lost.status == Status.TECHNICAL_FAILURE

    def test_a_claimed_message_is_left_until_its_claim_ends(self) -> None:
        claimed = make_notification(None, EMAIL, attempt=1, claimed_until=timezone.now() + timedelta(seconds=60))
        batches = erasing.everything(Person.parse(EMAIL))

        first = next(batches)
        assert first == (erasing.WAITS, 0)
        claimed.refresh_from_db()
        assert (claimed.status, claimed.recipient) == (Status.CREATED, EMAIL)
        Notification.objects.update(status=Status.DELIVERED, claimed_until=None)  # the worker records its result

        assert ("messages", 1) in list(batches)
        claimed.refresh_from_db()
        assert (claimed.status, claimed.recipient) == (Status.DELIVERED, ERASED)

    def test_another_service_is_not_touched_with_service(self) -> None:
        here, there = make_service(name="Tides"), make_service()
        make_notification(make_template(here), EMAIL)
        other = make_notification(make_template(there), EMAIL, body=f"Dear {EMAIL}")

        output = erase(EMAIL, "--service", "Tides", "--yes")

        other.refresh_from_db()
        assert (other.recipient, other.body, other.status) == (EMAIL, f"Dear {EMAIL}", Status.CREATED)
        assert "messages: 1" in output
        assert AuditEvent.objects.get(verb="erased_person").service_id == here.pk

    def test_a_suppressed_person_gets_nothing_after_the_erasure(self) -> None:
        service = make_service()
        make_suppression(service, EMAIL)

        erase(EMAIL, "--yes")
        make_suppression(service, EMAIL)  # and once more, after a second erasure
        erase(EMAIL, "--yes")
        sent = make_notification(make_template(service), EMAIL)
        drain_messages()

        sent.refresh_from_db()
        assert sent.status == Status.PERMANENT_FAILURE
        assert Suppression.objects.get().recipient == ERASED

    def test_the_erased_recipient_of_a_late_bounce_is_not_suppressed(self) -> None:
        sent = make_notification(None, EMAIL, status=Status.DELIVERED)
        erase(EMAIL, "--yes")
        sent.refresh_from_db()

        suppressions.add_after_rejection(sent, "550 5.1.1 No such user")

        assert not Suppression.objects.exists()

    def test_what_cannot_be_changed_is_reported(self) -> None:
        make_template(content=f"Write to {EMAIL}")

        output = erase(EMAIL, "--yes")

        assert "Not changed, and contains the recipient: template versions: 1" in output

    def test_the_export_has_everything_and_is_not_overwritten(self, admin_user: Any, tmp_path: Path) -> None:
        fill(PHONE, admin_user)
        path = tmp_path / "person.json"

        erase(PHONE, "--export", str(path), "--yes")

        found = json.loads(path.read_text())
        assert found["recipient"] == PHONE
        empty = {name for name, rows in found.items() if rows == []}
        assert empty == {"unsubscribe_requests", "drafts", "fallbacks", "records"}
        assert f"Dear {PHONE}" in {message["body"] for message in found["messages"]}
        assert found["sandbox"][0]["to"] == PHONE
        assert path.stat().st_mode & 0o077 == 0
        with pytest.raises(CommandError, match="File exists"):
            erase(PHONE, "--export", str(path), "--yes")

    def test_the_csv_file_has_a_line_for_each_row(self, tmp_path: Path) -> None:
        make_notification(None, EMAIL, reference="=1+1", status=Status.SENT)
        path = tmp_path / "person.csv"

        erase(EMAIL, "--export", str(path), "--yes")

        [line] = csv.DictReader(path.read_text().splitlines())
        assert line["Kind"] == "Messages"
        assert (line["Recipient"], line["Reference"], line["Text"]) == (EMAIL, "'=1+1", "Dear Ana")

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (["nobody"], "Enter an email address or a phone number"),
            ([EMAIL, "--service", "Nothing"], "No service has this name."),
            ([EMAIL, "--case", f"for {EMAIL}"], "must not contain the recipient"),
            ([EMAIL, "--export", "person.txt"], "must end with .json or .csv"),
        ],
    )
    def test_wrong_input_erases_nothing(self, arguments: list[str], error: str) -> None:
        make_notification(None, EMAIL)

        with pytest.raises(CommandError, match=error):
            erase(*arguments, "--yes")

        assert Notification.objects.get().recipient == EMAIL

    @pytest.mark.parametrize("recipient", [PHONE, EMAIL])
    def test_no_email_replaces_a_failed_text_after_the_erasure(self, recipient: str) -> None:
        make_fallback()

        erase(recipient, "--yes")

        assert not Fallback.objects.exists()

    def test_the_email_of_a_failed_text_is_found_after_a_change_of_the_secret_key(self, settings: Any) -> None:
        make_fallback()
        settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "a-new-key" * 8

        erase(EMAIL, "--yes")

        assert not Fallback.objects.exists()
