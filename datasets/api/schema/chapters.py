"""The documentation of data sets, in Markdown, with limits taken from the code."""

from django.conf import settings

from config.docs.parts import Chapter
from datasets.api.schema import imports, operations
from datasets.errors import MAX_RECORDS

_BASE = "$API" if settings.DATA_BASE_URL == settings.BASE_URL else settings.DATA_BASE_URL
_MEBIBYTES = settings.DATASETS_MAX_BODY_BYTES // 1024**2

_ACCESS = """
A data set is a named store of time-stamped JSON records. Its path consists of a data group and a data type:
`/data/{group}/{type}`. Staff create data sets in the console. Each data set has its own access tokens; send one in the
header `Authorization: Bearer <token>`.

- The scope **write** allows POST and PUT, the scope **read** allows GET and HEAD. A token has one or both.
- Anyone can read a public data set without a token, also from pages of other sites.
- `/data/{group}/{type}.jsonld` describes a public data set for search engines, and `.csv-metadata.json` its CSV for
  programs. `/catalogue.jsonld` lists all public data sets in DCAT 3.
- OPTIONS returns the allowed methods and needs no token.
"""

_WRITING = f"""
The service stores all records of a request, or none. A record replaces the stored record with the same `_id` as a
whole. A record without an `_id` is always new, so send an `Idempotency-Key` if you may repeat the request. One POST can
hold ten thousand records. The body is JSON in UTF-8, uncompressed or gzip. It has at most {_MEBIBYTES} MiB before and
after decompression, and at most {MAX_RECORDS:,} records.

With `?dry_run=true` a write is only checked: the response states how many records are new, replaced or deleted.

If records are refused, `errors` lists the first errors by index in the array and field, and `error_count` counts all of
them:

```json
{{
  "status": "error",
  "message": "Records refused: 1 of 2. Nothing was stored.",
  "errors": [
    {{"index": 1, "field": "_timestamp", "message": "must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z"}}
  ],
  "error_count": 1
}}
```
"""

_SINGLE = """
`/data/{group}/{type}/records/{_id}` reads, changes and deletes one record. Percent-encode the `_id`.

To change a record safely, read it, and send its `ETag` as `If-Match` with the change. If somebody else has changed the
record, you get 412 and nothing changes. The header `Change-Reason` states why; it stays in the audit.

The earlier value is kept for 7 days. Owners of the data set can restore it in the console.
"""

_SCHEMAS = """
A data set learns a JSON Schema from its records: fields, types, required fields, lists of values and ranges. You can
give a schema instead, and choose what happens to new records that do not fit it:

| `mode` | a record that does not fit |
|---|---|
| `off` | is stored; this is the default |
| `warn` | is stored and counted; the header `Signalbox-Warnings` has the number |
| `enforce` | is refused with its index and field, or kept back with `on_error=keep` |
"""

_IMPORTING = f"""
POST to `/data/{{group}}/{{type}}/imports` takes a file and returns an import, which runs in the background. Read
it until its `state` is `finished`. All calls need the scope **write**.

```bash
curl -sS "{_BASE}/data/demo/visits/imports" -H "Authorization: Bearer $DATA_TOKEN" -H "Content-Type: text/csv" \\
  --data-binary @visits.csv
```

A value is never guessed: if a date may be the third of April or the fourth of March, the import waits with the state
`needs_answers`. Each of its `questions` has `choices`; send the `settings` of one with PATCH. A row that does not fit
is rejected with its reason, and the other rows are stored. The same file again overwrites its records.
"""

_READING = f"""
There are three kinds of query. A **raw** query returns whole records in pages, with `next_cursor`. A **grouped** query
(`group_by`) returns one row for each value with its `_count`. A query **by period** (`period`) returns one row for each
hour, day, week, month, quarter or year, including empty ones. You can combine the last two. `collect` adds sums, means
and other values to each row:

```bash
curl -sS "{_BASE}/data/demo/visits?period=day&duration=7&collect=count:sum" -H "Authorization: Bearer $DATA_TOKEN"
```

In parameters, write a colon in a field name as `\\:` and a backslash as `\\\\`. For example, `collect=a\\:b:sum` adds
up the field `a:b`. Percent-encode both for the URL (`\\` is `%5C`).

Responses have an `ETag`. Send it as `If-None-Match`: if the response has not changed, you get 304 without a body. Send
`Accept-Encoding: gzip` to get long responses compressed.
"""

CHAPTERS = [
    Chapter(title="Data sets", text=_ACCESS.strip()),
    Chapter(title=operations.WRITING, text=_WRITING.strip()),
    Chapter(title=operations.SINGLE, text=_SINGLE.strip()),
    Chapter(title=operations.SCHEMAS, text=_SCHEMAS.strip()),
    Chapter(title=imports.TAG, text=_IMPORTING.strip()),
    Chapter(title=operations.READING, text=_READING.strip()),
]
