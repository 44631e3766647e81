"""`manage.py provision` for data sets: create, complete, repeat, reject."""

import copy
import getpass
import json

import pytest

from config.areas import DocumentErrors
from config.audit.models import AuditEvent
from datasets import tokens
from datasets.imports import starting
from datasets.management import provision
from datasets.models import AccessToken, Alarm, Dashboard, DataSet, SavedImportSettings, SavedQuery, Tile
from tests.datasets.making import make_data_set, make_token, put_in, some_records

pytestmark = pytest.mark.django_db
CARRIED = "a-token-of-the-old-system.~+/=" + "x" * 10


def apply(*data_sets: object) -> list[dict]:
    errors = DocumentErrors()
    done = provision.apply(list(data_sets), errors)
    assert errors.lines == []
    return done


def refused(*data_sets: object) -> list[str]:
    errors = DocumentErrors()
    before = DataSet.objects.count()
    provision.apply(list(data_sets), errors)
    assert DataSet.objects.count() == before
    return errors.lines


ONE = {"group": "pay", "type": "weekly-volumes"}


def test_a_new_data_set_gets_one_write_token():
    (done,) = apply(ONE)

    data_set = DataSet.objects.get()
    assert (done["id"], done["name"]) == (data_set.pk, "pay_weekly_volumes")
    (token,) = done["tokens"]
    assert (token["scopes"], token["revoked"], token["prefix"]) == (["write"], False, token["token"][:8])
    assert tokens.find_live(token["token"]).pk == token["id"]


def test_the_same_document_again_changes_nothing():
    document = {
        **ONE,
        "public": True,
        "retention_days": 400,
        "auto_ids": ["_timestamp", "channel"],
        "tokens": [
            {"scopes": ["write"]},
            {"scopes": ["write"]},
            {"scopes": ["read", "write"], "token": CARRIED},
            {"scopes": ["read"], "revoked": True},
        ],
    }
    first = apply(copy.deepcopy(document))
    audited = AuditEvent.objects.count()

    again = apply(document)

    assert [token["id"] for token in again[0]["tokens"]] == [token["id"] for token in first[0]["tokens"]]
    assert len({token["id"] for token in again[0]["tokens"]}) == 4
    assert ["token" in token for token in again[0]["tokens"]] == [False, False, True, False]
    assert AuditEvent.objects.count() == audited
    assert AccessToken.objects.count() == 4


def test_missing_settings_and_records_stay():
    apply({**ONE, "public": True, "max_records": 5})
    data_set = DataSet.objects.get()
    DataSet.objects.update(retention_days=10, auto_ids=["channel"])  # as staff may have changed them
    put_in(data_set, some_records(3))

    (done,) = apply({**ONE, "expected_every_seconds": 60})

    data_set.refresh_from_db()
    assert (data_set.public, data_set.max_records, data_set.expected_every_seconds) == (True, 5, 60)
    assert (data_set.retention_days, data_set.auto_ids) == (10, ["channel"])
    assert data_set.records.count() == 3
    assert done["tokens"] == []
    changed = AuditEvent.objects.get(verb="changed")
    assert (changed.before, changed.after) == ({"expected_every_seconds": None}, {"expected_every_seconds": 60})


@pytest.mark.parametrize(
    ("name", "stored", "given"),
    [
        ("public", True, False),
        ("realtime", True, False),
        ("auto_ids", ["channel"], None),
        ("retention_days", 10, None),
        ("max_records", 5, None),
        ("expected_every_seconds", 60, None),
    ],
)
def test_a_setting_that_is_given_replaces_the_stored_one(name, stored, given):
    apply({**ONE, name: stored})

    apply({**ONE, name: given})

    assert getattr(DataSet.objects.get(), name) == given


def test_the_audit_names_the_path_and_the_user_of_the_command():
    apply(ONE)

    found = {(event.verb, event.object_kind, event.object_label) for event in AuditEvent.objects.all()}
    prefix = AccessToken.objects.get().prefix
    assert found == {
        ("created", "datagroup", "pay"),
        ("created", "datatype", "weekly-volumes"),
        ("created", "dataset", "pay/weekly-volumes"),
        ("issued", "accesstoken", f"{prefix}…"),
    }
    assert {event.actor_id for event in AuditEvent.objects.all()} == {getpass.getuser()}


def test_undeclared_data_sets_and_tokens_stay():
    other = make_data_set("other", "one", public=True)
    secret = make_token(other)

    apply(ONE)

    other.refresh_from_db()
    assert other.public
    assert tokens.find_live(secret)


