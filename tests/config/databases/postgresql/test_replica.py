"""Reads of data sets come from the replica while it is in time, else from the primary. Source: docs/scaling.md, Parts.

The replica of these tests is a second database with other records, so that an answer shows where it comes from.
"""

import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import psycopg
import pytest
import requests
from django.db import connection

from config.databases import replica
from tests.config.test_metrics import value
from tests.datasets.test_http import Writer
from tests.servers import postgres_database, wait_until
from tests.service import MIGRATED, Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    service: Service
    primary: str
    replica: str

    def beat(self, url: str, seconds_ago: int) -> None:
        """Set when the clock ticked last, as this database knows it."""
        with psycopg.connect(url, autocommit=True) as database:
            database.execute("DELETE FROM process_presence WHERE name = 'clock'")
            database.execute(
                "INSERT INTO process_presence VALUES ('clock', 'test', now() - make_interval(secs => %s))",
                [seconds_ago],
            )


@pytest.fixture(scope="module")
def stand(start_service) -> Iterator[Stand | None]:
    """Start a service with a replica. None on SQLite, which has no replicas."""
    if connection.vendor != "postgresql":
        yield None
        return
    with ExitStack() as closing:
        server, name = os.environ["DATABASE_URL"], f"signalbox_{uuid.uuid4().hex[:12]}"
        first = closing.enter_context(postgres_database(server, name, template=MIGRATED))
        second = closing.enter_context(postgres_database(server, f"{name}_replica", template=MIGRATED))
        service: Service = start_service(DATABASE_URL=first, DATABASE_REPLICA_URL=second)
        yield Stand(service=service, primary=first, replica=second)
        service.stop()


def copied(stand: Stand, writer: Writer, record_id: str) -> None:
    """Copy the data sets to the replica, the last one with one other record."""
    with psycopg.connect(stand.primary) as primary, psycopg.connect(stand.replica) as other:
        other.execute("SET session_replication_role = replica")  # without the tables that it refers to
        other.execute("DELETE FROM datasets_dataset")
        with (
            primary.cursor().copy("COPY datasets_dataset TO STDOUT") as rows,
            other.cursor().copy("COPY datasets_dataset FROM STDIN") as stored,
        ):
            for row in rows:
                stored.write(row)
        other.execute(
            """INSERT INTO datasets_record (data_set_id, record_id, "timestamp", body, updated_at)
            SELECT id, %s, now(), '{}', now() FROM datasets_dataset ORDER BY id DESC LIMIT 1""",
            [record_id],
        )


def test_a_replica_in_time_is_read_and_a_late_one_is_not(stand: Stand | None) -> None:
    if stand is None:
        return
    writer = Writer(stand.service)
    assert writer.post([{"_id": "of-the-primary", "_timestamp": "2026-11-24T10:00:00Z"}]).status_code == 200
    copied(stand, writer, "of-the-replica")

    plain = writer.url

    def found(query: str = "") -> str:
        writer.url = plain + query
        return writer.call("GET").text

    in_time = [found(), found("?format=ndjson"), found("?format=ndjson&sort_by=_id:ascending")]
    for url, seconds in ((stand.primary, 0), (stand.replica, 60)):
        stand.beat(url, seconds)
    lag = value(stand.service, "signalbox_replica_lag_seconds")
    wait_until(lambda: "of-the-primary" in found())
    late = found("?format=ndjson")
    stand.beat(stand.replica, 0)
    wait_until(lambda: "of-the-replica" in found())

    assert all("of-the-replica" in text for text in in_time)
    assert 55 < lag < 65
    assert "of-the-primary" in late


def test_a_saved_query_is_not_answered_by_a_replica_without_the_last_writes(stand: Stand | None) -> None:
    if stand is None:
        return
    public = {"name": "Number", "question": {"range": {"kind": "all"}}, "public": True}
    writer = Writer(stand.service, saved_queries=[public])
    records = [{"_id": name, "_timestamp": "2026-11-24T10:00:00Z"} for name in "abc"]
    assert writer.post(records).status_code == 200
    for url in (stand.primary, stand.replica):
        stand.beat(url, 0)
    copied(stand, writer, "of-the-replica")

    def counted() -> object:
        answer = requests.get(f"{stand.service.url}/queries/{writer.saved_query_id}.json", timeout=60)
        return answer.json()["data"][0]["value"]

    in_time = counted()
    assert writer.post([{"_id": "d", "_timestamp": "2026-11-24T10:00:00Z"}]).status_code == 200
    assert [in_time, counted()] == [1, 4]


def test_without_a_replica_every_read_is_of_the_primary(db: None) -> None:
    with replica.reads():
        assert replica.connection().alias == "default"
    assert replica.lag_seconds() is None
