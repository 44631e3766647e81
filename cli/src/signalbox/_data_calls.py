"""Calls of one data set: single records, its schema, undoing an emptying, and imports of files. `DataSet` has them."""

import json as json_
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from signalbox._calls import Call, cleaned, get, segment, send
from signalbox._records import WRITE_SECONDS, Record, StoredRecord, encoded

QUOTE = '"'  # around an entity tag


def get_record(path: str, token: str | None, record_id: str) -> Call[StoredRecord]:
    """Return one record, with its `etag`. Raises NotFound.

    >>> visits.write([{"_timestamp": "2026-11-20T09:00:00Z", "_id": "one", "count": 1}])
    1
    >>> visits.get_record("one")["count"]
    1
    """
    return replace(get(_of_record(path, record_id), credentials="data"), token=token, has_etag=True)


def change_record(
    path: str,
    token: str | None,
    record_id: str,
    record: Record,
    *,
    reason: str | None = None,
    if_match: str | None = None,
    dry_run: bool = False,
) -> Call[dict[str, Any]]:
    """Replace one record as a whole. Raises NotFound, and Conflict if it has another `etag` than `if_match`.

    reason: kept in the audit; if_match: the `etag` of the record that you have read; dry_run: only check it

    >>> visits.write([{"_timestamp": "2026-11-20T09:00:00Z", "_id": "one", "count": 1}])
    1
    >>> visits.change_record("one", {"_timestamp": "2026-11-20T09:00:00Z", "count": 2}, reason="a typo")["status"]
    'ok'
    """
    headers = {"Content-Type": "application/json", **_edit(reason, if_match)}
    call = send("PUT", _of_record(path, record_id), credentials="data", is_repeatable=True)
    return replace(call, token=token, content=encoded(record), headers=headers, params=_dry(dry_run))


def delete_record(
    path: str,
    token: str | None,
    record_id: str,
    *,
    reason: str | None = None,
    if_match: str | None = None,
    dry_run: bool = False,
) -> Call[dict[str, Any]]:
    """Delete one record. Raises NotFound, and Conflict as `change_record` does.

    >>> visits.write([{"_timestamp": "2026-11-20T09:00:00Z", "_id": "one", "count": 1}])
    1
    >>> visits.delete_record("one", dry_run=True)["removed"]
    1
    """
    call = send("DELETE", _of_record(path, record_id), credentials="data")
    return replace(call, token=token, headers=_edit(reason, if_match), params=_dry(dry_run))


def delete_records(
    path: str, token: str | None, where: str, *, reason: str | None = None, dry_run: bool = False
) -> Call[dict[str, Any]]:
    """Delete the records that match a condition. dry_run: only count them.

    >>> visits.delete_records('page = "/no-such-page"', dry_run=True)["removed"]
    0
    """
    call = send("DELETE", f"/data/{path}/records", credentials="data")
    return replace(call, token=token, headers=_edit(reason), params={"where": where, **_dry(dry_run)})


def undo(path: str, token: str | None) -> Call[dict[str, Any]]:
    """Bring back the records of the last emptying, within 24 hours.

    >>> visits.write([{"_timestamp": "2026-11-20T09:00:00Z", "count": 1}]), visits.empty()
    (1, 'demo_visits now contains 0 records')
    >>> visits.undo()["status"]
    'ok'
    """
    return replace(send("POST", f"/data/{path}/undo", credentials="data"), token=token)


def get_schema(path: str, token: str | None) -> Call[dict[str, Any]]:
    """Return the JSON Schema of the records.

    >>> visits.set_schema({"type": "object"}, mode="off")["status"], visits.get_schema()["type"]
    ('ok', 'object')
    """
    return replace(get(f"/data/{path}/schema", credentials="data"), token=token)


def set_schema(
    path: str, token: str | None, schema: Mapping[str, Any], *, mode: str | None = None
) -> Call[dict[str, Any]]:
    """Give the data set a schema. mode: `off`, `warn` or `enforce` for records that do not fit.

    >>> visits.set_schema({"type": "object", "required": ["count"]}, mode="off")["status"]
    'ok'
    """
    call = send("PUT", f"/data/{path}/schema", dict(schema), credentials="data", is_repeatable=True)
    return replace(call, token=token, params=cleaned({"mode": mode}))


