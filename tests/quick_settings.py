"""The service's settings with shorter intervals, for tests that stop a worker and wait for another one."""

from config.settings import *  # noqa: F403

DELIVERY_CLAIM_SECONDS = 10  # a busy machine may pause a worker for some seconds, and its messages must not go twice
