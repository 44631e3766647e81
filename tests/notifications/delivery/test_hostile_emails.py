"""No email costs more than its limits, is lost, or stops the others, whatever its sender wrote.

The limited process bounds the time, so these tests state what becomes of each email.
Source: docs/reference/inbox.md §6.
"""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from structlog.testing import capture_logs

from notifications.delivery.returned_emails import mailbox, polling
from notifications.delivery.returned_emails.mailbox import Taken
from notifications.models import ReceivedEmail, Status, Suppression
from tests.factories import make_reply_to, make_service
from tests.notifications.delivery import hostile_emails as hostile
from tests.notifications.delivery.imap_server import ImapServer
from tests.notifications.delivery.test_returned_emails import bounce, sent

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def address(settings: Any) -> None:
    settings.EMAIL_DOMAIN = "notify.example.org"
    make_reply_to(make_service(), hostile.HELP.decode())


@pytest.mark.parametrize("name", hostile.READ)
def test_the_text_beside_a_hostile_part_is_read(name: str) -> None:
    recipients = [hostile.HELP.decode()] if name == "open brackets in an address" else []

    assert mailbox.take_in(hostile.READ[name](), recipients) == Taken.STORED

    row = ReceivedEmail.objects.get()
    assert row.content.text.startswith("High water?")
    assert row.sender == "ana@example.com" or name.startswith("sender")
    assert len(row.content.attachments) <= 50


@pytest.mark.parametrize("name", hostile.OTHER_TEXT)
def test_a_hostile_text_is_read_as_far_as_it_can_be(name: str) -> None:
    assert mailbox.take_in(hostile.OTHER_TEXT[name]()) == Taken.STORED

    row = ReceivedEmail.objects.get()
    assert row.content.subject == "Tides"
    assert len(row.content.text) <= 100_000


@pytest.mark.parametrize("name", hostile.REFUSED)
def test_an_email_over_a_limit_becomes_an_entry_that_names_the_limit(name: str) -> None:
    make, reason = hostile.REFUSED[name]

    with capture_logs() as logs:
        taken = mailbox.take_in(make())

    assert taken == Taken.KEPT
    assert [(log["event"], log["reason"]) for log in logs] == [("mailbox.refused", reason)]
    row = ReceivedEmail.objects.get()
    assert row.sender == "ana@example.com"
    assert reason in row.content.text


def test_an_email_at_the_limit_of_time_is_stored_or_kept() -> None:
    assert mailbox.take_in(hostile.slow()) in {Taken.STORED, Taken.KEPT}

    assert ReceivedEmail.objects.count() == 1


def test_a_refused_email_of_nobody_stays_with_the_mail_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "email.eml"
    file.write_bytes(hostile.nested(21))

    with pytest.raises(SystemExit) as left:
        call_command("receive_email", file=str(file), recipient=["bounces@notify.example.org"])

    assert (left.value.code, capsys.readouterr().out) == (75, "refused\n")
    assert not ReceivedEmail.objects.exists()


def test_a_refused_email_stays_in_the_mailbox_and_the_next_one_is_read(settings: Any) -> None:
    with ImapServer() as server:
        settings.RETURNED_EMAIL_IMAP_URL = server.url()
        refused = server.put(hostile.nested(21))
        of_nobody = server.put(hostile.nested(21).replace(hostile.HELP, b"nobody@example.com"))
        server.put(hostile.HEAD + hostile.TEXT)

        assert polling.poll() == {Taken.KEPT: 1, Taken.REFUSED: 1, Taken.STORED: 1}
        assert polling.poll() == {}

        assert server.emails[refused].flags == server.emails[of_nobody].flags == {"\\Flagged"}


def test_an_email_that_the_server_does_not_return_waits_and_does_not_stop_the_others(settings: Any) -> None:
    with ImapServer() as server:
        settings.RETURNED_EMAIL_IMAP_URL = server.url()
        broken = server.put(hostile.HEAD + hostile.TEXT)
        server.put(hostile.HEAD + hostile.TEXT)
        server.broken = {broken}

        assert polling.poll() == {Taken.STORED: 1}
        assert server.emails[broken].flags == set()

        server.broken = set()
        assert polling.poll() == {Taken.STORED: 1}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Reporting-MTA: dns; mx.quay.example\r\n\r\n", b""),
        (b"Diagnostic-Code: smtp; ", b"Diagnostic-Code: smtp; " + b"x" * 3_000_000),
        (b"\r\n--=_b\r\nContent-Type: text/rfc822-headers", b"\r\nX: y\r\n" * 200_000),
        (b"I am sorry.", b"\r\n" * 10_000_000),
    ],
    ids=["without a first block", "long field", "200,000 blocks", "empty lines"],
)
def test_a_hostile_report_is_applied(settings: Any, old: bytes, new: bytes) -> None:
    settings.EMAIL_DOMAIN = "signalbox.invalid"
    message = sent()
    report = bounce(message)
    assert old in report
    kept = old if b"rfc822-headers" in old else b""

    assert mailbox.take_in(report.replace(old, new + kept)) == Taken.APPLIED

    message.refresh_from_db()
    assert message.status == Status.PERMANENT_FAILURE
    assert Suppression.objects.exists()
