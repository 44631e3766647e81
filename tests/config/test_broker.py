"""A worker reconnects to a broker soon after an outage, however long it lasted."""

import pytest
from kombu.exceptions import OperationalError

from config.queue import broker
from config.queue.app import app
from tests.servers import free_port


def test_a_worker_reconnects_every_five_seconds_without_end():
    waits: list[float] = []
    connection = broker.SteadyConnection(f"redis://127.0.0.1:{free_port()}/0")

    with pytest.raises(OperationalError):
        connection.ensure_connection(lambda error, wait: waits.append(wait), max_retries=2, interval_step=9)

    assert isinstance(app.connection_for_read(), broker.SteadyConnection)
    assert waits[0] == 1
    assert max(waits) <= broker.RECONNECT_SECONDS
    assert app.conf.broker_connection_max_retries is None
