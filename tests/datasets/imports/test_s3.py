"""The files of imports in S3: stored, read by a worker, deleted by the clean-up, and missing or away."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from config import audit
from datasets.imports import files, kept, shown, starting
from datasets.models import DataImport
from tests.cleaning import clean_up
from tests.datasets.imports.calling import call, work
from tests.datasets.making import stored
from tests.notifications.attachments.s3_store import S3Store

pytestmark = pytest.mark.django_db
CSV = b"_timestamp,n\n2024-01-01,1\nnever,2\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Store]:
    server = S3Store(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def bucket(server, settings):
    server.forget()
    backend = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {**server.options(), "location": "imports"}}
    settings.STORAGES = {**settings.STORAGES, "imports": backend}


def test_a_file_is_sent_imported_and_deleted(data_set, secret):
    sent = call("POST", data_set, secret, body=CSV)
    run = work(sent.json()["id"])

    assert (sent.status_code, run.state, run.stored, run.rejected) == (202, "finished", 1, 1)
    assert [record["n"] for record in stored(data_set).values()] == [1]
    assert {name for _, name in files.named()} == {f"{run.pk}.file", f"{run.pk}.rejected"}
    assert b"never" in b"".join(shown.rejected_ndjson(run))

    DataImport.objects.update(changed_at=timezone.now() - timedelta(days=8))
    clean_up("imports")
    assert not DataImport.objects.exists()
    assert list(files.named()) == []


def test_a_file_without_an_import_is_deleted(data_set, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(CSV)
    run = starting.start(data_set, path, {}, by=audit.COMMAND)
    run.delete()

    assert (kept.delete_left_behind(3600), kept.delete_left_behind(-1)) == (0, 1)
    assert list(files.named()) == []


def test_an_import_whose_file_is_missing_says_so(data_set, secret):
    sent = call("POST", data_set, secret, body=CSV)
    files.delete(sent.json()["id"])

    run = work(sent.json()["id"])

    assert (run.state, run.error) == ("failed", "The file is missing in the file store, or damaged. Import it again.")
