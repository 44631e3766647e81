"""The calls of imports: a file is sent, questions are answered, the import is paused, cancelled and read."""

import gzip
import io
import json
import zipfile

import pyarrow
import pytest
from pyarrow import parquet

from config.audit import COMMAND
from config.audit.models import AuditEvent
from datasets.imports import starting
from datasets.models import DataImport, SavedImportSettings
from datasets.store import schemas
from tests.datasets.imports.calling import call, work
from tests.datasets.imports.test_files import excel
from tests.datasets.making import make_data_set, make_token, stored

pytestmark = pytest.mark.django_db

CSV = b"_timestamp,n\n2024-01-31,1\nnever,2\n2024-02-01T09:00,3\n"
GERMAN = b"Datum;Betrag\n31.01.2024;1,5\n01.02.2024;2,5\n"
KEYS = {
    *("id", "data_set", "state", "dry_run", "file", "settings", "questions", "errors", "message", "progress", "rows"),
    *("created_at", "finished_at"),
}


def sent(data_set, secret, body=CSV, **options):
    answer = call("POST", data_set, secret, "", body, **options)
    assert answer.status_code == 202, answer.content
    return answer.json()


def read(data_set, secret, job):
    return call("GET", data_set, secret, f"/{job['id']}").json()


def change(data_set, secret, job, value):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return call("PATCH", data_set, secret, f"/{job['id']}", body, kind="application/json")


def multipart(**parts: tuple[str, bytes]) -> tuple[bytes, str]:
    lines = []
    for name, (file_name, content) in parts.items():
        extra = f'; filename="{file_name}"' if file_name else ""
        head = f'--b\r\nContent-Disposition: form-data; name="{name}"{extra}\r\n\r\n'
        lines.append(head.encode() + content + b"\r\n")
    return b"".join(lines) + b"--b--\r\n", "multipart/form-data; boundary=b"


def test_a_file_is_taken_and_stored(data_set, secret):
    answer = call("POST", data_set, secret, "", CSV, Content_Disposition='attachment; filename="a.csv"')

    job = answer.json()
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "1")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Location"].endswith(f"/data/pay/volumes/imports/{job['id']}")
    assert (job.keys(), job["state"], job["progress"]) == (KEYS, "reading", 0.0)
    assert job["file"] == {"name": "a.csv", "bytes": len(CSV), "format": None}
    work(job["id"])
    done = read(data_set, secret, job)
    assert (done["state"], done["progress"], done["questions"], done["message"]) == ("finished", 1.0, [], None)
    assert done["rows"] == {"total": 3, "stored": 2, "new": 2, "replaced": 0, "rejected": 1, "left_out": 0}
    assert [(error["row"], error["column"]) for error in done["errors"]] == [(3, "_timestamp")]
    assert done["settings"]["columns"]["n"] == {"to": "n", "type": "integer"}
    assert sorted(record["n"] for record in stored(data_set).values()) == [1, 3]
    assert {event.verb for event in AuditEvent.objects.all()} == {"imported_file", "finished_import"}
    data_set.refresh_from_db()
    assert data_set.record_count == 2


def test_rows_that_do_not_fit_an_enforced_schema_are_rejected(data_set, secret):
    schemas.set_schema(data_set, {"properties": {"n": {"maximum": 2}}}, "enforce", by=COMMAND)

    job = sent(data_set, secret)
    work(job["id"])

    done = read(data_set, secret, job)
    assert [error["row"] for error in done["errors"]] == [3, 4]
    assert (done["errors"][1]["column"], done["errors"][1]["message"]) == ("n", "must be at most 2")
    assert [record["n"] for record in stored(data_set).values()] == [1]


def test_the_same_file_again_changes_nothing(data_set, secret):
    work(sent(data_set, secret)["id"])
    before = stored(data_set)

    done = work(sent(data_set, secret, gzip.compress(CSV), Content_Encoding="gzip")["id"])

    assert (done.stored, done.new, done.replaced) == (2, 0, 2)
    assert stored(data_set).keys() == before.keys()


