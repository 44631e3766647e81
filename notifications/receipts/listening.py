"""Receipts and texts that come in on a connection we keep: the processes of a worker that send texts listen.

Source: the sending contract §19.2, §19.3.
"""

from typing import Any

from celery import signals

from config.celery import app
from notifications.delivery import providers
from notifications.delivery.messages import Receipt
from notifications.receipts import taking
from notifications.submission import joining

QUEUE = "send-sms"  # its processes keep the binds anyway, to send; more binds than that no message centre likes


def _take_receipt(provider: str, receipt: Receipt) -> None:
    taking.take_in(provider, [receipt])


@signals.worker_process_init.connect
def listen(**kwargs: Any) -> None:  # Any: what the signal says of the process
    if QUEUE in app.amqp.queues.consume_from:
        for provider in providers.listening():
            provider.listen(_take_receipt, joining.take)


@signals.worker_process_shutdown.connect
def end(**kwargs: Any) -> None:  # Any: as above
    for provider in providers.listening():
        provider.end()
