"""Run a worker, which sends messages and runs tasks."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.databases import statements
from config.queue.pools import Pool, Pools


class Command(BaseCommand):
    help = (
        "Run a worker until it is stopped. It has a pool of processes for each kind of work, or one pool for the "
        "queues that you name. Example: manage.py worker --queues send-email --concurrency 8. "
        "Exit code: 0 after a stop."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--concurrency",
            type=int,
            default=2,
            help="number of messages that a channel sends at the same time (default: 2); with --queues: of tasks",
        )
        parser.add_argument(
            "--queues", default="", help=f"only these queues, separated by commas: {', '.join(settings.WORKER_QUEUES)}"
        )

    def handle(self, *args: Any, concurrency: int, queues: str, **options: Any) -> None:
        statements.allow(statements.WORKER_SECONDS)
        if concurrency < 1:
            raise CommandError("--concurrency must be 1 or more.")
        Pools(_pools(queues, concurrency)).run()


def _pools(queues: str, concurrency: int) -> list[Pool]:
    named = tuple(name.strip() for name in queues.split(",") if name.strip())
    unknown = [name for name in named if name not in settings.WORKER_QUEUES]
    if unknown:
        raise CommandError(f"--queues: {', '.join(unknown)} must be one of {', '.join(settings.WORKER_QUEUES)}.")
    if named:
        return [Pool(queues=named, processes=concurrency)]
    return [Pool(queues=of, processes=size or concurrency) for of, size in settings.WORKER_POOLS.items()]
