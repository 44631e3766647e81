"""The chapters of the documentation about data sets, in Markdown. Their numbers are those of the code."""

from django.conf import settings

from config.docs.parts import Chapter
from datasets.api.schema import operations
from datasets.errors import MAX_RECORDS

_MEBIBYTES = settings.DATASETS_MAX_BODY_BYTES // 1024**2

_ACCESS = """
A data set is a named store of time-stamped JSON records. Its address has two words, the data group and the data type:
`/data/{group}/{type}`. Staff make data sets in the console, and each has access tokens of its own:
`Authorization: Bearer <token>`.

- The scope **write** is for POST and PUT, the scope **read** for GET and HEAD; a token has one or both.
- A public data set is read without a token, and by pages of other sites.
- OPTIONS says which methods there are, to anyone.
"""

_WRITING = f"""
All records of a request are stored, or none. A record whose `_id` is there already replaces it as a whole; without an
`_id` each record is a new one, so send an `Idempotency-Key` where you may have to repeat a request. Ten thousand
records in one POST are ordinary. The body is JSON in UTF-8, plain or gzip, of at most {_MEBIBYTES} MiB sent and opened,
and of at most {MAX_RECORDS:,} records.

Refused records are named one by one under `errors`, by their place in the array and their field; `error_count` says how
many faults there are in all:

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

_READING = """
Three kinds of query: **raw** gives whole records, page by page with `next_cursor`; **grouped** (`group_by`) gives one
row for each value with its `_count`; **by period** (`period`) gives one row for each hour, day, week, month, quarter or
year, gaps filled. The last two go together, and `collect` adds sums, means and the like to each row:

```bash
curl -sS "$API/data/demo/visits?period=day&duration=7&collect=count:sum" -H "Authorization: Bearer $DATA_TOKEN"
```

In parameters, write a colon that is part of a field name as `\\:` and a backslash as `\\\\`: the values of the field
`a:b` are added up by `collect=a\\:b:sum`. Encode both as a URL needs it (`\\` is `%5C`).

Answers carry an `ETag`: send it back as `If-None-Match`, and an unchanged answer is 304 without a body. With
`Accept-Encoding: gzip` long answers come compressed.
"""

CHAPTERS = [
    Chapter(title="Data sets", text=_ACCESS.strip()),
    Chapter(title=operations.WRITING, text=_WRITING.strip()),
    Chapter(title=operations.READING, text=_READING.strip()),
]
