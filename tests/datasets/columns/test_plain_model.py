"""Random sequences of writes, imports, edits, deletions, emptying, undo and retention equal a plain model."""

import json
import tempfile
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from config.audit import COMMAND
from datasets import errors, records, store
from datasets.columns import building
from datasets.imports.conversion import LineReader
from datasets.imports.reading import work_files
from datasets.imports.reading.converting import convert
from datasets.imports.reading.inspecting import inspect
from datasets.models import DataSet, KeptValue, Record, Segment
from datasets.queries import engines, filters, parameters, written
from datasets.records import ParsedRecord
from datasets.store import matching, one_record
from datasets.store.one_record import RecordEdit
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in
from tests.datasets.test_answers import CONFIGURATION, NOW

pytestmark = pytest.mark.django_db
IDS = st.sampled_from("abcdefgh")
MOMENTS = st.sampled_from(
    ["2020-01-01T00:00:00Z", "2021-06-01T12:00:00Z", "2022-03-04T05:06:07.500000Z", "2090-01-01T00:00:00Z"]
)
VALUES = st.fixed_dictionaries({"_timestamp": MOMENTS, "n": st.integers(0, 9) | st.sampled_from(["x", None, 1.5])})
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.lists(st.tuples(IDS, VALUES), min_size=1, max_size=9)),
        st.tuples(st.just("bring_in"), st.lists(st.tuples(IDS, VALUES, st.booleans()), min_size=1, max_size=9)),
        st.tuples(st.just("edit"), st.tuples(IDS, VALUES)),
        st.tuples(st.just("delete"), IDS),
        st.tuples(st.just("remove"), st.integers(0, 9)),
        st.tuples(st.just("restore"), st.integers(0, 5)),
        st.tuples(st.sampled_from(["empty", "undo", "retain", "build"]), st.none()),
    ),
    min_size=4,
    max_size=25,
)


@dataclass
class PlainSet:
    """What a data set should hold. emptied: the records of each emptying; kept: the earlier values, newest first"""

    now: dict[str, dict[str, object]] = field(default_factory=dict)
    emptied: list[dict[str, dict[str, object]]] = field(default_factory=list)
    kept: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def do(self, step: str, given: object) -> None:
        getattr(self, step)(given)

    def write(self, given) -> None:
        self.now |= dict(given)

    def bring_in(self, given) -> None:
        self.now |= {record_id: value for record_id, value, is_good in given if is_good}

    def edit(self, given) -> None:
        record_id, value = given
        if record_id in self.now:
            self.kept.insert(0, (record_id, self.now[record_id]))
            self.now[record_id] = value

    def delete(self, record_id) -> None:
        if record_id in self.now:
            self.kept.insert(0, (record_id, self.now.pop(record_id)))
            for emptied in self.emptied:
                emptied.pop(record_id, None)

    def remove(self, least) -> None:
        """Delete the records whose number is at least this one."""
        gone = [one for one, value in self.now.items() if isinstance(value["n"], int | float) and value["n"] >= least]
        for record_id in gone:
            for records_ in (self.now, *self.emptied):
                records_.pop(record_id, None)

    def restore(self, number) -> None:
        if number < len(self.kept):
            record_id, value = self.kept[number]
            if record_id in self.now:
                self.kept.insert(0, (record_id, self.now[record_id]))
            self.now[record_id] = value

    def empty(self, given) -> None:
        if self.now:
            self.emptied.append(self.now)
            self.now = {}

    def undo(self, given) -> None:
        if self.emptied:
            self.now = self.emptied.pop() | self.now

    def retain(self, given) -> None:
        self.now = {one: value for one, value in self.now.items() if value["_timestamp"] > "2026"}

    def build(self, given) -> None:
        pass


def converted(rows) -> list[ParsedRecord]:
    """Return the records of a file with these rows. A row that is not good has a moment that does not exist."""
    lines = (
        json.dumps({"_id": record_id, **value, **({} if is_good else {"_timestamp": "2024-02-30T00:00:00Z"})})
        for record_id, value, is_good in rows
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_text("\n".join(lines))
        found = inspect(str(path), folder, {"columns": {"_timestamp": {"type": "time"}}}, (), 10**6)
        assert not found.questions
        counts = convert(str(path), folder, found.settings, found.names, (), 10**6, is_dry=False)
        assert counts["rejected"] == sum(not is_good for _, _, is_good in rows)
        with closing(LineReader(Path(folder) / work_files.lines(is_dry=False))) as reader:
            taken = reader.take(10**6, 0)
    return taken.records if taken is not None else []


def do(data_set, step: str, given) -> None:
    """Do one step through the store."""
    edit = RecordEdit(by=COMMAND)
    try:
        if step == "write":
            put_in(data_set, [{"_id": one, **value} for one, value in given])
        elif step == "bring_in":
            if found := converted(given):
                store.store_batch(data_set.pk, found, token_id=None)
        elif step == "edit":
            [record] = records.check([{"_id": given[0], **given[1]}], auto_ids=())
            one_record.change(data_set, given[0], record, edit)
        elif step == "delete":
            one_record.delete(data_set, given, edit)
        elif step == "remove":
            query = parameters.parse(f"where=n>={given}", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
            matches = partial(filters.passing, query=query)
            ids = matching.ids_of(data_set, matches, 100)
            assert sum(matching.delete(data_set.pk, matches, ids)) == len(ids)
        elif step == "restore":
            kept = KeptValue.objects.restorable(data_set.pk)[given : given + 1]
            for one in kept:
                one_record.restore(data_set, one, edit)
        elif step == "empty":
            store.empty(data_set, by=COMMAND)
        elif step == "undo":
            store.undo(data_set, by=COMMAND)
        elif step == "retain":
            assert sum(store.remove_old(data_set.pk, 1)) >= 0
        else:
            building.build(data_set, seconds=60, wait=False)
    except (errors.NoSuchRecord, errors.NothingToUndo):
        pass


def read(data_set) -> dict[str, dict[str, object]]:
    """Return the records by `_id` without computed fields, as a raw read gives them."""
    query = parameters.parse("sort_by=n:ascending", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    found = [json.loads(written.record(row)) for row in engines.page(data_set, query).rows]
    return {one["_id"]: {name: one[name] for name in ("_timestamp", "n")} for one in found}


@CONFIGURATION
@given(STEPS)
def test_every_sequence_equals_the_plain_model(steps):
    with transaction.atomic():
        data_set, plain = make_data_set(type="modelled"), PlainSet()
        for step, given_ in steps:
            do(DataSet.objects.get(pk=data_set.pk), step, given_)
            plain.do(step, deepcopy(given_))

        found = DataSet.objects.get(pk=data_set.pk)
        assert read(found) == plain.now
        assert found.record_count == len(plain.now)
        query = parameters.parse("group_by=n", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
        rows = engines.grouped(found, query, now=NOW, max_rows=1_000)
        assert sum(row["_count"] for row in rows) == len(plain.now)
        for one in found.emptied_stores.all():
            assert one.records == Record.objects.filter(store_id=one.store_id).count()
        transaction.set_rollback(True)
    assert not Segment.objects.exists()