def test_questions_are_answered_with_the_settings_of_their_choices(data_set, secret):
    job = sent(data_set, secret, GERMAN)
    work(job["id"])
    asked = read(data_set, secret, job)
    assert (asked["state"], asked["rows"]["stored"]) == ("needs_answers", 0)
    assert {question["code"] for question in asked["questions"]} == {"numbers", "timestamp"}
    assert not stored(data_set)

    for question in asked["questions"]:
        answer = change(data_set, secret, job, {"settings": question["choices"][0]["settings"]})
        assert (answer.status_code, answer.json()["state"]) == (200, "reading")
        work(job["id"])

    done = read(data_set, secret, job)
    assert (done["state"], done["questions"]) == ("finished", [])
    assert sorted(record["Betrag"] for record in stored(data_set).values()) == [1.5, 2.5]


def test_settings_come_in_a_multipart_body(data_set, secret):
    given = {"decimal": ",", "columns": {"Datum": {"to": "_timestamp"}}, "save_as": "german"}
    body, kind = multipart(file=("Zähler.csv", GERMAN), settings=("", json.dumps(given).encode()))

    job = sent(data_set, secret, body, kind=kind)
    work(job["id"])

    assert read(data_set, secret, job)["file"]["name"] == "Zähler.csv"
    assert len(stored(data_set)) == 2
    again = work(sent(data_set, secret, GERMAN, query="settings=german")["id"])
    assert (again.state, again.replaced) == ("finished", 2)


def test_a_dry_run_stores_nothing(data_set, secret):
    job = sent(data_set, secret, query="dry_run=true")
    work(job["id"])

    done = read(data_set, secret, job)
    assert (done["dry_run"], done["rows"]["new"], done["rows"]["rejected"]) == (True, 2, 1)
    assert not stored(data_set)


def test_a_dry_run_counts_a_repeated_id_once(data_set, secret):
    csv = b"_timestamp,_id,n\n2024-01-31,a,1\n2024-01-31,a,2\n2024-01-31,b,3\n"

    dry = work(sent(data_set, secret, csv, query="dry_run=true")["id"])
    real = work(sent(data_set, secret, csv)["id"])

    assert (dry.stored, dry.new, dry.replaced) == (real.stored, real.new, real.replaced) == (3, 2, 1)
    assert {record["_id"]: record["n"] for record in stored(data_set).values()} == {"a": 2, "b": 3}


def test_the_rejected_rows_are_a_file(data_set, secret):
    job = sent(data_set, secret, b'_timestamp,n,place\n2024-01-31,1,A\nnever,-2,"=B,1"\n2024-02-01,1,2,3\n')
    work(job["id"])

    csv = call("GET", data_set, secret, f"/{job['id']}/rejected")
    ndjson = call("GET", data_set, secret, f"/{job['id']}/rejected", query="format=ndjson")

    lines = b"".join(csv.streaming_content).decode().splitlines()
    assert lines[0] == "_timestamp,n,place,row,reason"
    assert lines[1].startswith('never,-2,"\'=B,1",3,')
    assert (len(lines), csv.headers["Content-Type"]) == (3, "text/csv; charset=utf-8")
    rows = [json.loads(line) for line in b"".join(ndjson.streaming_content).splitlines()]
    assert [(row["row"], row["column"]) for row in rows] == [(3, "_timestamp"), (4, None)]
    assert rows[0]["values"] == {"_timestamp": "never", "n": "-2", "place": "=B,1"}


def test_an_import_is_paused_and_goes_on(data_set, secret):
    job = sent(data_set, secret)
    DataImport.objects.filter(pk=job["id"]).update(state="running")

    assert change(data_set, secret, job, {"state": "paused"}).json()["state"] == "paused"
    assert work(job["id"]).state == "paused"
    assert change(data_set, secret, job, {"state": "paused"}).status_code == 409
    answer = change(data_set, secret, job, {"state": "running"})
    assert (answer.json()["state"], answer.headers["Retry-After"]) == ("running", "1")


