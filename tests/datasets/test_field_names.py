"""Every valid field name works in every query, page and export. Every other name is rejected."""

import csv
import io
import json
import shlex
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from datasets.admin import examples
from datasets.admin.data_set_forms import AutoIdsField
from datasets.queries import escaping
from tests.datasets.making import call, make_data_set, make_token, put_in, stored

NAMES = [
    "2026",
    "%",
    "%s",
    "a:b",
    "a:sum",
    "📦",
    "-x",
    "=1+1",
    'say "hi"',
    "it's",
    "C:\\x",
    "\\",
    ":",
    "a.b",
    "$.a[0]",
    "#-1",
    "a__in",
    "values",
    "null",
    " a ",
    " ",
    "\u2028",
    "\u202ea",
    "e\u0301",
    "<b>&amp;",
    "{{ x }}",
    "x" * 128,
    "📦" * 128,
    "\\" * 128,
    "id",
    "body",
]
CHARTED = ["2026", "a:b", "a:sum", "values", "null", "C:\\x", " a ", "📦" * 128]
_AT = "2024-01-01T00:00:00Z"


def manager() -> Client:
    user = User.objects.create_user("mina", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    client = Client()
    client.force_login(user)
    return client


def ask(data_set, token, *pairs):
    answer = call("GET", data_set, token, query=urlencode(pairs))
    return answer.status_code, json.loads(answer.content)


@pytest.fixture
def data_set(db):
    return make_data_set()


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_field_of_any_name_is_stored_returned_and_queried(data_set, name):
    token = make_token(data_set)
    written = escaping.escape(name)
    sent = [{"_id": "a", "_timestamp": _AT, name: "web"}, {"_id": "b", "_timestamp": _AT, name: 3}]

    assert call("POST", data_set, token, sent).status_code == 200

    assert [record[name] for record in stored(data_set).values()] == ["web", 3]
    assert [one["_id"] for one in ask(data_set, token, ("filter_by", f"{written}:web"))[1]["data"]] == ["a"]
    assert [one["_id"] for one in ask(data_set, token, ("filter_by", f"{written}:3"))[1]["data"]] == ["b"]
    assert [one["_id"] for one in ask(data_set, token, ("filter_by_prefix", f"{written}:we"))[1]["data"]] == ["a"]
    assert ask(data_set, token, ("group_by", written)) == (
        200,
        {"data": [{name: 3, "_count": 1}, {name: "web", "_count": 1}]},
    )
    span = [("period", "day"), ("start_at", _AT), ("end_at", "2024-01-02T00:00:00Z")]
    collected = ask(data_set, token, *span, ("collect", f"{written}:sum"), ("collect", written))[1]["data"]
    assert (collected[0][f"{name}:sum"], collected[0][name]) == (3, [3, "web"])
    flat = ask(data_set, token, *span, ("group_by", written), ("flatten", "true"))[1]["data"]
    assert [row[name] for row in flat] == [3, "web"]
    status, page = ask(data_set, token, ("sort_by", f"{written}:descending"), ("limit", "1"))
    assert (status, [one["_id"] for one in page["data"]]) == (200, ["a"])
    rest = ask(data_set, token, ("sort_by", f"{written}:descending"), ("cursor", page["next_cursor"]))[1]
    assert [one["_id"] for one in rest["data"]] == ["b"]
    sums = [("group_by", "other"), ("collect", f"{written}:sum"), ("sort_by", f"{written}:sum:ascending")]
    assert ask(data_set, token, *sums) == (200, {"data": []})


@pytest.mark.parametrize("name", ["_a", "_", "a\tb", "a\x7f", "a\x85", "", "x" * 129])
def test_any_other_name_is_rejected_by_every_parameter(data_set, name):
    token = make_token(data_set)
    written = escaping.escape(name)
    asked = (
        ("filter_by", f"{written}:x"),
        ("filter_by_prefix", f"{written}:x"),
        ("group_by", written),
        ("sort_by", f"{written}:ascending"),
    )

    assert call("POST", data_set, token, [{"_timestamp": _AT, name: 1}]).status_code == 400
    for pair in asked:
        assert ask(data_set, token, pair)[0] == 400, pair


def test_a_colon_that_is_not_escaped_is_not_part_of_a_name(data_set):
    token = make_token(data_set)
    put_in(data_set, [{"_timestamp": _AT, "a:b": 1}])

    assert ask(data_set, token, ("group_by", "a:b"))[0] == 400
    assert ask(data_set, token, ("sort_by", "a:b:ascending"))[0] == 400
    assert ask(data_set, token, ("group_by", "x"), ("collect", "a:b:sum"))[1]["message"] == "collect: unknown method."


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("group_by", r"a\:sum"), ("collect", "a:sum")], "The result would have two different values named a:sum."),
        (
            [("group_by", "b"), ("collect", r"a\:sum"), ("collect", "a:sum")],
            "The result would have two different values named a:sum.",
        ),
        (
            [("group_by", "values"), ("period", "day"), ("duration", "1")],
            "A field named values needs flatten=true with group_by and period.",
        ),
        (
            [("group_by", "b"), ("collect", "values"), ("period", "day"), ("duration", "1")],
            "A field named values needs flatten=true with group_by and period.",
        ),
    ],
)
def test_one_key_of_a_row_never_has_two_meanings(data_set, pairs, said):
    status, answer = ask(data_set, make_token(data_set), *pairs)

    assert (status, answer["message"]) == (400, said)


