"""Run a worker, which sends messages and runs tasks."""

import os
from argparse import ArgumentParser
from functools import partial
from math import ceil
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.management.supervision import Child, Ready, Supervisor
from config.queue import worker
from config.queue.app import app
from config.queue.worker import ThreadGroup

MOST_THREADS = 4  # of a queue in a process, because the threads of a process share one processor core

log = structlog.get_logger()


class Command(BaseCommand):
    help = (
        "Run a worker until it is stopped. It has threads for each kind of work, in three processes, or only for "
        "the queues that you name. Example: manage.py worker --queues send-email --concurrency 8. "
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
        if concurrency < 1:
            raise CommandError("--concurrency must be 1 or more.")
        processes = processes_for(queues, concurrency)
        if os.geteuid() == 0:
            log.warning("worker.runs_as_root")
        app.loader.import_default_modules()
        ready = Ready()
        programs = {name: partial(worker.run, groups, ready=ready.note) for name, groups in processes.items()}

        def died(child: Child) -> None:
            log.error("worker.process_died", process=child.name, code=child.code)

        supervisor = Supervisor(programs, died=died, grace_seconds=worker.STOP_SECONDS)
        if fallen := supervisor.run(lambda: ready.have(len(programs)), lambda: log.info("worker.ready")):
            raise CommandError(f"The process {fallen.name} {fallen.ending}.")


def processes_for(queues: str, concurrency: int) -> dict[str, list[ThreadGroup]]:
    """Return the groups of each process. Raises CommandError."""
    named = tuple(name.strip() for name in queues.split(",") if name.strip())
    unknown = [name for name in named if name not in settings.WORKER_QUEUES]
    if unknown:
        raise CommandError(f"--queues: {', '.join(unknown)} must be one of {', '.join(settings.WORKER_QUEUES)}.")
    first, *others = _shares(concurrency)
    if named:
        return {
            f"queues-{n}": [ThreadGroup(queues=named, threads=share)] for n, share in enumerate([first, *others], 1)
        }
    processes = {name: worker.groups_of(name, first) for name in settings.WORKER_PROCESSES}
    for number, share in enumerate(others, 2):
        for name, groups in settings.WORKER_PROCESSES.items():
            if growing := [
                ThreadGroup(queues=queues, threads=share) for queues, threads in groups.items() if not threads
            ]:
                processes[f"{name}-{number}"] = growing
    return processes


def _shares(concurrency: int) -> list[int]:
    """Divide the threads evenly over the processes, with at most MOST_THREADS each."""
    number = ceil(concurrency / MOST_THREADS)
    return [concurrency // number + (place < concurrency % number) for place in range(number)]