def test_a_cancelled_import_ends(data_set, secret):
    job = sent(data_set, secret)

    answer = call("DELETE", data_set, secret, f"/{job['id']}")

    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert answer.json()["finished_at"]
    assert work(job["id"]).state == "cancelled"
    again = call("DELETE", data_set, secret, f"/{job['id']}")
    assert (again.status_code, again.json()) == (409, {"status": "error", "message": "The import is cancelled."})


def test_imports_are_listed_in_pages(data_set, secret):
    ids = []
    for _ in range(22):
        ids.append(sent(data_set, secret)["id"])
        call("DELETE", data_set, secret, f"/{ids[-1]}")

    first = call("GET", data_set, secret).json()
    second = call("GET", data_set, secret, query=f"cursor={first['next_cursor']}").json()

    assert [job["id"] for job in [*first["data"], *second["data"]]] == ids[::-1]
    assert (len(first["data"]), second["next_cursor"]) == (20, None)


def test_unfinished_imports_are_limited(data_set, secret):
    for _ in range(starting.MAX_UNFINISHED):
        sent(data_set, secret)

    answer = call("POST", data_set, secret, "", CSV)

    assert (answer.status_code, "not finished" in answer.json()["message"]) == (409, True)


def test_an_empty_file(data_set, secret):
    answer = call("POST", data_set, secret, "", b"")

    assert (answer.status_code, answer.json()["message"]) == (400, "The file is empty.")


def test_a_file_without_rows_is_finished(data_set, secret):
    done = work(sent(data_set, secret, b"_timestamp,n\n")["id"])

    assert (done.state, done.total, done.progress) == ("finished", 0, 1.0)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"kind": "image/png"}, 415),
        ({"kind": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Encoding": "br"}, 415),
        ({"Content_Encoding": "gzip"}, 400),
        ({"query": "dry_run=1"}, 400),
        ({"query": "settings=none"}, 400),
        ({"kind": "multipart/form-data; boundary=b"}, 400),
    ],
)
def test_a_wrong_upload(data_set, secret, options, status):
    assert call("POST", data_set, secret, "", CSV, **options).status_code == status
    assert not DataImport.objects.exists()


def test_a_file_over_the_limit(data_set, secret, settings):
    settings.IMPORT_MAX_BYTES = 10

    answer = call("POST", data_set, secret, "", CSV)

    assert answer.status_code == 413


def test_a_file_that_unpacks_over_the_limit_fails(data_set, secret, settings):
    settings.IMPORT_MAX_BYTES = 100_000

    done = work(sent(data_set, secret, gzip.compress(b"\0" * 10_000_000))["id"])

    assert (done.state, "after decompression" in done.error) == ("failed", True)


@pytest.mark.parametrize(
    "given",
    [
        {"colour": 1},
        {"format": "xls"},
        {"columns": {"a": {"kind": "text"}}},
        {"columns": {"a": {"form": "tt.mm.jjjj"}}},
        {"columns": {"a": {"to": "x"}, "b": {"to": "x"}}},
        {"columns": {"a": {"to": "_x"}}},
        {"decimal": ",", "thousands": ","},
        {"zone": "Europe/Nowhere"},
        {"encoding": "utf-9"},
        {"skip_rows": -1},
        {"skip_rows": "1"},
        {"timestamp": {"from": [], "form": "yyyy"}},
        {"timestamp": {"form": "yyyy"}},
        [],
    ],
)
def test_wrong_settings_are_refused_with_their_key(data_set, secret, given):
    body, kind = multipart(file=("a.csv", CSV), settings=("", json.dumps(given).encode()))

    answer = call("POST", data_set, secret, "", body, kind=kind)

    assert (answer.status_code, answer.json()["status"]) == (400, "error")
    assert next(iter(given), "settings") in answer.json()["message"]
    assert not DataImport.objects.exists()


def test_settings_that_are_no_json(data_set, secret):
    body, kind = multipart(file=("a.csv", CSV), settings=("", b"{"))

    assert call("POST", data_set, secret, "", body, kind=kind).status_code == 400


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b"{", b'{"state": "finished"}', b'{"state": 1}', b'{"state": "paused", "settings": {}}']
)
def test_a_wrong_change(data_set, secret, body):
    job = sent(data_set, secret)

    assert change(data_set, secret, job, body).status_code == 400


