"""Every answer has each record whose write was acknowledged before, while files are built, damaged and lost."""

import random
import threading
import time
from pathlib import Path

import pytest
from django.db import connection

from datasets.columns import building, files
from datasets.models import DataSet, Segment
from datasets.queries import engines, parameters
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in
from tests.datasets.test_answers import NOW

_IDS = 60
_SECONDS = 4


class Numbers:
    """The number that each record was last given: a later write of the same record has a higher one."""

    def __init__(self) -> None:
        self.acknowledged = dict.fromkeys(range(_IDS), 0)
        self.lock = threading.Lock()

    def least_sum(self) -> int:
        with self.lock:
            return sum(self.acknowledged.values())


@pytest.mark.fault("D7")
@pytest.mark.django_db(transaction=True)
def test_writers_readers_and_a_builder_at_once():
    data_set = make_data_set()
    numbers, ends_at, errors = Numbers(), time.monotonic() + _SECONDS, []
    chance = random.Random(2)  # noqa: S311  no secret
    put_in(data_set, [record(chance, one, 0) for one in range(_IDS)])

    def repeat(work):
        def run():
            try:
                while time.monotonic() < ends_at:
                    work()
            except BaseException as error:
                errors.append(error)
                raise
            finally:
                connection.close()

        return threading.Thread(target=run)

    threads = [repeat(lambda part=part: write(data_set, numbers, chance, part)) for part in range(2)]
    threads += [repeat(lambda: read(data_set, numbers)) for _ in range(2)]
    threads += [repeat(lambda: build_or_damage(data_set, chance))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    read(data_set, numbers)
    assert Segment.objects.filter(version__gt=0).exists()


def record(chance: random.Random, one: int, number: int) -> dict[str, object]:
    """Return the record with its new number, at any moment of a year."""
    return {"_id": f"r{one}", "_timestamp": f"2024-{chance.randrange(12) + 1:02}-01T00:00:00Z", "n": number}


def write(data_set, numbers: Numbers, chance: random.Random, part: int) -> None:
    ids = [one for one in range(_IDS) if one % 2 == part and chance.random() < 0.1]
    if ids:
        put_in(data_set, [record(chance, one, numbers.acknowledged[one] + 1) for one in ids])
        with numbers.lock:
            for one in ids:
                numbers.acknowledged[one] += 1
    time.sleep(0.01)


def read(data_set, numbers: Numbers) -> None:
    query = parameters.parse(
        "period=year&start_at=2024-01-01T00:00:00Z&end_at=2025-01-01T00:00:00Z&collect=n:sum",
        data_set_id=data_set.pk,
        bounds=BOUNDS,
        reader=ALL,
    )
    least = numbers.least_sum()
    found = DataSet.objects.get(pk=data_set.pk)
    row = engines.grouped(found, query, now=NOW, max_rows=1000)[0]
    assert row["_count"] == _IDS
    assert row["n:sum"] >= least


def build_or_damage(data_set, chance: random.Random) -> None:
    building.build(data_set, seconds=0.5, wait=False)
    kind = chance.randrange(6)
    stored = list(Path(files.file_store().path("")).glob("*/*.parquet"))
    if kind == 0 and stored:
        chance.choice(stored).write_bytes(b"garbage")
    elif kind == 1 and stored:
        chance.choice(stored).unlink(missing_ok=True)
    elif kind == 2:
        for copy in files.cache_folder().glob("*.parquet"):
            copy.unlink(missing_ok=True)
