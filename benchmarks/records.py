"""Create data sets and records for figures: in a running product, as rows of its table, and as bodies of a POST."""

import http.client
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import psycopg

from benchmarks.frame.stand import Stand

CHANNELS = ("web", "phone", "post", "desk", "app", "kiosk", "fax", "chat")
START = datetime(2024, 1, 1, tzinfo=UTC)
YEAR = "start_at=2024-01-01T00:00:00Z&end_at=2025-01-01T00:00:00Z"
COPY = "COPY datasets_record (record_id, timestamp, body, data_set_id, updated_at) FROM STDIN"

# The same records as `small` makes, spread over the year 2024.
_FILL = """
INSERT INTO datasets_record (data_set_id, record_id, timestamp, body, updated_at)
SELECT %(id)s, 'r' || to_char(n, 'FM000000000'),
       timestamptz '2024-01-01Z' + n * (interval '366 days' / %(count)s),
       ('{"channel":"' || (%(channels)s::text[])[n %% 8 + 1] || '","count":' || n::bigint * 7919 %% 1000
        || ',"name":"office ' || n %% 97 || '"}')::json, now()
FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n
"""
_AT_ONCE = 500_000

_number = count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Writable:
    """One data set of the product with a token to write and read."""

    id: int
    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}

    def connect(self) -> http.client.HTTPConnection:
        address = urlsplit(self.url)
        return http.client.HTTPConnection(str(address.hostname), address.port, timeout=300)


def make(it: Stand) -> Writable:
    name = f"bench-{next(_number)}"
    document = {"data_sets": [{"group": "bench", "type": name, "tokens": [{"scopes": ["write", "read"]}]}]}
    done = it.service.manage("provision", "-", input=json.dumps(document))
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["data_sets"]
    return Writable(id=row["id"], url=f"{it.service.url}/data/bench/{name}", token=row["tokens"][0]["token"])


def fill(it: Stand, data_set: Writable, records: int) -> None:
    """Store records without the product, and update its count of them."""
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        for first in range(0, records, _AT_ONCE):
            last = min(first + _AT_ONCE, records) - 1
            given = {"id": data_set.id, "count": records, "channels": list(CHANNELS), "first": first, "last": last}
            connection.execute(_FILL, given)
        connection.execute(
            "UPDATE datasets_dataset SET record_count = %s, revision = revision + 1 WHERE id = %s",
            [records, data_set.id],
        )
        connection.execute("VACUUM ANALYZE datasets_record")


def remove(it: Stand) -> None:
    """Delete the records of all data sets."""
    with psycopg.connect(it.postgres.url, autocommit=True) as connection:
        connection.execute("TRUNCATE datasets_record")


def small(number: int) -> dict[str, Any]:
    own = {"channel": CHANNELS[number % 8], "count": number * 7919 % 1000, "name": f"office {number % 97}"}
    return _service_fields(number) | own


def later(number: int) -> dict[str, Any]:
    """Return a record like `small` that is later than all records of `fill`, by time and by `_id`."""
    after = START + timedelta(days=367, seconds=number % 1_000_000_000)
    return small(number) | {"_id": f"t{number:012}", "_timestamp": after.isoformat()}


def wide(number: int) -> dict[str, Any]:
    """Return a record with twenty fields: texts, whole numbers, decimals, booleans and nulls."""
    fields: dict[str, Any] = {f"text_{n}": f"value {number * n % 1000}" for n in range(8)}
    fields |= {f"count_{n}": number * n % 10_007 for n in range(6)}
    fields |= {f"share_{n}": (number + n) % 997 / 997 for n in range(3)}
    return _service_fields(number) | fields | {"is_open": number % 2 == 0, "closed": None, "kind": "b"}


def ids() -> Iterator[int]:
    """Yield numbers of records that do not exist yet."""
    return (next(_number) + 1_000_000_000 for _ in count())


def rows(data_set_id: int, records: Sequence[dict[str, Any]]) -> list[str]:
    """Return the records in COPY's text format, in blocks of a thousand lines."""
    now = datetime.now(UTC).isoformat()
    lines = [
        f"{record['_id']}\t{record['_timestamp']}\t{_body(record)}\t{data_set_id}\t{now}\n".replace("\\", "\\\\")
        for record in records
    ]
    return ["".join(lines[first : first + 1000]) for first in range(0, len(lines), 1000)]


def _body(record: dict[str, Any]) -> str:
    own = {name: value for name, value in record.items() if not name.startswith("_")}
    return json.dumps(own, separators=(",", ":"))


def _service_fields(number: int) -> dict[str, Any]:
    return {"_id": f"n{number:012}", "_timestamp": (START + timedelta(seconds=number % 31_000_000)).isoformat()}
