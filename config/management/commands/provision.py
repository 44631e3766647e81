"""Create or change services and data sets from a JSON document. Source: docs/reference/running.md §5."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from config import areas
from config.areas import DocumentErrors
from config.databases.races import again_if_raced, wait_for_others
from config.management.document import load


class Command(BaseCommand):
    help = (
        "Create or change services and data sets from a JSON document in one transaction. It is safe to repeat. "
        "It prints the document with ids and new secrets. Example: manage.py provision services.json. "
        "Exit codes: 0 on success, 1 with one line for each error."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="path of the document; - for standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        errors = DocumentErrors()
        completed = apply(load(file), errors)
        if errors.lines:
            for line in errors.lines:
                self.stderr.write(line)
            sys.exit(1)
        self.stdout.write(json.dumps(completed, indent=2, ensure_ascii=False))


def apply(declared: dict[str, object], errors: DocumentErrors) -> dict[str, object]:
    """Apply each key with the part of its area and return the completed document. An error rolls everything back."""
    completed = dict(declared)
    by_key = {part.provision_key: part.provision for part in areas.commands()}
    by_key |= {part.key: part.apply for part in areas.parts(areas.ProvisionKey)}

    def act() -> None:
        errors.lines.clear()
        for unknown in declared.keys() - by_key.keys():
            errors.add(unknown, "is not a known key")
        with transaction.atomic():
            # Of two documents that name a new service, the second must find it, not be refused for its name.
            wait_for_others("provision")
            for key, apply_key in by_key.items():
                if key in declared:
                    completed[key] = apply_key(declared[key], errors)
            if errors.lines:
                transaction.set_rollback(True)

    again_if_raced(act)
    return completed
