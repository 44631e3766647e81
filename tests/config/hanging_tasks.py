"""A task that hangs, as a client without a time-out would."""

import time

from celery import shared_task


@shared_task
def hang() -> None:
    time.sleep(3600)
