"""Make services and data sets as a document says. Source: Developer experience §5."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from config.management import parts
from config.management.parts import Faults, Refused
from config.rest import strict_json


class Command(BaseCommand):
    help = (
        "Make services and data sets as a JSON document says, all or nothing; safe to repeat. Prints the document "
        "completed with ids and new secrets. Example: manage.py provision services.json. "
        "Exit code 0, or 1 with one line for each fault."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the document; - reads standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        faults = Faults()
        completed = apply(_read(file), faults)
        if faults.lines:
            for line in faults.lines:
                self.stderr.write(line)
            sys.exit(1)
        self.stdout.write(json.dumps(completed, indent=2, ensure_ascii=False))


def apply(document: dict[str, object], faults: Faults) -> dict[str, object]:
    """Apply each key by its area's part, in one transaction that any fault undoes. Returns the completed document."""
    completed = dict(document)
    by_key = {part.provision_key: part for part in parts.registered()}
    for unknown in document.keys() - by_key.keys():
        faults.add(unknown, "is not a known key")
    with transaction.atomic():
        for key, part in by_key.items():
            if key in document:
                completed[key] = part.provision(document[key], faults)
        if faults.lines:
            transaction.set_rollback(True)
    return completed


def _read(file: str) -> dict[str, object]:
    try:
        text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from error
    try:
        document = strict_json.loads(text, skip_mark=True, storable=True)
    except strict_json.JSONRefused as error:
        raise Refused(f"The document is not JSON: {error} {error.place}".rstrip()) from error
    if not isinstance(document, dict):
        raise Refused("The document must be a JSON object.")
    return document