def start_import(
    path: str,
    token: str | None,
    content: bytes,
    *,
    filename: str,
    settings: Mapping[str, Any] | str | None = None,
    dry_run: bool = False,
) -> Call[dict[str, Any]]:
    """Send a file that the service imports in the background, and return the import.

    filename: its ending gives the format, such as .csv, .xlsx, .ods, .ndjson, .json or .parquet
    settings: how its columns are read, or the name of saved settings
    dry_run: check all rows and store nothing

    >>> visits.start_import(csv_file.read_bytes(), filename="visits.csv", settings={"delimiter": ","})["state"]
    'reading'
    """
    boundary = uuid.uuid4().hex
    parts = [_part(boundary, "file", content, filename)]
    if isinstance(settings, Mapping):
        parts.append(_part(boundary, "settings", json_.dumps(dict(settings)).encode()))
    call = send("POST", f"/data/{path}/imports", credentials="data")
    return replace(
        call,
        token=token,
        content=b"".join([*parts, f"--{boundary}--\r\n".encode()]),
        headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
        params=({"settings": settings} if isinstance(settings, str) else {}) | _dry(dry_run),
        timeout_seconds=WRITE_SECONDS,
    )


def _part(boundary: str, name: str, content: bytes, filename: str | None = None) -> bytes:
    """Return a part of a multipart body, with the escapes of RFC 7578 as browsers write them."""
    shown = (filename or "").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    named = "" if filename is None else f'; filename="{shown}"'
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'
    return head.encode() + content + b"\r\n"


def get_imports(path: str, token: str | None, *, cursor: str | None = None) -> Call[dict[str, Any]]:
    """Return the imports of the last 7 days under `data`, the newest first, with the cursor of the next page.

    >>> imported = visits.start_import(csv_file.read_bytes(), filename="visits.csv")["id"]
    >>> visits.get_imports()["data"][0]["id"] == imported
    True
    """
    return replace(get(f"/data/{path}/imports", credentials="data", cursor=cursor), token=token)


def get_import(path: str, token: str | None, import_id: str) -> Call[dict[str, Any]]:
    """Return one import: its state, questions, errors and numbers of rows.

    >>> visits.get_import(visits.start_import(csv_file.read_bytes(), filename="visits.csv")["id"])["file"]["name"]
    'visits.csv'
    """
    return replace(get(f"/data/{path}/imports/{segment(import_id)}", credentials="data"), token=token)


def change_import(
    path: str,
    token: str | None,
    import_id: str,
    *,
    settings: Mapping[str, Any] | None = None,
    state: str | None = None,
) -> Call[dict[str, Any]]:
    """Answer the questions of an import with settings, or set its state to `paused` or `running`.

    >>> visits.change_import("6f1ed002-ab59-4ba6-8ed7-3b1e9bb0a7d4", state="paused")
    Traceback (most recent call last):
    signalbox.errors.NotFound: There is no such import in this data set. An import is deleted 7 days after its end.
    """
    body = {"settings": None if settings is None else dict(settings), "state": state}
    return replace(send("PATCH", f"/data/{path}/imports/{segment(import_id)}", body, credentials="data"), token=token)


def cancel_import(path: str, token: str | None, import_id: str) -> Call[dict[str, Any]]:
    """Cancel an import that is not finished. Rows that it has stored stay.

    >>> visits.cancel_import("6f1ed002-ab59-4ba6-8ed7-3b1e9bb0a7d4")
    Traceback (most recent call last):
    signalbox.errors.NotFound: There is no such import in this data set. An import is deleted 7 days after its end.
    """
    return replace(send("DELETE", f"/data/{path}/imports/{segment(import_id)}", credentials="data"), token=token)


def rejected_rows(path: str, token: str | None, import_id: str, format: str) -> Call[Any]:
    return replace(
        get(f"/data/{path}/imports/{segment(import_id)}/rejected", credentials="data", format=format), token=token
    )


def get_saved_queries(*, token: str | None = None) -> Call[dict[str, Any]]:
    """Return the saved queries that the token may read under `data`: its own, or the public ones of its data set.

    >>> client.get_saved_queries()["data"][0]["id"]
    'demoVisitsWeekly'
    """
    return replace(get("/queries", credentials="data"), token=token)


def run_saved_query(query_id: str, *, token: str | None = None) -> Call[dict[str, Any]]:
    """Return the answer of a saved query, with its rows under `data`. token: of the query, unless it is public

    >>> client.run_saved_query("demoVisitsWeekly")["name"]
    'Visits by channel'
    """
    return replace(get(f"/queries/{segment(query_id)}.json", credentials="data"), token=token)


def _of_record(path: str, record_id: str) -> str:
    return f"/data/{path}/records/{segment(record_id)}"


def _edit(reason: str | None, if_match: str | None = None) -> dict[str, str]:
    headers = {} if reason is None else {"Change-Reason": quote(reason)}
    if if_match is not None:
        headers["If-Match"] = if_match if if_match == "*" else f'"{if_match.strip(QUOTE)}"'
    return headers


def _dry(is_dry: bool) -> dict[str, str]:
    return {"dry_run": "true"} if is_dry else {}
