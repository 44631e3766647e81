"""Move a data set from a data store of 2018 with the same API: read all its records there, and write them here.

`pip install ./cli`. Set OLD_URL and OLD_TOKEN (of the data set there), API and DATA_TOKEN. Running it again is safe:
records with an `_id` are replaced. Records without one get the id that the old store gave them.
"""

import os

import httpx
from signalbox import Signalbox

KEPT = {"_id", "_timestamp"}


def old_records():
    """Yield the records of the old data set, without the values that the store itself has added."""
    headers = {"Authorization": f"Bearer {os.environ['OLD_TOKEN']}"}
    for record in httpx.get(os.environ["OLD_URL"], headers=headers, timeout=60).raise_for_status().json()["data"]:
        yield {name: value for name, value in record.items() if not name.startswith("_") or name in KEPT}


if __name__ == "__main__":
    with Signalbox(os.environ["API"], data_token=os.environ["DATA_TOKEN"]) as client:
        print(client.data_set("demo/visits").write(old_records()), "records moved")
