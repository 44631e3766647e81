"""Encrypt every stored secret under the first of FIELD_KEYS, so that the old key can be removed."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import areas
from config.accounts.encrypted_columns import ENCRYPTED_COLUMNS
from config.encryption import DecryptionFailed


class Command(BaseCommand):
    help = (
        "Encrypt every secret at rest under the first of FIELD_KEYS; afterwards the other keys may be removed. "
        "Example: FIELD_KEYS=new,old manage.py rotate_keys. Exit code 0, or 1 where a value does not open."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for column in (*ENCRYPTED_COLUMNS, *(column for part in areas.commands() for column in part.encrypted_columns)):
            try:
                self.stdout.write(f"{column.name}: {column.rotate_keys()}")
            except DecryptionFailed as error:
                raise CommandError(
                    f"{column.name}: a value does not open with any of FIELD_KEYS; keep the old keys."
                ) from error
