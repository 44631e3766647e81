"""Answer GET and HEAD: format, caching, entity tags and compression.

Source: docs/reference/data-sets.md §11, §12.
"""

from datetime import datetime
from io import BytesIO
from itertools import chain
from wsgiref.util import FileWrapper

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.text import compress_sequence
from rest_framework.request import Request

from config import limited
from config.databases import replica
from config.web import leaving
from datasets.api import caching
from datasets.catalogue import data_sets
from datasets.models import DataSet
from datasets.queries import csv_lines, engines, export, header, known_fields, parameters, periods, time_limit, written
from datasets.queries.periods import Window
from datasets.queries.query import Query
from datasets.queries.readers import Reader
from datasets.records import moments

PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Cache-Control, If-None-Match",
    "Access-Control-Max-Age": "86400",
}
CLIENT_HAS_LEFT = 499  # nginx's code for the log; nobody reads the answer
_WHOLE_BYTES = 4 * 1024 * 1024  # a longer page is streamed


def answer(request: Request, data_set: DataSet, reader: Reader) -> HttpResponseBase:
    """Return the result of the query, or 304 if the caller has it. Raises InvalidQuery."""
    if data_set.columns_until is not None:
        leaving.connection.set(request.META.get("gunicorn.socket"))
    try:
        with replica.reads(), time_limit.limited():
            response = _answer(request, data_set, reader)
    except limited.CallEnded:
        return HttpResponse(status=CLIENT_HAS_LEFT)
    finally:
        leaving.connection.set(None)
    if isinstance(response, StreamingHttpResponse):  # its other blocks are read after this function
        response.streaming_content = replica.read_from(iter(response))
    return response


def _answer(request: Request, data_set: DataSet, reader: Reader) -> HttpResponseBase:
    bounds = parameters.Bounds(default_limit=settings.DATASETS_DEFAULT_LIMIT, max_limit=settings.DATASETS_MAX_LIMIT)
    text = request.META.get("QUERY_STRING", "")
    query = parameters.parse(text, data_set_id=data_set.pk, bounds=bounds, reader=reader)
    now = timezone.now()
    _follow_replica(data_set)
    window = None
    if query.period is not None:  # check its size before the entity tag
        window = periods.window(query, query.period, now=now, max_rows=settings.DATASETS_MAX_ROWS)
    known_fields.check(data_set, query)
    tag = _entity_tag(data_set, query, window)
    headers = {
        "Cache-Control": caching.cache_control(data_set, is_public=data_set.public),
        "ETag": tag,
        "Vary": "Accept-Encoding",
    }
    if caching.is_current(request, tag):
        unchanged = HttpResponse(status=304, headers=headers)
        del unchanged.headers["Content-Type"]
        return unchanged
    if query.format == "csv" and data_set.public and text == "format=csv":
        headers["Link"] = f'<{data_sets.csv_metadata_url(data_set)}>; rel="describedby"; type="application/csvm+json"'
    if query.is_raw:
        return _raw(request, data_set, query, headers)
    return caching.compressed(request, _whole(data_set, query, now, headers))


def _whole(data_set: DataSet, query: Query, now: datetime, headers: dict[str, str]) -> HttpResponse:
    rows = engines.grouped(data_set, query, now=now, max_rows=settings.DATASETS_MAX_ROWS)
    if query.format == "csv":
        rows = export.with_previous(rows) if query.compare is not None else rows
        text = "".join(export.csv(export.names_of(rows), rows))
    elif query.format == "ndjson":
        text = "".join(export.ndjson(written.compact_json(row) for row in rows))
    else:
        text = f'{{"data":{written.compact_json(rows)}}}'
    return HttpResponse(text.encode(), headers={**headers, **_form(data_set, query)})


def _raw(request: Request, data_set: DataSet, query: Query, headers: dict[str, str]) -> HttpResponseBase:
    """Stream the records, or send a short page whole.

    An error before the first block has its own answer; a later one closes the connection.
    """
    form = _form(data_set, query)
    if query.format == "parquet":
        return StreamingHttpResponse(FileWrapper(engines.table(data_set, query)), headers={**headers, **form})
    record, fields = written.selecting(query.select)
    if query.format == "json":
        page = engines.page(data_set, query)
        text = export.page(map(record, page.rows), lambda: page.next_cursor)
    elif query.format == "ndjson":
        text = export.ndjson(map(record, engines.rows(data_set, query)))
    elif query.select or query.limit is None:
        text = csv_lines.table(data_set, query, query.select or header.of(data_set, query))
    else:
        names = export.names_of(map(fields, engines.rows(data_set, query)))
        text = export.csv(names, map(fields, engines.rows(data_set, query)))
    blocks = export.blocks(text)
    if query.format == "json":
        first, size = BytesIO(), 0
        while size <= _WHOLE_BYTES and (block := next(blocks, b"")):
            size += first.write(block)
        if size <= _WHOLE_BYTES:
            return caching.compressed(request, HttpResponse(first.getvalue(), headers={**headers, **form}))
        blocks = chain([first.getvalue()], blocks)
    else:
        blocks = export.begun(blocks)
    if caching.takes_gzip(request):  # the length is unknown, so always compress
        blocks, form = compress_sequence(blocks), {**form, "Content-Encoding": "gzip"}
    return StreamingHttpResponse(blocks, headers={**headers, **form})


def _form(data_set: DataSet, query: Query) -> dict[str, str]:
    if query.format == "csv":
        attachment = f'attachment; filename="{data_set.name}.csv"'
        return {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": attachment}
    if query.format == "parquet":
        attachment = f'attachment; filename="{data_set.name}.parquet"'
        return {"Content-Type": "application/vnd.apache.parquet", "Content-Disposition": attachment}
    return {"Content-Type": "application/json" if query.format == "json" else "application/x-ndjson"}


def _entity_tag(data_set: DataSet, query: Query, window: Window | None) -> str:
    """Return the entity tag from the data set's revision and the query.

    The revision is read before the records, so the answer is never older than its tag. If the range ends now, the tag
    contains its end. The tag is weak, because the plain and the compressed answer share it.
    """
    named = f"{data_set.pk}.{data_set.revision}.{query.identity}.{query.limit}.{query.after}"
    if window is not None and query.start_at is None and query.end_at is None:
        named += moments.write(window.end_at)
    return caching.entity_tag(named)


def _follow_replica(data_set: DataSet) -> None:
    """Set the revision and the store as the database of this read has them: a replica may have earlier ones."""
    if replica.connection().alias != data_set._state.db:
        found = DataSet.objects.filter(pk=data_set.pk).values_list("revision", "current_store").first()
        data_set.revision, data_set.current_store = found or (0, None)
