"""Store received texts as if a provider had posted them, for demos and tests.

Source: docs/reference/sending-api.md §19.3.
"""

import sys
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from config.areas import DocumentErrors
from config.management.document import load
from notifications.management.incoming import read_texts
from notifications.submission import receiving


class Command(BaseCommand):
    help = (
        'Store received texts from {"texts": [{"service": uuid, "from": "…", "content": "…", "to": "…"?}]}: all or '
        "none, in order. `to` is by default the service's default sender. Example: manage.py receive_text texts.json. "
        "Exit code 0, or 1 with one line for each error."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the JSON document; - reads standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        errors = DocumentErrors()
        texts = read_texts(load(file), errors)
        if errors.lines:
            for line in errors.lines:
                self.stderr.write(line)
            sys.exit(1)
        now = timezone.now()
        with transaction.atomic():
            for index, (service, text) in enumerate(texts):
                receiving.store(
                    service, text, at=now + timedelta(microseconds=index)
                )  # so that lists show them in order
        self.stdout.write(f"received: {len(texts)}")
