"""Stream all records of a data set as a file in constant memory.

Source: docs/reference/console.md §3.18 (export).
"""

from collections.abc import Iterator
from wsgiref.util import FileWrapper

from django.http import StreamingHttpResponse

from config.console.pages import CSV, file_response
from config.databases import replica
from datasets.models import DataSet
from datasets.queries import csv_lines, engines, export, header, parameters, raw, time_limit, written
from datasets.queries.readers import Reader
from datasets.records import names

FORMS = {"csv": "CSV", "json": "JSON", "ndjson": "NDJSON", "parquet": "Parquet"}
_TYPES = {
    "csv": CSV,
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
_FIRST = ("_timestamp", "_id", "_start_at", "_end_at")  # the first columns of a CSV
_BOUNDS = parameters.Bounds(default_limit=1, max_limit=1)  # an export has no limit


def stream(data_set: DataSet, form: str, reader: Reader) -> StreamingHttpResponse:
    """Return the file. Raises QueryTooLarge, Busy."""
    if form == "parquet":
        query = parameters.parse("format=parquet", data_set_id=data_set.pk, bounds=_BOUNDS, reader=reader)
        with replica.reads():
            table = engines.table(data_set, query)
        return file_response(f"{data_set.name}.parquet", FileWrapper(table), content_type=_TYPES[form])
    with replica.reads(), time_limit.limited():
        blocks = export.begun(export.blocks(_text(data_set, form, reader)))
    return file_response(f"{data_set.name}.{form}", replica.read_from(blocks), content_type=_TYPES[form])


def _text(data_set: DataSet, form: str, reader: Reader) -> Iterator[str]:
    query = parameters.parse("format=ndjson", data_set_id=data_set.pk, bounds=_BOUNDS, reader=reader)
    if form == "csv":
        sent = set(header.of(data_set, query)) - names.COMPUTED
        named = [name for name in _FIRST if name in sent] + sorted(sent.difference(_FIRST))
        return csv_lines.table(data_set, query, named)
    lines = map(written.record, raw.rows(data_set.store_id, query))
    return export.ndjson(lines) if form == "ndjson" else export.array(lines)
