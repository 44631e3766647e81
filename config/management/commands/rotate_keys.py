"""Seal every secret at rest under the first of FIELD_KEYS; then the old key may go."""

from typing import Any

from django.core.management.base import BaseCommand

from config.management import parts, sealed_columns
from config.management.parts import Refused
from config.sealing import SealBroken


class Command(BaseCommand):
    help = (
        "Seal every secret at rest under the first of FIELD_KEYS; afterwards the other keys may be removed. "
        "Example: FIELD_KEYS=new,old manage.py rotate_keys. Exit code 0, or 1 where a value does not open."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for column in (*sealed_columns.PLATFORM, *(column for part in parts.registered() for column in part.sealed)):
            try:
                self.stdout.write(f"{column.name}: {column.reseal()}")
            except SealBroken as error:
                raise Refused(
                    f"{column.name}: a value does not open with any of FIELD_KEYS; keep the old keys."
                ) from error
