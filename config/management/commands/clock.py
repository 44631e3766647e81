"""Run the clock, which publishes scheduled tasks."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.databases import statements
from config.queue.app import app


class Command(BaseCommand):
    help = (
        "Run the clock until it is stopped; a second one waits until the first is gone. "
        "Example: manage.py clock. Exit code 0 after a stop."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take no options."""

    def handle(self, *args: Any, **options: Any) -> None:
        statements.allow(statements.WORKER_SECONDS)
        app.start(["--quiet", "beat", "--loglevel", "INFO"])