def test_an_imported_token_gets_its_declared_scopes_and_stays_revoked():
    apply({**ONE, "tokens": [{"scopes": ["write"], "token": CARRIED}]})
    apply({**ONE, "tokens": [{"scopes": ["read"], "token": CARRIED}]})
    assert tokens.find_live(CARRIED).scopes == ["read"]

    apply({**ONE, "tokens": [{"scopes": ["read"], "token": CARRIED, "revoked": True}]})
    (done,) = apply({**ONE, "tokens": [{"scopes": ["read"], "token": CARRIED}]})

    assert done["tokens"][0]["revoked"] is True
    with pytest.raises(tokens.TokenNotLive):
        tokens.find_live(CARRIED)


def test_no_secret_is_stored_or_audited():
    apply({**ONE, "tokens": [{"scopes": ["write"], "token": CARRIED}]})

    assert CARRIED not in str(list(AccessToken.objects.values()))
    assert CARRIED not in str(list(AuditEvent.objects.values()))


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"group": "Pay"}, "data_sets[0].group: Use only a–z, 0–9, - and _. “P” is not allowed."),
        ({"group": 5}, "data_sets[0].group: must be a string"),
        ({"type": "x" * 61}, "data_sets[0].type: Use 1 to 60 characters, not 61."),
        ({"public": "yes"}, "data_sets[0].public: must be true or false"),
        ({"realtime": 1}, "data_sets[0].realtime: must be true or false"),
        ({"retention_days": 0}, "data_sets[0].retention_days: Records can be kept for 1 to 36,500 days."),
        ({"retention_days": True}, "data_sets[0].retention_days: must be a whole number"),
        ({"max_records": 1.0}, "data_sets[0].max_records: must be a whole number"),
        ({"auto_ids": []}, "data_sets[0].auto_ids: Enter 1 to 20 fields, not 0."),
        ({"auto_ids": ["a", "a"]}, "data_sets[0].auto_ids: “a” is in the list twice. Enter each field once."),
        ({"auto_ids": ["_id"]}, "data_sets[0].auto_ids: “_id” is not a field name."),
        ({"auto_ids": [["a"]]}, "data_sets[0].auto_ids[0]: must be a string"),
        ({"colour": 1}, "data_sets[0].colour: is not a known key"),
        ({"tokens": {}}, "data_sets[0].tokens: must be a list"),
        ({"tokens": ["x"]}, "data_sets[0].tokens[0]: must be an object"),
        ({"tokens": [{}]}, "data_sets[0].tokens[0].scopes: is required"),
        ({"tokens": [{"scopes": []}]}, "data_sets[0].tokens[0].scopes: Choose write, read or both. Choose each once."),
        (
            {"tokens": [{"scopes": ["read", "read"]}]},
            "data_sets[0].tokens[0].scopes: Choose write, read or both. Choose each once.",
        ),
        (
            {"tokens": [{"scopes": ["read"], "token": "short"}]},
            "data_sets[0].tokens[0].token: Use 32 to 128 of the characters A-Z a-z 0-9 . _ ~ + / = -",
        ),
        (
            {"tokens": [{"scopes": ["read"], "token": None}]},
            "data_sets[0].tokens[0].token: must be a string",
        ),
        ({"tokens": [{"scopes": ["read"], "revoked": None}]}, "data_sets[0].tokens[0].revoked: must be true or false"),
        ({"tokens": [{"scopes": ["read"], "note": ""}]}, "data_sets[0].tokens[0].note: is not a known key"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else "",
)
def test_each_error_is_named_by_its_path(wrong, line):
    assert refused({**ONE, **wrong}) == [line]


def test_all_errors_are_named_at_once():
    lines = refused({}, 5, ONE, ONE)

    assert lines == [
        "data_sets[0].group: is required",
        "data_sets[0].type: is required",
        "data_sets[1]: must be an object",
        "data_sets[3]: pay/weekly-volumes is declared twice",
    ]


def test_a_document_that_is_not_a_list_is_rejected():
    errors = DocumentErrors()

    provision.apply({"group": "pay"}, errors)

    assert errors.lines == ["data_sets: must be a list"]


def test_a_token_of_another_data_set_is_rejected():
    apply({**ONE, "tokens": [{"scopes": ["write"], "token": CARRIED}]})

    lines = refused({"group": "pay", "type": "other", "tokens": [{"scopes": ["write"], "token": CARRIED}]})

    assert lines == ["data_sets[0].tokens[0].token: belongs to another data set"]


