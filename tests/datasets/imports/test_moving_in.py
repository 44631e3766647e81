"""A dump of the 2018 data store is taken over, and taking it over again changes nothing."""

import gzip
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from datasets.models import AccessToken, DataImport, DataSet, Record
from tests.datasets.making import stored

pytestmark = pytest.mark.django_db
TOKEN = "former-token-of-a-writer-" + "0" * 20
GROUPS = ("govuk", "pay", "parks")


def make_dump(folder: Any, records: int = 20) -> Any:
    """Write a dump of three data sets: a public one, one with made ids, and one that is not public."""
    folder.mkdir()
    listed = [
        {
            "name": f"{group}_weekly_visits",
            "data_group": group,
            "data_type": "weekly-visits",
            "bearer_token": f"{TOKEN}{number}",
            "queryable": True,
            "raw_queries_allowed": True,
            "published": group != "parks",
            "auto_ids": ["_timestamp", "channel"] if group == "pay" else [],
            "realtime": group == "govuk",
            "max_age_expected": 86_400 if group == "govuk" else None,
            "capped_size": 4_194_304 if group == "parks" else None,
            "created": "2014-03-01T00:00:00+00:00",
        }
        for number, group in enumerate(GROUPS)
    ]
    (folder / "data-sets.json").write_text(json.dumps(listed))
    for group in GROUPS:
        lines = b"".join(map(_line, range(records)))
        packed = group == "pay"
        path = folder / f"{group}_weekly_visits.json{'.gz' * packed}"
        path.write_bytes(gzip.compress(lines) if packed else lines)
    return folder


def _line(number: int) -> bytes:
    at = f"2014-03-{number % 28 + 1:02}T{number // 28 % 24:02}:{number // 672 % 60:02}:00.000Z"
    record = {
        "_id": f"record-{number}",
        "_timestamp": {"$date": at},
        "_updated_at": {"$date": at},
        "_week_start_at": {"$date": at},
        "channel": f"channel {number}",
        "visits": {"$numberLong": str(number)},
        "share": number / 8,
    }
    return json.dumps(record).encode() + b"\n"


@pytest.fixture
def dump(tmp_path):
    return make_dump(tmp_path / "dump")


def state() -> list[Any]:
    return [
        list(DataSet.objects.order_by("pk").values()),
        list(AccessToken.objects.order_by("pk").values()),
        list(Record.objects.order_by("pk").values()),
    ]


def test_a_dump_is_taken_over_with_settings_tokens_and_records(dump, capsys):
    call_command("move_in", str(dump))

    sets = {str(one.group): one for one in DataSet.objects.all()}
    assert [sets[group].public for group in GROUPS] == [True, True, False]
    assert (sets["govuk"].realtime, sets["govuk"].expected_every_seconds) == (True, 86_400)
    assert sets["pay"].auto_ids == ["_timestamp", "channel"]
    own = stored(sets["govuk"])
    assert (len(own), own["record-3"]["visits"], own["record-3"]["share"]) == (20, 3, 0.375)
    assert not any("_week_start_at" in str(record.body) for record in Record.objects.all())
    assert len(stored(sets["pay"])) == 20
    out = capsys.readouterr().out
    assert "parks/weekly-visits: not public: its readers need a token with scope read" in out
    assert "parks/weekly-visits: not carried over: capped_size" in out
    assert "new token" not in out


def test_former_writers_and_readers_go_on_as_before(dump):
    call_command("move_in", str(dump))
    record = {"_timestamp": "2014-03-04T00:00:00Z", "channel": "channel 3", "visits": 99}

    written = Client().post(
        "/data/pay/weekly-visits", record, "application/json", headers={"Authorization": f"Bearer {TOKEN}1"}
    )
    read = Client().get("/data/pay/weekly-visits?filter_by=channel:channel%203")

    assert (written.status_code, read.status_code) == (200, 200)
    assert [(one["channel"], one["visits"]) for one in read.json()["data"]] == [("channel 3", 99)]


def test_the_same_dump_again_changes_nothing(dump, capsys):
    call_command("move_in", str(dump))
    DataSet.objects.filter(group__name="govuk").update(public=False)
    AccessToken.objects.filter(prefix=f"{TOKEN}0"[:8]).update(may_read=True)
    before = state()
    capsys.readouterr()

    call_command("move_in", str(dump))

    assert state() == before
    assert "govuk/weekly-visits: has 20 records, and is left as it is" in capsys.readouterr().out
    call_command("move_in", str(dump), "--overwrite=govuk/weekly-visits")
    assert Record.objects.count() == 60
    assert "govuk/weekly-visits: 20 of 20 records stored, 0 rejected" in capsys.readouterr().out


def test_a_dry_run_stores_nothing(dump, capsys):
    call_command("move_in", str(dump), "--dry-run")

    assert not DataSet.objects.exists()
    assert "govuk_weekly_visits.json" in capsys.readouterr().out


def change(dump, **values):
    listed = json.loads((dump / "data-sets.json").read_text())
    listed[1] |= values
    (dump / "data-sets.json").write_text(json.dumps(listed))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"data_group": None}, "data-sets.json: entry 2 has no data_group."),
        ({"name": "../x"}, "data-sets.json: '../x' is not a name of a collection."),
        ({"bearer_token": "short"}, "data_sets[1].tokens[0].token: Use 32 to 128 of the characters"),
        ({"data_type": "Weekly"}, "data_sets[1].type: Use only"),
        ({"max_age_expected": "a day"}, "data_sets[1].expected_every_seconds: must be a whole number"),
        ({"bearer_token": f"{TOKEN}0"}, "data_sets[1].tokens[0].token: is given twice"),
    ],
)
def test_a_wrong_list_changes_nothing(dump, wrong, message):
    change(dump, **wrong)

    with pytest.raises(CommandError) as caught:
        call_command("move_in", str(dump))

    assert message in str(caught.value)
    assert not DataSet.objects.exists()


def test_a_damaged_file_is_named_and_the_others_are_imported(dump, capsys):
    (dump / "pay_weekly_visits.json.gz").write_bytes(b"\x1f\x8b\x08rubbish")

    with pytest.raises(CommandError, match="Not all records were imported"):
        call_command("move_in", str(dump))

    assert "pay/weekly-visits: The file is not valid gzip data." in capsys.readouterr().err
    assert Record.objects.count() == 40


def test_records_of_an_import_that_failed_are_not_taken_for_all(dump, capsys):
    call_command("move_in", str(dump))
    DataImport.objects.filter(data_set__group__name="pay").update(state="failed")

    with pytest.raises(CommandError):
        call_command("move_in", str(dump))

    assert (
        "pay/weekly-visits: its last import did not finish. Use --overwrite pay/weekly-visits"
        in capsys.readouterr().err
    )
