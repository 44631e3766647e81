"""The pages that import a file: upload, questions, preview, columns, check, import, pause, rejected rows."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from datasets.models import DataImport, SavedImportSettings
from tests.datasets.imports.calling import work
from tests.datasets.making import make_data_set, stored

pytestmark = pytest.mark.django_db
GERMAN = "Datum;Betrag;Ort\n31.01.2024;1,5;Köln\nunbekannt;2,5;Bonn\n02.02.2024;3,5;Ulm\n"


def signed_in(name: str, *, manages: bool = False) -> Client:
    user = User.objects.create_user(name, is_staff=True)
    if manages:
        user.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def manager() -> Client:
    return signed_in("mina", manages=True)


def page(data_set, word="imports") -> str:
    return reverse(f"admin:datasets_dataset_{word}", args=[data_set.pk])


def upload(client, data_set, text=GERMAN, name="a.csv", **fields) -> str:
    """Upload a file and return the URL of its import, once it was read."""
    answer = client.post(page(data_set), {"file": SimpleUploadedFile(name, text.encode()), **fields})
    assert answer.status_code == 302, answer.content
    work(str(DataImport.objects.first().pk))
    return answer.url


def press(client, url, step, **fields):
    seen = re.search(r'name="seen" value="([^"]+)"', client.get(url).content.decode())
    answer = client.post(url, {"step": step, "seen": seen[1] if seen else "", **fields})
    assert answer.status_code == 302
    work(str(DataImport.objects.first().pk))
    return client.get(url).content.decode()


def test_a_person_imports_a_file(manager, data_set):
    url = upload(manager, data_set)
    shown = manager.get(url).content.decode()
    assert ("How is 1,5 in Betrag read?" in shown, "Every record needs a time" in shown) == (True, True)
    assert not stored(data_set)

    shown = press(manager, url, "answer", **{"question-0": "0", "question-1": "0"})
    assert "The first 3 rows as they would be stored" in shown
    assert ('<th scope="col">Time</th>' in shown, "31 January 2024" in shown) == (True, True)
    assert ("Köln" in shown, "Rejected" in shown, "Import 3 rows" in shown) == (True, True, True)
    assert not stored(data_set)

    shown = press(manager, url, "dry_run")
    assert "Nothing was stored. 3 rows would be 2 new records and 1 rejected row." in shown
    assert not stored(data_set)

    shown = press(manager, url, "import")
    assert "3 rows: 2 new records and 1 rejected row." in shown
    assert sorted(record["Betrag"] for record in stored(data_set).values()) == [1.5, 3.5]
    assert AuditEvent.objects.get(verb="finished_import", after__dry_run=False).actor_label == "mina"
    assert "a.csv" in manager.get(page(data_set)).content.decode()


def test_columns_are_renamed_typed_and_left_out(manager, data_set):
    url = upload(manager, data_set)
    columns = {"to-0": "_timestamp", "type-0": "date", "form-0": "dd.mm.yyyy", "to-1": "amount", "type-1": "text"}
    columns |= {"form-1": "", "to-2": "Ort", "type-2": "text", "form-2": "", "leave-2": "1", "save_as": "usual"}

    press(manager, url, "answer", **columns)
    press(manager, url, "import")

    records = stored(data_set).values()
    assert sorted(record["amount"] for record in records) == ["1,5", "3,5"]
    assert all("Ort" not in record for record in records)
    saved = SavedImportSettings.objects.get(name="usual").settings
    assert saved["columns"]["Ort"] == {"leave_out": True}
    again = upload(manager, data_set, saved="usual")
    assert "Import 3 rows" in manager.get(again).content.decode()


def test_rejected_rows_are_downloaded_with_an_audit_entry(manager, data_set):
    url = upload(manager, data_set, "_timestamp,n\nnever,1\n2024-01-01,2\n")
    press(manager, url, "import")

    run = DataImport.objects.get()
    answer = manager.get(f"{page(data_set, 'rejected-rows')}?id={run.pk}")

    assert b"".join(answer.streaming_content).splitlines()[0] == b"_timestamp,n,row,reason"
    assert AuditEvent.objects.filter(verb="downloaded_rejected_rows").exists()


def test_a_running_import_is_paused_resumed_and_cancelled(manager, data_set):
    url = upload(manager, data_set, "_timestamp,n\n2024-01-01,1\n")
    DataImport.objects.update(state="running")
    assert 'http-equiv="refresh"' in manager.get(url).content.decode()

    for step, state in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled"), ("pause", "cancelled")):
        manager.post(url, {"step": step})
        assert DataImport.objects.get().state == state


def test_a_page_that_was_shown_earlier_changes_nothing(manager, data_set):
    url = upload(manager, data_set, "_timestamp,n\n2024-01-01,1\n")

    answer = manager.post(url, {"step": "import", "seen": "earlier"}, follow=True)

    assert "has changed since this page was shown" in answer.content.decode()
    assert DataImport.objects.get().state == "needs_answers"


def test_wrong_settings_are_shown(manager, data_set):
    url = upload(manager, data_set)
    seen = re.search(r'name="seen" value="([^"]+)"', manager.get(url).content.decode())[1]

    answer = manager.post(url, {"step": "answer", "seen": seen, "zone": "Nowhere"}, follow=True)

    assert "zone: is not a time zone" in answer.content.decode()


@pytest.mark.parametrize("content", [b"", None])
def test_an_upload_without_a_file_is_refused(manager, data_set, content):
    fields = {} if content is None else {"file": SimpleUploadedFile("a.csv", content)}

    answer = manager.post(page(data_set), fields)

    assert (answer.status_code, "The file was not imported." in answer.content.decode()) == (200, True)
    assert not DataImport.objects.exists()


def test_a_file_that_cannot_be_read_says_why(manager, data_set):
    url = upload(manager, data_set, "%PDF-1.7")

    assert "This is a PDF. Save the table as CSV or .xlsx." in manager.get(url).content.decode()


def test_only_managers_and_owners_see_the_imports_of_a_data_set(manager, data_set):
    url = upload(manager, data_set)
    owner, stranger = signed_in("olu"), signed_in("sam")
    data_set.owners.add(User.objects.get(username="olu"))
    other = make_data_set("pay", "other")
    other.owners.add(User.objects.get(username="sam"))

    assert owner.get(url).status_code == 200
    assert stranger.get(url).status_code == 404
    assert stranger.post(url, {"step": "cancel"}).status_code == 404
    run = DataImport.objects.get()
    for word in ("import", "rejected-rows"):
        assert stranger.get(f"{page(other, word)}?id={run.pk}").status_code == 404
        assert stranger.get(f"{page(other, word)}?id=x").status_code == 404
    assert DataImport.objects.get().state == "needs_answers"
