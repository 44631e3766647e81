"""`manage.py import_records` does the work itself, and prints questions with their answers."""

import json

import pytest
from django.core.management import CommandError, call_command

from datasets.models import DataImport
from tests.datasets.making import stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Datum;Betrag\n31.01.2024;1,5\nunknown;2,5\n")
    return path


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"decimal": ",", "columns": {"Datum": {"to": "_timestamp"}}, "save_as": "usual"}))
    return path


def test_a_file_is_imported(data_set, file, answers, tmp_path, capsys):
    call_command("import_records", str(file), "--set", "pay/volumes", "--settings-file", str(answers), "--dry-run")
    assert not stored(data_set)

    rejected = tmp_path / "rejected.csv"
    call_command(
        "import_records", str(file), "--set=pay/volumes", f"--settings-file={answers}", f"--rejected={rejected}"
    )

    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "2 rows: 1 would be stored (1 new, 0 replaced), 1 rejected, 0 left out",
        "2 rows: 1 stored (1 new, 0 replaced), 1 rejected, 0 left out",
    ]
    assert "row 3: Datum: " in err
    assert [record["Betrag"] for record in stored(data_set).values()] == [1.5]
    assert rejected.read_text(encoding="utf-8").splitlines()[1].startswith('unknown,"2,5",3,')
    call_command("import_records", str(file), "--set=pay/volumes", "--saved=usual")
    assert "1 replaced" in capsys.readouterr().out


def test_questions_are_printed_and_nothing_is_stored(data_set, file, capsys):
    with pytest.raises(CommandError) as caught:
        call_command("import_records", str(file), "--set", "pay/volumes")

    assert caught.value.returncode == 2
    assert '{"columns": {"Datum": {"to": "_timestamp"}}}' in capsys.readouterr().err
    assert DataImport.objects.get().state == "cancelled"
    assert not stored(data_set)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "--set", "pay/volumes"], "There is no file none.csv"),
        (["{file}", "--set", "pay/none"], "There is no data set pay/none"),
        (["{file}", "--set", "pay/volumes", "--saved", "none"], "no settings are saved as none"),
        (["{file}", "--set", "pay/volumes", "--settings-file", "{file}"], "cannot be read"),
        (["/dev/null", "--set", "pay/volumes"], "There is no file /dev/null"),
    ],
)
def test_wrong_arguments(data_set, file, arguments, message):
    with pytest.raises(CommandError, match=message):
        call_command("import_records", *(argument.format(file=file) for argument in arguments))

    assert not DataImport.objects.exists()


def test_a_file_that_cannot_be_read(data_set, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"%PDF-1.7")

    with pytest.raises(CommandError, match="Save the table as CSV"):
        call_command("import_records", str(path), "--set", "pay/volumes")
