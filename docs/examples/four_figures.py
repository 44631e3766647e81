"""Publish the four figures of a service: digital take-up, completion rate, user satisfaction and cost of a transaction.

`pip install ./cli`. Set API and DATA_TOKEN. The records have `channel`, `stage`, `rating` (1 to 5) and `cost`.
"""

import os

from signalbox import Signalbox

client = Signalbox(os.environ["API"], data_token=os.environ["DATA_TOKEN"])
records = client.data_set("demo/visits")
month = {"start_at": "2026-11-01T00:00:00Z", "end_at": "2026-12-01T00:00:00Z"}


def number(**filter_by):
    """Return the number of records of the month that match."""
    rows = (
        records.query(period="month", filter_by=filter_by, **month)
        if filter_by
        else records.query(period="month", **month)
    )
    return rows[0]["_count"]


done = number(stage="done")
means = records.query(period="month", collect={"rating": "mean", "cost": "sum"}, **month)[0]
print(f"Digital take-up: {number(channel='digital', stage='done') / done:.0%}")
print(f"Completion rate: {done / number(stage='start'):.0%}")
print(f"User satisfaction: {(means['rating:mean'] - 1) / 4:.0%}")
print(f"Cost of a transaction: £{means['cost:sum'] / done:.2f}")
