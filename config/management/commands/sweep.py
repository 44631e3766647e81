"""Run the clean-up and catch-up rules now, as the clock would."""

from argparse import ArgumentParser
from datetime import timedelta
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand

from config.management import parts


class Command(BaseCommand):
    help = (
        "Run one rule, or all, and say how many rows each dealt with; safe beside the clock. "
        "Example: manage.py sweep. Exit code 0, or 2 for an unknown rule."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rule", nargs="?", choices=sorted(_names()), help="all rules when it is left out")
        parser.add_argument(
            "--older-than",
            type=float,
            metavar="HOURS",
            help="for files: how old a blob without a row must be; 0 only while nothing is being sent",
        )

    def handle(self, *args: Any, rule: str | None, older_than: float | None, **options: Any) -> None:
        age = None if older_than is None else timedelta(hours=older_than)
        for part in parts.registered():
            rules = part.sweeps | {name: partial(run, age) for name, run in part.aged_sweeps.items()}
            for name, run in rules.items():
                if rule in {None, name}:
                    self.stdout.write(f"{name}: {run()}")


def _names() -> list[str]:
    return [name for part in parts.registered() for name in (*part.sweeps, *part.aged_sweeps)]
