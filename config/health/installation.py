"""Gauges of the installation: version, worker processes, database connections, replica and clock.

Source: docs/reference/running.md §13.
"""

import platform
from collections.abc import Iterator

from django.db import connection
from prometheus_client.core import GaugeMetricFamily, Metric

from config.databases import replica
from config.queue import worker_processes
from config.queue.presence import Presence
from config.version import VERSION

_CONNECTIONS = """
SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' GROUP BY 1
"""
_MOST_CONNECTIONS = "SELECT current_setting('max_connections')::int"


def gauges() -> Iterator[Metric]:
    build = GaugeMetricFamily("signalbox_build_info", "The running version; always 1", labels=["version", "python"])
    build.add_metric([VERSION, platform.python_version()], 1)
    yield build
    processes = GaugeMetricFamily(
        "signalbox_worker_processes", "Processes that run the tasks of a queue", labels=["queue"]
    )
    for queue, number in worker_processes.numbers().items():
        processes.add_metric([queue], number)
    yield processes
    if connection.vendor == "postgresql":
        yield from _connections()
    ticked_at = Presence.objects.filter(name="clock").values_list("seen_at", flat=True).first()
    if ticked_at:
        help = "Time of the last tick of a clock"
        yield GaugeMetricFamily("signalbox_clock_last_tick_timestamp_seconds", help, value=ticked_at.timestamp())
    lag = replica.lag_seconds()
    if lag is not None:
        help = "Seconds by which the replica is behind; +Inf if it does not answer"
        yield GaugeMetricFamily("signalbox_replica_lag_seconds", help, value=lag)


def _connections() -> Iterator[Metric]:
    states = GaugeMetricFamily(
        "signalbox_database_connections", "Connections to this database, by state", labels=["state"]
    )
    with connection.cursor() as cursor:
        cursor.execute(_CONNECTIONS)
        for state, number in cursor.fetchall():
            states.add_metric([state], number)
        cursor.execute(_MOST_CONNECTIONS)
        (most,) = cursor.fetchone()
    yield states
    yield GaugeMetricFamily("signalbox_database_connections_max", "Connections that the server allows", value=most)
