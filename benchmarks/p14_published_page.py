"""P14: a published dashboard of twelve tiles over five million records, and its many readers.

`P14_RECORDS` has the size. The first view is measured without any stored answer, then with stored answers and a page
that no process has rendered yet. A trigger counts the answers that are computed while many readers come at once.
"""

import gzip
import os
import re
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urljoin

import psycopg

from benchmarks import large_data_sets, records
from benchmarks.frame.bench import Bench
from benchmarks.frame.load import Call
from benchmarks.frame.load import run as load
from benchmarks.frame.stand import Stand, stand

READERS, LEAST_PER_SECOND = 32, 200
MOST_SECONDS, MOST_SECONDS_STORED, MOST_BYTES = 3, 1, 100_000
_TILES = 12
_PUBLISH = """
from config import audit
from datasets.dashboards import publishing
from datasets.models import Dashboard, DataSet, SavedQuery, Tile, Visibility
from datasets.saved_queries.question import Question
data_set = DataSet.objects.get(pk={pk})
years = {{"kind": "between", "start_at": "2021-01-01T00:00:00Z", "end_at": "2024-01-01T00:00:00Z"}}
year = {{**years, "start_at": "2023-01-01T00:00:00Z"}}
web = {{"measure": {{"field": "count", "where": 'channel = "web"'}}, "divided_by": {{"field": "count"}}}}
tiles = [
    ("number", {{**web, "range": year, "compare": "previous_year"}}),
    ("line", {{**web, "range": years, "period": "month"}}),
    ("number", {{"measure": {{"field": "count"}}, "range": year, "compare": "previous_year"}}),
    ("line", {{"measure": {{"field": "count"}}, "range": years, "period": "month", "split": "channel"}}),
    ("number", {{"measure": {{"field": "ms", "method": "median"}}, "range": year, "compare": "previous_period"}}),
    ("line", {{"measure": {{"field": "ms", "method": "p95"}}, "range": years, "period": "month"}}),
    ("number", {{"measure": {{}}, "range": year}}),
    ("stacked_bar", {{"measure": {{}}, "range": years, "period": "quarter", "split": "channel"}}),
    ("bar", {{"measure": {{"field": "count"}}, "range": year, "split": "channel"}}),
    ("bar", {{"measure": {{}}, "range": year, "split": "page", "limit": 10}}),
    ("table", {{"measure": {{"field": "ms", "method": "mean"}}, "range": year, "period": "month"}}),
    ("line", {{"measure": {{"field": "count"}}, "range": years, "period": "week", "moving": 4}}),
]
row = Dashboard.objects.create(slug="bench", title="How our service performs")
for place, (chart, question) in enumerate(tiles):
    query = SavedQuery.objects.create(
        data_set=data_set, name=f"Tile {{place}}", chart=chart, question=Question.of(question).document()
    )
    Tile.objects.create(dashboard=row, place=place, saved_query=query, is_wide=chart == "line")
publishing.publish(row, Visibility.PUBLIC, by=None, actor=audit.COMMAND, may_publish=lambda query, one: True)
"""
_COUNT = """
CREATE TABLE computed (id serial);
CREATE FUNCTION note_computed() RETURNS trigger AS $$ BEGIN INSERT INTO computed DEFAULT VALUES; RETURN NULL; END $$
LANGUAGE plpgsql;
CREATE TRIGGER note_computed AFTER UPDATE OF computed_at ON datasets_storedanswer
FOR EACH ROW EXECUTE FUNCTION note_computed();
"""


def main(bench: Bench) -> None:
    size = int(os.environ.get("P14_RECORDS", "5000000"))
    with stand(web=2, DATABASE_STATEMENT_TIMEOUT_MS="60000") as it:
        data_set = records.make(it)
        large_data_sets.fill_row_store(it.postgres.url, data_set.id, size)
        for command in (("columns", "build"), ("shell", "-c", _PUBLISH.format(pk=data_set.id))):
            done = it.service.manage(*command)
            assert done.returncode == 0, done.stderr
        _measure(bench, it, f"{it.service.url}/dashboards/bench", f"P14 {size:,}")


def _measure(bench: Bench, it: Stand, page: str, name: str) -> None:
    with psycopg.connect(it.postgres.url, autocommit=True) as database:
        database.execute(_COUNT)
        computed, stored = [], []
        for _ in range(bench.rounds):
            _forget(database)
            computed.append(_timed(page))
            stored.append(_timed(f"{page}?lang=cy"))
        bench.show(f"{name}: first view, nothing stored", computed, "s", at_most=MOST_SECONDS)
        bench.show(f"{name}: first view, answers stored", stored, "s", at_most=MOST_SECONDS_STORED)
        _forget(database)
        with ThreadPoolExecutor(READERS) as readers:
            together = list(readers.map(_timed, [page] * READERS))
        (number,) = database.execute("SELECT count(*) FROM computed").fetchone() or (0,)
        bench.show(f"{name}: computed answers, {READERS} readers at once", [number], "", at_most=_TILES)
        bench.show(f"{name}: slowest of these readers", [max(together)], "s")
    call = Call(url=page, headers={"Accept-Encoding": "gzip"})
    rates = [load(call, clients=READERS, seconds=bench.seconds).per_second for _ in range(bench.rounds)]
    bench.show(f"{name}: readers", rates, "/s", at_least=LEAST_PER_SECOND)
    bench.show(f"{name}: page, styles and script", [_bytes(page)], "B", at_most=MOST_BYTES)


def _forget(database: psycopg.Connection) -> None:  # type: ignore[type-arg]
    """Let the data set change, so that no page and no stored answer is used any more."""
    database.execute("UPDATE datasets_dataset SET revision = revision + 1")
    database.execute("TRUNCATE datasets_storedanswer, computed")


def _read(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})  # noqa: S310  our own
    with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310
        return bytes(answer.read())


def _timed(url: str) -> float:
    started = time.perf_counter()
    _read(url)
    return time.perf_counter() - started


def _bytes(page: str) -> int:
    body = _read(page)
    text = gzip.decompress(body).decode()
    assert text.count('class="tile') >= _TILES, text[:2_000]
    files = re.findall(r'<link rel="stylesheet" href="([^"]+)"|<script src="([^"]+)"', text)
    return len(body) + sum(len(_read(urljoin(page, style or script))) for style, script in files)
