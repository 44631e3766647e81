"""Send an email if a data set has no new record. Run it from cron, each hour.

`pip install ./cli`. Set API, DATA_TOKEN, NOTIFY_API_KEY and EMAIL_TEMPLATE. One alarm for each day: the repeated send
has the same idempotency key. A callback with the event `data_set.late` does the same without cron: docs/callbacks.md.
"""

import os
from datetime import UTC, datetime, timedelta

from signalbox import Signalbox

LATE_AFTER = timedelta(hours=3)

with Signalbox(os.environ["API"], os.environ["NOTIFY_API_KEY"], data_token=os.environ["DATA_TOKEN"]) as client:
    newest = client.data_set("demo/visits").query(sort_by="_timestamp:descending", limit=1)
    now = datetime.now(UTC)
    written_at = datetime.fromisoformat(newest[0]["_timestamp"]) if newest else None
    if written_at and now - written_at < LATE_AFTER:
        print("in time")
    else:
        values = {"name": "team", "items": [f"demo/visits has no record since {written_at or 'ever'}"]}
        sent = client.send_email_notification(
            "team@example.org", os.environ["EMAIL_TEMPLATE"], values, idempotency_key=f"late-visits-{now:%Y-%m-%d}"
        )
        print("late", sent["id"])