def test_one_token_for_two_data_sets_is_rejected():
    with_token = {"tokens": [{"scopes": ["write"], "token": CARRIED}]}

    lines = refused({"group": "pay", "type": "a", **with_token}, {"group": "pay", "type": "b", **with_token})

    assert lines == ["data_sets[1].tokens[0].token: is given twice"]


def test_the_command_applies_all_or_nothing(service):
    good, bad = {"group": "all", "type": "or-nothing"}, {"group": "all", "type": "BAD"}

    failed = service.manage("provision", "-", input=json.dumps({"data_sets": [good, bad]}))

    assert failed.returncode == 1
    assert failed.stderr.splitlines() == ["data_sets[1].type: Use only a–z, 0–9, - and _. “B” is not allowed."]
    assert failed.stdout == ""


def test_alarms_are_created_changed_and_found_by_their_name():
    alarm = {
        "name": "Late", "measure": "minutes", "condition": "above", "limit": 60, "quiet_from": "22:00",
        "quiet_until": "07:00", "email_addresses": ["ana@example.org"], "grace_minutes": 5,
    }  # fmt: skip
    (made,) = apply({**ONE, "alarms": [alarm]})
    (again,) = apply({**ONE, "alarms": [{"name": "Late", "limit": 90}]})

    stored = Alarm.objects.get()
    assert made["alarms"][0]["id"] == again["alarms"][0]["id"] == stored.pk
    assert (stored.limit, stored.grace_minutes, stored.quiet_from.hour) == (90, 5, 22)
    assert stored.email_addresses == ["ana@example.org"]
    verbs = AuditEvent.objects.filter(object_kind="alarm").order_by("at").values_list("verb", flat=True)
    assert list(verbs) == ["created", "changed"]
    apply({**ONE, "alarms": [{**alarm, "limit": 90}]})
    assert AuditEvent.objects.filter(object_kind="alarm").count() == 2


def test_invalid_alarms_are_refused_with_their_paths():
    lines = refused(
        {
            **ONE,
            "alarms": [
                {"name": "A", "measure": "mean", "condition": "over", "limit": "1", "grace_minutes": -1},
                {"name": "B", "email_addresses": ["nobody"], "quiet_from": "25:00"},
            ],
        }
    )
    assert {line.split(":")[0] for line in lines} == {
        *(f"data_sets[0].alarms[0].{name}" for name in ("measure", "condition", "limit", "grace_minutes")),
        *(f"data_sets[0].alarms[1].{name}" for name in ("email_addresses", "quiet_from")),
    }
    twice = {"name": "A", "measure": "minutes", "condition": "above", "limit": 1}
    assert "is given twice" in refused({**ONE, "alarms": [twice, twice]})[0]
    assert "give both" in refused({**ONE, "alarms": [{**twice, "quiet_from": "22:00"}]})[0]


QUERY = {
    "name": "Daily", "question": {"period": "day", "range": {"number": 7}, "compare": "previous_period"},
}  # fmt: skip
ON_QUERY = {"name": "Jump", "measure": "change", "saved_query": "Daily", "condition": "beyond", "limit": 12.5}


def test_an_alarm_watches_a_saved_query_of_the_same_document():
    apply({**ONE, "saved_queries": [QUERY], "alarms": [ON_QUERY]})
    apply({**ONE, "alarms": [{"name": "Jump", "measure": "records", "saved_query": None, "limit": 3}]})

    alarm = Alarm.objects.get()
    assert (alarm.measure, alarm.saved_query, alarm.limit, alarm.condition) == ("records", None, 3, "beyond")
    apply({**ONE, "alarms": [ON_QUERY]})
    alarm.refresh_from_db()
    assert (alarm.saved_query.name, alarm.limit) == ("Daily", 12.5)


