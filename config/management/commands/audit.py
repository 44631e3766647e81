"""Verify or export the audit trail."""

import json
import logging
import re
import socket
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import closing, nullcontext
from logging.handlers import SysLogHandler
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.core.management.base import BaseCommand, CommandError

from config.audit import signatures
from config.audit.models import AuditEvent, AuditLink
from config.audit.verification import Point, Verification, contains

SHOWN = 20


class Command(BaseCommand):
    help = (
        "Verify or export the audit trail. verify finds entries that were changed, removed or added in the database "
        "itself, and prints the newest point of the chain. Keep that line elsewhere, and pass it to --expect later. "
        "export prints one JSON object per line, or sends them to a syslog server. "
        "Examples: manage.py audit verify; manage.py audit export --after 1200 > audit.ndjson. "
        "Exit codes: 0 on success, 1 if the trail has errors or the server cannot be reached."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        verify = actions.add_parser("verify", help="find changed, removed and added entries")
        verify.add_argument(
            "--expect", type=_point, metavar="NUMBER:HASH", help="a point that an earlier verification printed"
        )
        exporting = actions.add_parser(
            "export", help="print the entries as JSON, one per line, in the order of commits"
        )
        exporting.add_argument("--after", type=int, default=0, metavar="NUMBER", help="only entries after this number")
        exporting.add_argument("--syslog", type=_server, metavar="URL", help="udp://host:514 or tcp://host:601")
        exporting.add_argument(
            "--state",
            type=Path,
            metavar="FILE",
            help="a file with the number of the last exported entry: the export starts there, and updates it",
        )

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        if action == "verify":
            self._verify(options["expect"])
        else:
            self._export(options["after"], options["syslog"], options["state"])

    def _verify(self, expected: Point | None) -> None:
        verification, errors = Verification(), 0
        for found in verification.discrepancies():
            errors += 1
            if errors <= SHOWN:
                self.stdout.write(f"✗ {found.sequence or '-'} {found.event_id}: {found.text}")
        if expected and not contains(expected):
            errors += 1
            self.stdout.write(f"✗ {expected.sequence}: The chain does not contain the expected point.")
        newest = verification.newest
        self.stdout.write(f"Entries: {verification.events}. Newest point: {newest.sequence}:{newest.chain_hash}")
        if errors:
            raise CommandError(f"The audit trail has {errors} errors. See docs/operations.md, “Audit trail”.")

    def _export(self, after: int, url: SplitResult | None, state: Path | None) -> None:
        try:
            after = int(state.read_text()) if state and state.exists() else after
        except ValueError as error:
            raise CommandError(f"{state} does not contain a number.") from error
        try:
            with closing(_Syslog(url)) if url else nullcontext() as server:
                for number, line in _lines(after=after):
                    if server:
                        server.emit(logging.makeLogRecord({"msg": f"signalbox-audit: {line}", "levelname": "INFO"}))
                    else:
                        self.stdout.write(line)
                        self.stdout.flush()  # the state counts only what has been written
                    after = number
        except OSError as error:
            raise CommandError(f"The entries after {after} could not be sent: {error}") from error
        finally:
            if state:
                new = state.with_name(f"{state.name}.new")
                new.write_text(f"{after}\n")
                new.replace(state)


class _Syslog(SysLogHandler):
    """Sends one entry as one message. A connection error ends the export."""

    append_nul = False

    def __init__(self, url: SplitResult) -> None:
        kind = socket.SOCK_STREAM if url.scheme == "tcp" else socket.SOCK_DGRAM
        super().__init__((str(url.hostname), int(url.port or 0)), SysLogHandler.LOG_AUTH, kind)
        self.formatter = logging.Formatter("%(message)s\n" if url.scheme == "tcp" else "%(message)s")

    def handleError(self, record: logging.LogRecord) -> None:
        raise


def _server(text: str) -> SplitResult:
    url = urlsplit(text)
    if url.scheme not in {"udp", "tcp"} or not url.hostname or not url.port:
        raise ArgumentTypeError(f"{text} must be such as udp://host:514 or tcp://host:601")
    return url


def _point(text: str) -> Point:
    match = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text)
    if not match:
        raise ArgumentTypeError("must be a number, a colon and 64 hexadecimal digits")
    return Point(sequence=int(match[1]), chain_hash=match[2])


_AT_ONCE = 1000


def _lines(*, after: int) -> Iterator[tuple[int, str]]:
    """Yield the number and the JSON of each entry, in the order of the chain.

    after: the number of the last entry that is not wanted; 0 for all
    """
    while links := list(AuditLink.objects.filter(sequence__gt=after).order_by("sequence")[:_AT_ONCE]):
        events = AuditEvent.objects.in_bulk([link.event_id for link in links])
        for link in links:
            after = link.sequence
            if event := events.get(link.event_id):
                yield link.sequence, _line(link, event)


def _line(link: AuditLink, event: AuditEvent) -> str:
    values = {"sequence": link.sequence} | {name: getattr(event, name) for name in signatures.SIGNED}
    values |= {"signature": event.signature, "chain_hash": link.chain_hash}
    return json.dumps(values, default=signatures.plain, ensure_ascii=False)
