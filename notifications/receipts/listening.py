"""Listeners for receipts and texts over open connections, in the worker processes that send texts.

Source: docs/reference/sending-api.md §19.2, §19.3.
"""

from typing import Any

from celery import signals

from config.queue import worker_processes
from notifications.delivery import providers
from notifications.receipts import taking
from notifications.submission import joining

QUEUE = "send-sms"  # its processes have binds for sending; message centres limit the number of binds


@signals.worker_process_init.connect
def listen(**kwargs: Any) -> None:  # Any: the arguments of the signal
    if QUEUE in worker_processes.this_process.queues:
        for provider in providers.listening():
            provider.listen(lambda name, receipt: taking.take_in(name, [receipt]), joining.take)


@signals.worker_process_shutdown.connect
def end(**kwargs: Any) -> None:  # Any: the arguments of the signal
    for provider in providers.listening():
        provider.end()
