"""Create data sets, tokens and records for tests, and call the API."""

import json
from typing import Any

from django.test import Client

from datasets import records, store, tokens
from datasets.models import DataGroup, DataSet, DataType
from datasets.queries import parameters, raw, written
from datasets.queries.readers import ALL as ALL

BOUNDS = parameters.Bounds(default_limit=100_000, max_limit=100_000)


def make_data_set(group: str = "pay", type: str = "volumes", **settings: Any) -> DataSet:
    return DataSet.objects.create(
        group=DataGroup.objects.get_or_create(name=group)[0],
        type=DataType.objects.get_or_create(name=type)[0],
        **settings,
    )


def make_token(data_set: DataSet, *scopes: str, **fields: Any) -> str:
    return tokens.issue(data_set, scopes or ("write", "read"), **fields)[1]


def some_records(count: int, **fields: Any) -> list[dict[str, Any]]:
    return [{"_timestamp": "2024-01-01T00:00:00Z", "_id": f"r{n:06}", "n": n, **fields} for n in range(count)]


def put_in(data_set: DataSet, values: list[dict[str, Any]]) -> None:
    checked = records.check(values, auto_ids=data_set.auto_ids or ())
    store.append(data_set.pk, checked, has_segments=data_set.columns_until is not None)


def stored(data_set: DataSet) -> dict[str, dict[str, Any]]:
    """Return every record by `_id` as a reader gets it, including computed fields."""
    data_set = DataSet.objects.get(pk=data_set.pk)  # emptying may have given it another store
    query = parameters.parse("", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    found = [json.loads(written.record(row)) for row in raw.Page(data_set.store_id, query).rows]
    assert len(found) == data_set.records.count()
    return {record["_id"]: record for record in found}


def call(method: str, data_set: DataSet, secret: str, body: Any = None, *, query: str = "", **headers: str) -> Any:
    """Call the API with Django's client. `body`: bytes, or a value to send as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
    sent = {"Authorization": f"Bearer {secret}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    path = f"/data/{data_set.group}/{data_set.type}" + (f"?{query}" if query else "")
    return Client().generic(method, path, data, content_type="application/json", headers=sent)
