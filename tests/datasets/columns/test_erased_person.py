"""After an emptying, an undo and the erasure of a person, the address is nowhere: searched as bytes."""

import io
import os
from pathlib import Path
from typing import Any

import duckdb
import pytest
from django.core.management import call_command
from django.db import connection

from config.audit import COMMAND
from datasets import store
from datasets.columns import building
from datasets.columns import files as column_files
from datasets.imports import job, starting
from datasets.models import DataImport, DataSet, KeptValue, RejectedRecord
from datasets.store import one_record
from datasets.store.one_record import RecordEdit
from tests.datasets.making import call, make_data_set, make_token, put_in, stored

pytestmark = pytest.mark.django_db
ANN, OTHER = "ann@example.org", "joann@example.org"
MOMENT = "2024-01-01T00:00:00Z"


def record(record_id: str, mail: str = OTHER) -> dict[str, str]:
    return {"_id": record_id, "_timestamp": MOMENT, "mail": mail}


def start(folder: Path, name: str, text: str, **given: object) -> DataImport:
    path = folder / name
    path.write_text(text)
    return starting.start(DataSet.objects.get(), path, given, by=COMMAND, name=name)


def tables_with(text: str) -> list[str]:
    """Return the names of the tables that have a text."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        return [name for name in names if text in _rows_of(cursor, name).replace(OTHER, "")]


def _rows_of(cursor: Any, table: str) -> str:
    cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608  a name from the database
    return str([[bytes(value) if isinstance(value, memoryview) else value for value in row] for row in cursor])


def contents(*folders: Path) -> bytes:
    """Return all files below these folders, those of Parquet unpacked."""
    paths = [Path(root) / name for folder in folders for root, _, names in os.walk(folder) for name in names]
    return b"".join(map(_content, paths))


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return str(duckdb.read_parquet(str(path)).fetchall()).encode() if content.startswith(b"PAR1") else content


def test_after_emptying_and_undo_an_erased_person_is_nowhere(settings, tmp_path):
    settings.IMPORT_WORK_DIR = tmp_path / "work"
    sources = tmp_path / "sources"
    sources.mkdir()
    data_set = make_data_set(personal=True)
    put_in(data_set, [record("a", ANN), record("b"), record("c"), record("kept", ANN), record(f"{ANN}/1")])
    one_record.delete(DataSet.objects.get(), "kept", RecordEdit(by=COMMAND))
    call("POST", data_set, make_token(data_set), [{"mail": ANN}], query="on_error=keep")
    for name, text in {
        "stored.csv": f"_timestamp,mail\n{MOMENT},{ANN}\n",
        "rejected.csv": f"_timestamp,mail\n{MOMENT},x\nno date,{ANN}\n",
        "other.csv": f"_timestamp,mail\n{MOMENT},{OTHER}\n",
    }.items():
        while job.work(start(sources, name, text)):
            pass
    start(sources, "waiting.csv", f"mail\n{ANN}\n")
    building.build(DataSet.objects.get(), seconds=60, wait=False)
    store.empty(DataSet.objects.get(), by=COMMAND)
    put_in(data_set, [record("c", ANN)])
    store.undo(DataSet.objects.get(), by=COMMAND)
    building.build(DataSet.objects.get(), seconds=60, wait=False)
    assert "datasets_record" in tables_with(ANN)
    assert ANN.encode() in contents(tmp_path / "store").replace(OTHER.encode(), b"")

    call_command("erase_recipient", ANN, "--yes", stdout=io.StringIO())
    building.build(DataSet.objects.get(), seconds=60, wait=False)
    for path in (tmp_path / "store").rglob("*.parquet"):
        os.utime(path, (0, 0))  # an hour later
    list(column_files.delete_unnamed())

    assert {one["mail"] for one in stored(data_set).values()} == {OTHER, "x"}
    assert (KeptValue.objects.count(), RejectedRecord.objects.count()) == (0, 0)
    assert [run.file_name for run in DataImport.objects.all()] == ["other.csv"]
    assert tables_with(ANN) == []
    folders = (tmp_path / "store", tmp_path / "cache", settings.IMPORT_WORK_DIR)
    assert ANN.encode() not in contents(*folders).replace(OTHER.encode(), b"")
    assert contents(tmp_path / "store")
