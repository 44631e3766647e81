"""Write records into a data set and read them back, with the standard library alone.

Set API (where Signalbox runs) and DATA_TOKEN; `make run` keeps the token in `.demo.env`.
"""

import json
import os
import urllib.error
import urllib.request

URL = f"{os.environ.get('API', 'http://127.0.0.1:8000')}/data/demo/visits"
HEADERS = {"Authorization": f"Bearer {os.environ['DATA_TOKEN']}", "Content-Type": "application/json"}


def call(url: str, records: list[dict[str, object]] | None = None) -> dict[str, object]:
    """POST the records, or read where there are none."""
    body = None if records is None else json.dumps(records).encode()
    request = urllib.request.Request(url, body, HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{error.code}: {error.read().decode()}") from error  # names each record and field at fault


# A record with the same _id replaces the stored one: the same request may be sent again after a broken connection.
hours = [
    {"_timestamp": f"2026-11-20T{hour:02}:00:00Z", "_id": f"example-{hour:02}", "count": hour, "page": "/start"}
    for hour in range(3)
]
print(call(URL, hours)["status"])
print(len(call(f"{URL}?filter_by=page:/start&start_at=2026-11-20T00:00:00Z&end_at=2026-11-20T03:00:00Z")["data"]))
