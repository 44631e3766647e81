"""Records of data sets: batches to write, parameters of queries, and files to import."""

import csv
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias

from signalbox._calls import Call, as_text, get
from signalbox.errors import SignalboxError

Record: TypeAlias = Any  # a mapping or a dataclass
BATCH_RECORDS = 1000
BATCH_BYTES = 4 * 1024 * 1024
WRITE_SECONDS = 60.0


def encoded(record: Record) -> bytes:
    """Return a record as JSON. Times become ISO 8601.

    >>> from datetime import UTC
    >>> encoded({"_timestamp": datetime(2026, 11, 20, 9, tzinfo=UTC), "count": 42})
    b'{"_timestamp":"2026-11-20T09:00:00+00:00","count":42}'
    """
    if is_dataclass(record) and not isinstance(record, type):
        record = asdict(record)
    if not isinstance(record, Mapping):
        raise SignalboxError(
            f"A record is a {type(record).__name__}", fix="Write mappings, such as dictionaries, or dataclasses."
        )
    try:
        return json.dumps(dict(record), default=_value, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise SignalboxError(
            "A record has a value that JSON cannot express",
            fix="Replace NaN and infinity by None, and write no nested data without an end.",
        ) from error


def _value(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return as_text(value)
    if hasattr(value, "item"):  # a number of numpy
        return value.item()
    return str(value)


class StoredRecord(dict[str, Any]):
    """A record as it is stored. etag: names this state of it, for `if_match`

    >>> visits.write([{"_timestamp": "2026-11-20T09:00:00Z", "_id": "one", "count": 1}])
    1
    >>> record = visits.get_record("one")
    >>> visits.change_record("one", {**record, "count": 2}, if_match=record.etag)["status"]
    'ok'
    """

    def __init__(self, values: Mapping[str, Any], etag: str) -> None:
        super().__init__(values)
        self.etag = etag


class Batches:
    """Join records to batches of limited length. `add` returns a full batch, `rest` the last one."""

    def __init__(self, size: int) -> None:
        self._size = max(size, 1)
        self._records: list[bytes] = []
        self._bytes = 0

    def add(self, record: Record) -> tuple[bytes, int] | None:
        line = encoded(record)
        full = self.rest() if self._records and self._bytes + len(line) > BATCH_BYTES else None
        self._records.append(line)
        self._bytes += len(line) + 1
        return full or (self.rest() if len(self._records) >= self._size else None)

    def rest(self) -> tuple[bytes, int] | None:
        """Return the records so far and their number, or None if there are none."""
        if not self._records:
            return None
        batch = b"[" + b",".join(self._records) + b"]", len(self._records)
        self._records, self._bytes = [], 0
        return batch


def write_batch(path: str, token: str | None, batch: bytes) -> Call[Any]:
    """Return the call that stores one batch, which may be repeated: the service stores it once."""
    return Call(
        method="POST",
        path=f"/data/{path}",
        credentials="data",
        token=token,
        content=batch,
        headers={"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())},
        is_repeatable=True,
        timeout_seconds=WRITE_SECONDS,
        has_status=True,
    )


def empty(path: str, token: str | None) -> Call[Any]:
    return Call(
        method="PUT",
        path=f"/data/{path}",
        credentials="data",
        token=token,
        json=[],
        is_repeatable=True,
        has_status=True,
    )


def question(path: str, token: str | None, parameters: Mapping[str, Any]) -> Call[dict[str, Any]]:
    """Return the call of a query. Keyword parameters have the names of the API."""
    call = get(f"/data/{path}", credentials="data", **{name: written(one) for name, one in parameters.items()})
    return replace(call, token=token)


def written(value: Any) -> Any:
    """Return a value as the API reads it.

    >>> written({"page": "/start"}), written(["a", "b"]), written(True), written({"count": ["sum", "max"]})
    (['page:/start'], ['a', 'b'], 'true', ['count:sum', 'count:max'])
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        pairs = ((name, one) for name, many in value.items() for one in (many if _is_list(many) else [many]))
        return [f"{str(name).replace(':', chr(92) + ':')}:{_scalar(one)}" for name, one in pairs]
    return [_scalar(one) for one in value] if _is_list(value) else as_text(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _scalar(value: Any) -> Any:
    return written(value) if isinstance(value, bool) else "null" if value is None else as_text(value)


def read_file(file: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file: .csv with a header, .json with a list, .ndjson or .jsonl.

    Numbers in a CSV become numbers if they are written as JSON writes them: `007` stays text. Blank cells are left out.
    Raises SignalboxError for a file that is not what its ending says.
    """
    path = Path(file)
    try:
        yield from _records_in(path)
    except (ValueError, csv.Error, RecursionError) as error:
        raise SignalboxError(
            f"{path} cannot be read: {reason_of(error)}", fix="Write it in UTF-8, as its ending says."
        ) from error


def reason_of(error: Exception) -> str:
    """Return why a text was not read, without its content."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 at byte {error.start}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _records_in(path: Path) -> Iterator[dict[str, Any]]:
    match path.suffix.lower():
        case ".csv":
            with path.open(encoding="utf-8-sig", newline="") as lines:
                for row in csv.DictReader(lines):
                    yield {name: _cell(cell) for name, cell in row.items() if name and cell}
        case ".ndjson" | ".jsonl":
            with path.open(encoding="utf-8") as lines:
                yield from (json.loads(line) for line in lines if line.strip())
        case ".json":
            found = json.loads(path.read_text(encoding="utf-8"))
            yield from found if isinstance(found, list) else [found]
        case other:
            raise SignalboxError(f"Files with the ending {other!r} are not known", fix="Use .csv, .json or .ndjson.")


def _cell(text: str) -> Any:
    """Return the value of a cell.

    >>> _cell("42"), _cell("4.5"), _cell("007"), _cell("true"), _cell("1e3")
    (42, 4.5, '007', True, '1e3')
    """
    if text in {"true", "false"}:
        return text == "true"
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text and text not in {"inf", "nan", "-inf"}:
            return value
    return text


def as_rows(rows: Iterable[Mapping[str, Any]], kind: type[Any] | None) -> list[Any]:
    """Return rows as they are, or as objects of a dataclass, whose fields choose from the row.

    A name that starts with an underscore, such as `_timestamp`, fills the field without it.
    """
    if kind is None:
        return list(rows)
    names = [one.name for one in fields(kind)]
    return [kind(**{n: row[n] if n in row else row.get(f"_{n}") for n in names}) for row in rows]
