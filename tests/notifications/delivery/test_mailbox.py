"""Emails in a mailbox: what is fetched, marked and deleted, and that a failure loses nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from config.queue import presence
from notifications import checks, tasks
from notifications.delivery.returned_emails import imap, polling
from notifications.delivery.returned_emails.imap import Mailbox, MailboxAway
from notifications.delivery.returned_emails.mailbox import Taken
from notifications.delivery.returned_emails.reading.limits import MOST_BYTES
from notifications.management import health_checks
from notifications.models import ReceivedEmail
from tests.factories import make_reply_to, make_service
from tests.notifications.delivery.imap_server import ImapServer
from tests.notifications.delivery.test_received_emails import DOMAIN, HELP, written
from tests.receivers import write_certificate

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: Any) -> Iterator[ImapServer]:
    settings.EMAIL_DOMAIN = DOMAIN
    make_reply_to(make_service(), HELP)
    with ImapServer() as running:
        settings.RETURNED_EMAIL_IMAP_URL = running.url()
        yield running


def texts() -> list[str]:
    return [row.content.text for row in ReceivedEmail.objects.order_by("created_at")]


@pytest.mark.parametrize("uidplus", [True, False])
def test_stored_emails_are_deleted_and_others_flagged(server: ImapServer, uidplus: bool) -> None:
    server.uidplus = uidplus
    server.put(written("first").as_bytes())
    ignored = server.put(written(to="nobody@example.com").as_bytes())
    server.put(written("looked at already").as_bytes(), "\\Flagged")
    server.put(written("read in an email program").as_bytes(), "\\Seen")

    assert polling.poll() == {Taken.STORED: 2, Taken.IGNORED: 1}
    assert polling.poll() == {}

    assert texts() == ["first", "read in an email program"]
    assert sorted(email.flags != set() for email in server.emails.values()) == [True, True]
    assert server.emails[ignored].flags == {"\\Flagged"}


@pytest.mark.parametrize("fail_at", ["BODY.PEEK", "UID STORE", "UID EXPUNGE", "SEARCH", "SELECT"])
def test_a_connection_that_ends_loses_nothing_and_doubles_nothing(server: ImapServer, fail_at: str) -> None:
    for text in ("first", "second"):
        server.put(written(text).as_bytes())
    server.fail_at = fail_at

    with pytest.raises(MailboxAway):
        polling.poll()
    tasks.fetch_emails()

    assert sorted(texts()) == ["first", "second"]
    assert not [email for email in server.emails.values() if email.flags != {"\\Deleted"}]


def test_without_the_database_no_email_is_marked(server: ImapServer) -> None:
    uid = server.put(written().as_bytes())

    def away(execute: Any, sql: str, *rest: Any) -> Any:
        if "INTO" in sql and "received" in sql:
            raise DatabaseError
        return execute(sql, *rest)

    with connection.execute_wrapper(away), pytest.raises(DatabaseError):
        polling.poll()

    assert server.emails[uid].flags == set()


def test_an_email_that_is_too_large_is_not_fetched(server: ImapServer) -> None:
    uid = server.put(written().as_bytes())
    server.emails[uid].size_bytes = MOST_BYTES + 1

    assert polling.poll() == {Taken.REFUSED: 1}
    assert server.emails[uid].flags == {"\\Flagged"}
    assert not [command for command in server.commands if "BODY" in command]


def test_one_run_takes_a_limited_number(server: ImapServer) -> None:
    for _ in range(imap.MOST_AT_ONCE + 1):
        server.put(b"To: nobody@example.com\n\n")

    assert polling.poll() == {Taken.IGNORED: imap.MOST_AT_ONCE}
    assert polling.poll() == {Taken.IGNORED: 1}


def test_only_one_process_fetches(server: ImapServer) -> None:
    presence.take(polling.LEASE, "another", seconds=60)

    assert polling.poll() is None
    assert server.commands == []


def test_tls_needs_a_valid_certificate(
    server: ImapServer, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = tmp_path / "certificate.pem"
    write_certificate(certificate, ["localhost"])
    with ImapServer(certificate=certificate) as safe:
        settings.RETURNED_EMAIL_IMAP_URL = safe.url("imaps", "localhost")
        safe.put(written("by TLS").as_bytes())

        with pytest.raises(MailboxAway, match=r"\Ano connection to localhost: SSLCertVerificationError\Z"):
            polling.poll()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        polling.poll()

    assert texts() == ["by TLS"]


def test_the_health_check_names_what_is_wrong_without_the_password(server: ImapServer, settings: Any) -> None:
    well = health_checks.mailbox()
    settings.RETURNED_EMAIL_IMAP_URL = server.url(password="another")
    wrong_password = health_checks.mailbox()
    settings.RETURNED_EMAIL_IMAP_URL = "imap://a:b@127.0.0.1:9/INBOX"
    away = health_checks.mailbox()
    settings.RETURNED_EMAIL_IMAP_URL = ""
    none = health_checks.mailbox()

    assert (well.seen, well.fix) == ("INBOX on 127.0.0.1", "")
    assert wrong_password.seen == "INBOX on 127.0.0.1: LOGIN failed: error"
    assert away.seen == "INBOX on 127.0.0.1: no connection to 127.0.0.1: ConnectionRefusedError"
    assert "RETURNED_EMAIL_IMAP_URL" in away.fix
    assert (none.seen, none.fix) == ("none: RETURNED_EMAIL_IMAP_URL is not set", "")


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("imaps://host/INBOX", "must be such as imaps://user:password@host/INBOX"),
        ("pop3://a:b@host", "must be such as imaps://user:password@host/INBOX"),
        ("imap://a:secret@mail.example.org", "imap:// is for this machine only"),
        ("imaps://a:secret@mail.example.org/a%22b", "must name the folder in ASCII"),
        ("imaps://a:secret@mail.example.org:no/", "must be followed by a valid URL"),
    ],
)
def test_a_wrong_url_stops_the_start(settings: Any, url: str, error: str) -> None:
    settings.RETURNED_EMAIL_IMAP_URL = url

    with pytest.raises((ValueError, ImproperlyConfigured)) as caught:
        checks.check_settings()

    assert "RETURNED_EMAIL_IMAP_URL: " in str(caught.value)
    assert error in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "port", "folder"),
    [
        ("imaps://a:b@mail.example.org", 993, "INBOX"),
        ("imap+tls://a:b@mail.example.org/Signalbox/Returned", 143, "Signalbox/Returned"),
        ("imaps://a%40b:c@mail.example.org:1993/", 1993, "INBOX"),
    ],
)
def test_the_url_names_port_and_folder(url: str, port: int, folder: str) -> None:
    parsed = Mailbox.parse(url)

    assert (parsed.port, parsed.folder) == (port, folder)


def test_the_command_fetches_and_reports(server: ImapServer, settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    server.put(written().as_bytes())

    call_command("receive_email", imap=True)
    call_command("receive_email", imap=True)
    assert capsys.readouterr().out == "stored: 1\nno emails\n"

    server.fail_at = "SELECT"
    with pytest.raises(SystemExit) as left:
        call_command("receive_email", imap=True)
    assert left.value.code == 75
    assert capsys.readouterr().err == "SELECT failed: abort\n"

    settings.RETURNED_EMAIL_IMAP_URL = ""
    with pytest.raises(CommandError, match="Set RETURNED_EMAIL_IMAP_URL"):
        call_command("receive_email", imap=True)