def test_an_id_is_made_of_fields_of_any_name(db):
    data_set = make_data_set(auto_ids=NAMES)
    token = make_token(data_set)
    record = {"_timestamp": _AT} | dict.fromkeys(NAMES, 1)

    assert call("POST", data_set, token, [record]).status_code == 200
    assert call("POST", data_set, token, [record]).status_code == 200

    assert len(stored(data_set)) == 1
    command = shlex.split(examples.write(data_set, token).replace("\\\n", ""))
    assert set(NAMES) < set(json.loads(command[command.index("-d") + 1])[0])


def test_the_settings_show_the_names_of_auto_ids_unchanged():
    names = [name for name in NAMES if name.strip()][:20]
    field = AutoIdsField(required=False)

    assert field.clean(field.prepare_value(names).replace("\n", "\r\n")) == names


@pytest.mark.django_db(transaction=True)
def test_pages_charts_and_exports_take_fields_of_any_name():
    data_set = make_data_set()
    put_in(
        data_set, [{"_timestamp": _AT, "_id": "a"} | dict.fromkeys(NAMES, 1), {"_timestamp": _AT, "_id": "b", "%": 2}]
    )
    client = manager()

    for tab in ("overview", "records", "chart"):
        page = client.get(reverse(f"admin:datasets_dataset_{tab}", args=[data_set.pk]))
        assert page.status_code == 200
        assert "📦" in page.content.decode()
        assert "<b>&amp;" not in page.content.decode()
    records_url = reverse("admin:datasets_dataset_records", args=[data_set.pk])
    for some in (NAMES[:10], NAMES[10:]):
        page = client.post(records_url, {"choose": "1", "columns": some})
        assert page.context["fields"] == [name for name in page.context["fields"] if name in some]
        assert len(page.context["fields"]) == len(some)
    exported = client.post(reverse("admin:datasets_dataset_export", args=[data_set.pk]), {"form": "csv"})
    rows = list(csv.reader(io.StringIO(b"".join(exported.streaming_content).decode(), newline="")))
    assert {name.removeprefix("'") for name in rows[0]} >= set(NAMES)


@pytest.mark.django_db
@pytest.mark.parametrize("name", CHARTED, ids=ascii)
def test_a_chart_measures_and_splits_by_a_field_of_any_name(name):
    data_set = make_data_set()
    year = "2024-01-01T00:00:00Z"
    put_in(data_set, [{"_timestamp": year, name: 4, "z": 5}, {"_timestamp": year, name: "web", "z": 1}])
    client = manager()
    url = reverse("admin:datasets_dataset_chart", args=[data_set.pk])
    client.get(reverse("admin:datasets_dataset_records", args=[data_set.pk]))
    asked = {"period": "year", "last": 100, "kind": "bars"}

    measured = client.get(url, {**asked, "measure": f"{escaping.escape(name)}:sum", "split": ""})
    split = client.get(url, {**asked, "measure": "z:sum", "split": name})
    both = client.get(url, {**asked, "measure": f"{escaping.escape(name)}:sum", "split": name})

    assert [sum(value or 0 for value in values) for _, values in measured.context["chart"].series] == [4]
    sums = {word: sum(value or 0 for value in values) for word, values in split.context["chart"].series}
    assert sums == {"4": 5, "web": 1}
    assert both.status_code == 200
