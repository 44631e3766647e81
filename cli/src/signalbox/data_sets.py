"""Data sets: write records, ask questions, and go through all records."""

import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, overload

from signalbox import _data_calls, _records
from signalbox._binding import AsyncCaller, Streamer, of_data_set, of_data_set_async
from signalbox._records import BATCH_RECORDS, Record
from signalbox.errors import SignalboxError

Row = TypeVar("Row")
_PATH = re.compile("[a-z0-9][a-z0-9_-]{0,59}/[a-z0-9][a-z0-9_-]{0,59}")


class _Named:
    def __init__(self, path: str, token: str | None) -> None:
        if not _PATH.fullmatch(path.strip("/")):
            raise SignalboxError(f"{path!r} is no data set", fix="Write its path, such as demo/visits.")
        self.path = path.strip("/")
        self._token = token

    def __repr__(self) -> str:
        return f"<data set {self.path}>"

    def _batch(self, batch: tuple[bytes, int]) -> Any:
        return _records.write_batch(self.path, self._token, batch[0])


class DataSet(_Named):
    """One data set, with the methods of a program that waits for answers.

    >>> visits.path
    'demo/visits'
    """

    def __init__(self, client: Streamer, path: str, token: str | None = None) -> None:
        super().__init__(path, token)
        self._client = client

    def write(self, records: Iterable[Record], *, batch_size: int = BATCH_RECORDS) -> int:
        """Store records of any iterable in batches, one after another, and return their number.

        Each batch is stored completely or not at all, and once, however often it is sent. Generators are read only
        as fast as the service stores. After an error the batches before it are stored, and its `written` is their
        number. With an `_id` in each record you can start again from the beginning.

        >>> visits.write({"_timestamp": f"2026-11-20T{hour:02}:00:00Z", "_id": f"doc-{hour}"} for hour in range(3))
        3
        """
        written = 0
        for batch in _all_batches(records, batch_size):
            try:
                self._client._run(self._batch(batch))
            except SignalboxError as error:
                error.written = written  # type: ignore[attr-defined]  # only errors of this method have it
                raise
            written += batch[1]
        return written

    def import_file(self, file: str | Path, *, batch_size: int = BATCH_RECORDS) -> int:
        """Store the records of a .csv, .json or .ndjson file, and return their number.

        >>> visits.import_file(csv_file)
        2
        """
        return self.write(_records.read_file(file), batch_size=batch_size)

    def empty(self) -> str:
        """Delete all records, and return the sentence of the service.

        >>> visits.empty()
        'demo_visits now contains 0 records'
        """
        return str(self._client._run(_records.empty(self.path, self._token))["message"])

    get_record = of_data_set(_data_calls.get_record)
    change_record = of_data_set(_data_calls.change_record)
    delete_record = of_data_set(_data_calls.delete_record)
    delete_records = of_data_set(_data_calls.delete_records)
    undo = of_data_set(_data_calls.undo)
    get_schema = of_data_set(_data_calls.get_schema)
    set_schema = of_data_set(_data_calls.set_schema)
    start_import = of_data_set(_data_calls.start_import)
    get_imports = of_data_set(_data_calls.get_imports)
    get_import = of_data_set(_data_calls.get_import)
    change_import = of_data_set(_data_calls.change_import)
    cancel_import = of_data_set(_data_calls.cancel_import)

    def rejected_rows(self, import_id: str, format: str = "csv") -> Iterator[bytes]:
        """Yield the rejected rows of an import as `csv` or `ndjson`, in blocks of bytes as they arrive.

        >>> imported = visits.start_import(csv_file.read_bytes(), filename="visits.csv")["id"]
        >>> b"".join(visits.rejected_rows(imported, "ndjson"))
        b''
        """
        yield from self._client._stream(_data_calls.rejected_rows(self.path, self._token, import_id, format))

    @overload
    def query(self, as_: type[Row], **parameters: Any) -> list[Row]: ...
    @overload
    def query(self, as_: None = None, **parameters: Any) -> list[dict[str, Any]]: ...
    def query(self, as_: type[Any] | None = None, **parameters: Any) -> list[Any]:
        """Return the rows of one answer. The parameters are those of the API; mappings become `name:value`.

        as_: a dataclass for the rows

        >>> day = {"start_at": "2026-11-20T00:00:00Z", "end_at": "2026-11-21T00:00:00Z", "period": "day"}
        >>> visits.query(filter_by={"page": "/no-such-page"}, **day)[0]["_count"]
        0
        """
        call = _records.question(self.path, self._token, parameters)
        return _records.as_rows(self._client._run(call)["data"], as_)

    def iter_records(self, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield all matching records, however many there are.

        >>> len(list(visits.iter_records(limit=2))) == len(visits.query())
        True
        """
        cursor = None
        while True:
            call = _records.question(self.path, self._token, {**parameters, "cursor": cursor})
            answer = self._client._run(call)
            yield from answer["data"]
            cursor = answer.get("next_cursor")
            if not cursor:
                return

    def download(self, format: str = "csv", **parameters: Any) -> Iterator[bytes]:
        """Yield all records as `csv` or `ndjson`, in blocks of bytes as they arrive.

        >>> b"".join(visits.download("csv")).startswith(b"_")
        True
        """
        call = _records.question(self.path, self._token, {**parameters, "format": format})
        yield from self._client._stream(call)

    def to_pandas(self, **parameters: Any) -> Any:
        """Return all matching records as a DataFrame of pandas, if that is installed."""
        import pandas

        return pandas.DataFrame.from_records(list(self.iter_records(**parameters)))

    def to_polars(self, **parameters: Any) -> Any:
        """Return all matching records as a DataFrame of Polars, if that is installed."""
        import polars

        return polars.from_dicts(list(self.iter_records(**parameters)))

    def to_arrow(self, **parameters: Any) -> Any:
        """Return all matching records as a table of Arrow, if that is installed."""
        import pyarrow

        return pyarrow.Table.from_pylist(list(self.iter_records(**parameters)))


class AsyncDataSet(_Named):
    """One data set, with the methods of `DataSet` for asyncio."""

    def __init__(self, client: AsyncCaller, path: str, token: str | None = None) -> None:
        super().__init__(path, token)
        self._client = client

    async def write(self, records: Iterable[Record] | AsyncIterable[Record], *, batch_size: int = BATCH_RECORDS) -> int:
        """Store records as `DataSet.write` does. The iterable may be asynchronous."""
        written = 0
        async for batch in _all_batches_async(records, batch_size):
            try:
                await self._client._run(self._batch(batch))
            except SignalboxError as error:
                error.written = written  # type: ignore[attr-defined]  # only errors of this method have it
                raise
            written += batch[1]
        return written

    async def empty(self) -> str:
        """Delete all records, and return the sentence of the service."""
        return str((await self._client._run(_records.empty(self.path, self._token)))["message"])

    get_record = of_data_set_async(_data_calls.get_record)
    change_record = of_data_set_async(_data_calls.change_record)
    delete_record = of_data_set_async(_data_calls.delete_record)
    delete_records = of_data_set_async(_data_calls.delete_records)
    undo = of_data_set_async(_data_calls.undo)
    get_schema = of_data_set_async(_data_calls.get_schema)
    set_schema = of_data_set_async(_data_calls.set_schema)
    start_import = of_data_set_async(_data_calls.start_import)
    get_imports = of_data_set_async(_data_calls.get_imports)
    get_import = of_data_set_async(_data_calls.get_import)
    change_import = of_data_set_async(_data_calls.change_import)
    cancel_import = of_data_set_async(_data_calls.cancel_import)

    async def query(self, as_: type[Any] | None = None, **parameters: Any) -> list[Any]:
        """Return the rows of one answer, as `DataSet.query` does."""
        answer = await self._client._run(_records.question(self.path, self._token, parameters))
        return _records.as_rows(answer["data"], as_)

    async def iter_records(self, **parameters: Any) -> AsyncIterator[dict[str, Any]]:
        """Yield all matching records, however many there are."""
        cursor = None
        while True:
            call = _records.question(self.path, self._token, {**parameters, "cursor": cursor})
            answer = await self._client._run(call)
            for record in answer["data"]:
                yield record
            cursor = answer.get("next_cursor")
            if not cursor:
                return


def _all_batches(records: Iterable[Record], size: int) -> Iterator[tuple[bytes, int]]:
    batches = _records.Batches(size)
    for record in records:
        if full := batches.add(record):
            yield full
    if rest := batches.rest():
        yield rest


async def _all_batches_async(
    records: Iterable[Record] | AsyncIterable[Record], size: int
) -> AsyncIterator[tuple[bytes, int]]:
    if not isinstance(records, AsyncIterable):
        for batch in _all_batches(records, size):
            yield batch
        return
    batches = _records.Batches(size)
    async for record in records:
        if full := batches.add(record):
            yield full
    if rest := batches.rest():
        yield rest
