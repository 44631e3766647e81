"""Damaged files of every format either give rows or say that they cannot be read. Nothing else may happen."""

import gzip
import io
import json
import random
from datetime import datetime

import pyarrow
import pytest
from pyarrow import parquet

from datasets.imports.reading.cells import UnreadableFile
from tests.datasets.imports.reading import read
from tests.datasets.imports.test_files import cell, excel, open_document

ROUNDS = 60
AT = datetime(2024, 1, 31, 9)  # noqa: DTZ001
RECORDS = [{"_timestamp": f"2024-01-{day:02}T00:00:00Z", "n": day, "in": {"a": [day]}} for day in range(1, 20)]


def parquet_file() -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), file)
    return file.getvalue()


FILES = {
    "csv": b"_timestamp;n;text\n" + b"".join(f'2024-01-{n:02};{n};"a ""b""\n{n}"\n'.encode() for n in range(1, 29)),
    "xlsx": excel(["_timestamp", "n", "text"], *([AT, n, f"text {n}"] for n in range(20))),
    "ods": open_document(
        cell("_timestamp") + cell("n"),
        *(
            cell("x", "date", office_date_value="2024-01-01") + cell(str(n), "float", office_value=str(n))
            for n in range(20)
        ),
    ),
    "ndjson": "\n".join(map(json.dumps, RECORDS)).encode(),
    "json": json.dumps(RECORDS).encode(),
    "parquet": parquet_file(),
    "gzip": gzip.compress("\n".join(map(json.dumps, RECORDS)).encode()),
}


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return a file with some changed, removed or repeated bytes."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        place = chance.randrange(len(found))
        kind = chance.random()
        if kind < 0.6:
            found[place] = chance.randrange(256)
        elif kind < 0.8:
            del found[place : place + chance.randint(1, 40)]
        else:
            found[place:place] = found[place : place + chance.randint(1, 40)]
        found = found or bytearray(b"x")
    return bytes(found)


@pytest.mark.parametrize("kind", FILES)
def test_a_damaged_file_is_read_or_refused(kind):
    chance = random.Random(kind)  # noqa: S311
    for _ in range(ROUNDS):
        data = damaged(FILES[kind], chance)
        try:
            read(data)
        except UnreadableFile:
            continue


def test_an_xml_part_that_is_changed_inside_a_valid_archive():
    import zipfile

    chance = random.Random("xml")  # noqa: S311
    for kind in ("xlsx", "ods"):
        parts = zipfile.ZipFile(io.BytesIO(FILES[kind]))
        for _ in range(ROUNDS):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as archive:
                for name in parts.namelist():
                    content = parts.read(name)
                    archive.writestr(name, content if chance.random() < 0.6 else damaged(content, chance))
            try:
                read(file.getvalue())
            except UnreadableFile:
                continue
