"""Run a worker: it sends what is waiting."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.celery import app


class Command(BaseCommand):
    help = "Run a worker until it is stopped. Example: manage.py worker --concurrency 4. Exit code 0 after a stop."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="tasks at the same time (2)")

    def handle(self, *args: Any, **options: Any) -> None:
        # Gossip, mingle and heartbeat are talk between workers: the file queue cannot carry it, and nobody listens.
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        app.worker_main(
            ["--quiet", "worker", "--loglevel", "INFO", "--concurrency", str(options["concurrency"]), *quiet]
        )
