"""Make the demo data."""

from typing import Any

from django.core.management.base import BaseCommand

from config.management import demo


class Command(BaseCommand):
    help = (
        "Make the demo data that is not there yet. Example: manage.py demo. "
        "Exit code 0, or 1 where a provider could really send."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for line in demo.make():
            self.stdout.write(line)