def test_settings_of_an_import_that_does_not_ask(data_set, secret):
    job = sent(data_set, secret)

    assert change(data_set, secret, job, {"settings": {"zone": "UTC"}}).status_code == 409
    assert call("PATCH", data_set, secret, f"/{job['id']}", b"{}", kind="text/plain").status_code == 415


@pytest.mark.parametrize("id", ["x", "00000000-0000-4000-8000-000000000000"])
def test_an_import_that_does_not_exist(data_set, secret, id):
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/rejected")):
        assert call(method, data_set, secret, f"/{id}{path}").status_code == 404
    assert call("GET", data_set, secret, query=f"cursor={id}").status_code == 400


def test_an_import_of_another_data_set(data_set, secret):
    other = make_data_set("pay", "other")
    job = sent(other, make_token(other, "write"))

    assert call("GET", data_set, secret, f"/{job['id']}").status_code == 404
    assert call("GET", other, secret, f"/{job['id']}").status_code == 403


def test_every_call_needs_the_scope_write(data_set):
    data_set.public = True
    data_set.save()
    reader = make_token(data_set, "read")

    assert call("GET", data_set, reader).status_code == 403
    assert call("POST", data_set, reader, "", CSV).status_code == 403
    assert call("GET", data_set, "none").status_code == 401


def test_methods(data_set, secret):
    assert call("PUT", data_set, secret).headers["Allow"] == "GET, HEAD, POST, OPTIONS"
    assert call("POST", data_set, secret, "/x").headers["Allow"] == "GET, HEAD, PATCH, DELETE, OPTIONS"
    assert call("OPTIONS", data_set, "none").status_code == 200
    assert call("GET", data_set, secret, "/x/y").status_code == 404
    assert call("GET", data_set, secret, "/").status_code == 404


def test_the_id_of_a_set_with_computed_ids_is_its_own(secret, data_set):
    data_set.auto_ids = ["n"]
    data_set.save()
    body, kind = multipart(file=("a.csv", CSV), settings=("", b'{"id": ["n"]}'))

    assert "makes the _id" in call("POST", data_set, secret, "", body, kind=kind).json()["message"]
    assert work(sent(data_set, secret)["id"]).stored == 2


def test_saved_settings_are_replaced_by_name(data_set, secret):
    for zone in ("UTC", "Europe/Berlin"):
        body, kind = multipart(file=("a.csv", CSV), settings=("", json.dumps({"zone": zone, "save_as": "a"}).encode()))
        work(sent(data_set, secret, body, kind=kind)["id"])

    assert SavedImportSettings.objects.get().settings == {"zone": "Europe/Berlin"}


def test_every_format_is_read_in_the_limited_process(data_set, secret, tmp_path):
    rows = [{"_timestamp": "2024-01-01T00:00:00Z", "n": 1}, {"_timestamp": "2024-01-02T00:00:00Z", "n": 2}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    files = {
        "csv": CSV.replace(b"never", b"2024-01-03"),
        "json": json.dumps(rows).encode(),
        "ndjson": b"\n".join(json.dumps(row).encode() for row in rows),
        "parquet": (tmp_path / "a.parquet").read_bytes(),
        "xlsx": excel(["_timestamp", "n"], ["2024-01-01", 1], ["2024-01-02", 2]),
    }
    for kind, content in files.items():
        job = sent(data_set, secret, gzip.compress(content), kind="application/octet-stream")
        done = work(job["id"])
        assert (done.state, done.error, done.rejected, done.settings["format"]) == ("finished", "", 0, kind)
        assert done.stored >= 2


def test_a_spreadsheet_that_unpacks_over_the_limit_fails(data_set, secret):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", b"")
        with archive.open("xl/workbook.xml", "w", force_zip64=True) as part:
            for _ in range(1100):
                part.write(b" " * 1024 * 1024)

    done = work(sent(data_set, secret, bomb.getvalue(), kind="application/octet-stream")["id"])

    assert (done.state, "too large" in done.error) == ("failed", True)
