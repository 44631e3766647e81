"""Take in one email: a bounce, a complaint or a reply.

Source: docs/reference/suppressions.md §5; docs/reference/inbox.md §4.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from notifications.delivery.returned_emails import mailbox, polling
from notifications.delivery.returned_emails.imap import MailboxAway
from notifications.delivery.returned_emails.mailbox import Taken
from notifications.delivery.returned_emails.reading.limits import MOST_BYTES


class Command(BaseCommand):
    help = (
        "Read one email from standard input, as a mail server pipes it. Apply the bounce or complaint in it, or store "
        "it if it was sent to a reply-to address of EMAIL_DOMAIN. Other emails are ignored. "
        "Example of Postfix: `manage.py receive_email --recipient ${recipient}`. "
        "--imap fetches them from the mailbox of RETURNED_EMAIL_IMAP_URL, as the clock does every minute. "
        "Exit code 0, or 75 if the mail server should keep the email: the database is not available, or the email is "
        "over a limit and no service has its recipient as a reply-to address."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--file", metavar="FILE", help="read this file instead of standard input")
        parser.add_argument(
            "--imap", action="store_true", help="fetch up to 100 emails from the mailbox of RETURNED_EMAIL_IMAP_URL"
        )
        parser.add_argument(
            "--recipient",
            metavar="EMAIL_ADDRESS",
            nargs="*",
            default=[],
            help="the email addresses it was sent to; without them, its headers count",
        )

    def handle(
        self,
        *args: Any,
        file: str | None = None,
        recipient: Sequence[str] = (),
        imap: bool = False,
        **options: Any,
    ) -> None:
        if imap:
            self._fetch()
            return
        try:
            taken = mailbox.take_in(self._read(file), recipient)
        except DatabaseError as error:
            self.stderr.write(f"The database is not available: {type(error).__name__}")
            sys.exit(os.EX_TEMPFAIL)
        self.stdout.write(taken.value)
        if taken is Taken.REFUSED:
            sys.exit(os.EX_TEMPFAIL)  # the mail server keeps it for a person

    def _fetch(self) -> None:
        if not settings.RETURNED_EMAIL_IMAP_URL:
            raise CommandError("Set RETURNED_EMAIL_IMAP_URL.")
        try:
            taken = polling.poll()
        except (DatabaseError, MailboxAway) as error:
            self.stderr.write(str(error) if isinstance(error, MailboxAway) else "The database is not available.")
            sys.exit(os.EX_TEMPFAIL)
        if taken is None:
            self.stdout.write("another process is fetching emails")
        else:
            self.stdout.write(", ".join(f"{outcome}: {number}" for outcome, number in taken.items()) or "no emails")

    def _read(self, file: str | None) -> bytes:
        if file is None:
            return sys.stdin.buffer.read(MOST_BYTES + 1)
        with open(file, "rb") as opened:
            return opened.read(MOST_BYTES + 1)
