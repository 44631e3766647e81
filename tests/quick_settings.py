"""The service's settings with shorter waits, for tests that end a worker and watch another take over."""

from config.settings import *  # noqa: F403

DELIVERY_CLAIM_SECONDS = 4
