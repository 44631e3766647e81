"""Encrypt every stored secret under the first of FIELD_KEYS, so that the old key can be removed."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import encrypted_columns
from config.encryption import DecryptionFailed


class Command(BaseCommand):
    help = (
        "Encrypt every stored secret with the first of FIELD_KEYS. Then you can remove the other keys. "
        "Example: FIELD_KEYS=new,old manage.py rotate_keys. "
        "Exit codes: 0 on success, 1 if a value cannot be decrypted."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for column in encrypted_columns.all_columns():
            try:
                self.stdout.write(f"{column.name}: {column.rotate_keys()}")
            except DecryptionFailed as error:
                raise CommandError(
                    f"{column.name}: none of FIELD_KEYS decrypts one of the values. Keep the old keys."
                ) from error
