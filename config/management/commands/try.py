"""Send one message or write one record to the running service through its API."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config import areas, env


class Command(BaseCommand):
    help = (
        "Call the running service once over HTTP with the demo key or token. Example: manage.py try email. "
        "Exit codes: 0 on success, 1 with the error of the service, 2 for an unknown target."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", choices=sorted(_tries()), help="what to try")

    def handle(self, *args: Any, target: str, **options: Any) -> None:
        try:
            self.stdout.write(_tries()[target](settings.BASE_URL, env.demo_values()))
        except KeyError as error:
            raise CommandError(
                f"{error.args[0]} is not in .demo.env: start the service once with `make run`."
            ) from error


def _tries() -> dict[str, Any]:
    return {name: function for part in areas.commands() for name, function in part.tries.items()}
