"""Run the clock, which publishes scheduled tasks."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.databases import statements
from config.queue.app import app


class Command(BaseCommand):
    help = (
        "Run the clock, which publishes scheduled tasks, until it is stopped. A second clock waits until the first "
        "one ends. Example: manage.py clock. Exit code: 0 after a stop."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add no options."""

    def handle(self, *args: Any, **options: Any) -> None:
        statements.allow(statements.WORKER_SECONDS)
        app.start(["--quiet", "beat", "--loglevel", "INFO"])