def test_an_alarm_on_a_share_has_the_share():
    share = {"value": "count", "part": {"status": ["failed"]}, "whole": {}, "hours": 1, "at_least": 20}
    alarm = {"name": "Failures", "measure": "share", "condition": "above", "limit": 5, "share": share}
    apply({**ONE, "alarms": [alarm]})
    apply({**ONE, "alarms": [{"name": "Failures", "limit": 6}]})

    stored = Alarm.objects.get()
    assert (stored.share, stored.limit) == (share, 6)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"saved_query": "Weekly"}, "saved_query: is not a saved query of this data set"),
        ({"saved_query": None}, "saved_query: Choose a saved query of the data set of the alarm."),
        ({"measure": "drift"}, "saved_query: Choose no saved query. This measure does not read one."),
        (
            {"measure": "late", "saved_query": None},
            "measure: This data set expects no writes. Set how often it expects one first.",
        ),
        ({"measure": "share", "saved_query": None}, "share: give it for the measure share, and for no other measure"),
        ({"share": {"value": "count"}}, "share: Give value, part, whole, hours, at_least."),
        ({"limit": True}, "limit: must be a number"),
        ({"limit": -1}, "limit: Enter 0 or more. Every value is further from 0 than a negative limit."),
        (
            {"quiet_from": "22:00", "quiet_until": "22:00"},
            "quiet_until: Enter another time than the one at which the quiet hours begin.",
        ),
    ],
)
def test_an_alarm_whose_values_do_not_belong_together_is_refused(changes, error):
    errors = DocumentErrors()
    provision.apply([{**ONE, "saved_queries": [QUERY], "alarms": [{**ON_QUERY, **changes}]}], errors)

    assert errors.lines == [f"data_sets[0].alarms[0].{error}"]
    assert not Alarm.objects.exists()


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ({"split": "channel"}, "The alarm “Jump” reads one value. Leave the query without a split."),
        ({}, "The alarm “Jump” reads a change. Leave the comparison in the query."),
    ],
)
def test_a_query_keeps_what_its_alarm_reads(question, error):
    apply({**ONE, "saved_queries": [QUERY], "alarms": [ON_QUERY]})
    changed = {**ONE, "saved_queries": [{"name": "Daily", "question": question}]}

    assert refused(changed) == [f"data_sets[0].saved_queries[0].question: {error}"]
    apply({**changed, "alarms": [{"name": "Jump", "measure": "records", "saved_query": None}]})


def test_a_query_whose_small_values_a_tile_hides_does_not_become_a_ratio():
    apply({**ONE, "saved_queries": [QUERY]})
    dashboard = Dashboard.objects.create(slug="days", title="Days")
    Tile.objects.create(dashboard=dashboard, place=0, saved_query=SavedQuery.objects.get(), hide_below=10)
    ratio = {"name": "Daily", "question": {"divided_by": {}}}

    (line,) = refused({**ONE, "saved_queries": [ratio]})

    assert "Small values can be hidden in counts and sums" in line


def test_more_alarms_than_a_data_set_can_have_are_refused():
    rule = {"measure": "records", "condition": "above", "limit": 0}
    errors = DocumentErrors()
    provision.apply([{**ONE, "alarms": [{**rule, "name": f"A{number}"} for number in range(101)]}], errors)

    assert errors.lines == ["data_sets[0].alarms[100].name: A data set can have 100 alarms. Delete one first."]


SETTINGS = {"delimiter": ";", "columns": {"Tag": {"to": "_timestamp", "type": "date", "form": "dd.mm.yyyy"}}}


def test_import_settings_are_created_replaced_and_found_by_their_name():
    apply({**ONE, "import_settings": [{"name": "Monthly", "settings": SETTINGS}, {"name": "Other", "settings": {}}]})
    events = AuditEvent.objects.count()

    apply({**ONE, "import_settings": [{"name": "Monthly", "settings": SETTINGS}]})
    assert AuditEvent.objects.count() == events
    apply({**ONE, "import_settings": [{"name": "Monthly", "settings": {"decimal": ","}}]})

    assert dict(SavedImportSettings.objects.values_list("name", "settings")) == {
        "Monthly": {"decimal": ","},
        "Other": {},
    }
    assert starting.saved(DataSet.objects.get(), "Monthly") == {"decimal": ","}


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"name": "x" * 61, "settings": {}}, ".name: must have 1 to 60 characters"),
        ({"name": "a"}, ".settings: is required"),
        ({"name": "a", "settings": []}, ".settings: must be an object"),
        ({"name": "a", "settings": {"colour": 1}}, ".settings.colour: is unknown"),
        (
            {"name": "a", "settings": {"columns": {"n": {"type": "x"}}}},
            ".settings.columns.n.type: must be one of text, integer, number, boolean, date, time, json",
        ),
    ],
)
def test_wrong_import_settings_are_refused_with_their_paths(entry, line):
    errors = DocumentErrors()
    provision.apply([{**ONE, "import_settings": [entry]}], errors)

    assert errors.lines == [f"data_sets[0].import_settings[0]{line}"]
