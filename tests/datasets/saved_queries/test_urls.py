"""The URLs of a saved query: their readers, their formats, and what caches may keep."""

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from config import audit
from datasets import store
from datasets import tokens as access_tokens
from datasets.models import DataSet, SavedQuery
from datasets.saved_queries import tokens
from tests.datasets.making import make_data_set, put_in
from tests.datasets.saved_queries.making import save

pytestmark = pytest.mark.django_db

MONTHS = {"kind": "between", "start_at": "2024-01-01T00:00:00Z", "end_at": "2024-03-01T00:00:00Z"}
BY_MONTH = {"measure": {"field": "count"}, "period": "month", "split": "channel", "range": MONTHS}


@pytest.fixture
def visits() -> DataSet:
    data_set = make_data_set(type="visits")
    days = [("2024-01-05", "web", 60), ("2024-02-06", "phone", 40)]
    put_in(data_set, [{"_timestamp": f"{day}T10:00:00Z", "channel": name, "count": n} for day, name, n in days])
    return DataSet.objects.get(pk=data_set.pk)


def get(query, form="json", secret="", method="GET", **headers):
    sent = {"Authorization": f"Bearer {secret}"} if secret else {}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Client().generic(method, f"/queries/{query.public_id}.{form}", headers=sent)


def test_a_public_answer_as_json(visits):
    query = save(visits, BY_MONTH, is_public=True, unit="visits", description="By month")

    answer = get(query)

    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "max-age=1800, must-revalidate"
    body = answer.json()
    assert (body["id"], body["name"], body["unit"]) == (query.public_id, "Visits", "visits")
    assert body["data"][1] == {
        "_start_at": "2024-01-01T00:00:00Z",
        "_end_at": "2024-02-01T00:00:00Z",
        "channel": "web",
        "value": 60,
    }


def test_a_public_answer_as_csv(visits):
    query = save(visits, BY_MONTH, is_public=True)

    text = get(query, "csv").content.decode().split("\r\n")

    assert text[:2] == ["_start_at,_end_at,channel,value", "2024-01-01T00:00:00Z,2024-02-01T00:00:00Z,phone,"]


def test_a_field_named_value_is_the_group_of_a_row(visits):
    put_in(visits, [{"_timestamp": "2024-01-07T00:00:00Z", "value": "good"}])
    query = save(visits, {"split": "value", "range": {"kind": "all"}}, is_public=True)

    assert get(query).json()["data"] == [{"group": "good", "value": 1}]
    assert get(query, "csv").content.decode().splitlines() == ["group,value", "good,1"]


def test_a_public_answer_as_image(visits):
    query = save(visits, BY_MONTH, is_public=True, chart="bar")

    svg, png = get(query, "svg"), get(query, "png")

    assert (svg.headers["Content-Type"], svg.content[:4]) == ("image/svg+xml", b"<svg")
    assert "default-src 'none'" in svg.headers["Content-Security-Policy"]
    assert (png.headers["Content-Type"], png.content[1:4]) == ("image/png", b"PNG")


HOURS = {"kind": "between", "start_at": "2024-01-01T00:00:00Z", "end_at": "2024-04-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("question", "chart"),
    [(BY_MONTH, "table"), ({"measure": {"field": "count"}, "period": "hour", "range": HOURS}, "line")],
    ids=["table", "2,184 hours"],
)
def test_a_table_and_too_many_values_have_no_image(visits, question, chart):
    answer = get(save(visits, question, is_public=True, chart=chart), "svg")

    assert (answer.status_code, answer.json()["message"]) == (
        404,
        "This saved query has no chart, no values, or more values than a chart shows. Request .json or .csv.",
    )


def test_a_private_answer_needs_its_token(visits):
    query, other = save(visits, BY_MONTH), save(visits, {}, name="Other")
    token, secret = tokens.issue(query)
    _, foreign = tokens.issue(other)

    assert get(query).status_code == 401
    assert get(query, secret="dq_wrong").status_code == 401
    assert get(query, secret=foreign).status_code == 403
    answer = get(query, secret=secret)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "private, no-cache")
    assert "Access-Control-Allow-Origin" not in answer.headers

    tokens.revoke(token)
    assert get(query, secret=secret).status_code == 401


def test_a_query_that_does_not_exist_looks_like_a_private_one(visits):
    missing = save(visits, {})
    missing.public_id = "a" * 16

    assert get(missing).content == get(save(visits, {}, name="Private")).content


def test_the_token_of_a_query_does_not_read_the_data_set(visits):
    _, secret = tokens.issue(save(visits, BY_MONTH))

    answer = Client().get("/data/pay/visits", headers={"Authorization": f"Bearer {secret}"})

    assert answer.status_code == 401


def test_an_entity_tag_lasts_until_the_data_changes(visits):
    query = save(visits, BY_MONTH, is_public=True)
    tag = get(query).headers["ETag"]
    assert get(query, If_None_Match=tag).status_code == 304
    assert get(query, "csv", If_None_Match=tag).status_code == 200

    put_in(visits, [{"_timestamp": "2024-01-07T00:00:00Z", "channel": "web", "count": 1}])

    assert get(query, If_None_Match=tag).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_other_methods_are_refused(visits, method):
    answer = get(save(visits, {}, is_public=True), method=method)

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_a_query_that_fails_states_why(visits):
    broken = save(visits, {"measure": {"field": "count"}, "divided_by": {"data_set": "pay/none"}}, is_public=True)

    answer = get(broken)

    assert (answer.status_code, json.loads(answer.content)["message"]) == (404, "There is no such data set.")


INVALID = "This saved query is not valid any more. number of periods must be a whole number from 1 to 1000."


@pytest.mark.parametrize("form", ["json", "csv", "svg", "png"])
def test_a_query_that_has_become_invalid_states_why(visits, form):
    query = save(visits, BY_MONTH, is_public=True, chart="bar")
    assert get(query, form).status_code == 200
    document = {**query.question, "range": {"kind": "last", "number": 5_000}}
    for question, message in [(document, INVALID), ([], None), ({"measure": None}, None)]:
        SavedQuery.objects.filter(pk=query.pk).update(question=question)

        answer = get(query, form)

        assert answer.status_code == 409
        found = json.loads(answer.content)["message"]
        assert found == message or (message is None and found.startswith("This saved query is not valid any more. "))


@pytest.mark.parametrize(("form", "status"), [("json", 200), ("csv", 200), ("svg", 404)])
def test_a_query_answers_after_its_records_and_the_account_of_its_author_are_gone(visits, form, status):
    author = User.objects.create_user("ada")
    query = save(visits, BY_MONTH, is_public=True, chart="bar", created_by=author)
    store.empty(visits, by=audit.COMMAND)
    author.delete()

    assert get(query, form).status_code == status


def test_another_data_set_at_the_path_of_a_deleted_one_is_not_read(visits):
    """It may belong to other people."""
    costs = make_data_set(type="costs")
    query = save(visits, {"divided_by": {"data_set": "pay/costs"}, "range": {"kind": "all"}}, is_public=True)
    assert get(query).status_code == 200

    costs.delete()
    put_in(make_data_set(type="costs"), [{"_timestamp": "2024-01-07T00:00:00Z"}])

    assert (get(query).status_code, get(query).json()["message"]) == (404, "There is no such data set.")


def test_the_upgrade_binds_stored_queries_to_the_data_sets_at_their_paths(visits):
    costs = make_data_set(type="costs")
    ratio = save(visits, {"divided_by": {"data_set": "pay/costs"}}, name="Ratio")
    broken = save(visits, {}, name="Broken")
    ratio.other_sets.clear()
    SavedQuery.objects.filter(pk=broken.pk).update(question={"measure": [], "divided_by": {"data_set": 5}})

    import_module("datasets.migrations.0019_bind_saved_queries").bind(apps, None)

    assert (list(ratio.other_sets.all()), list(broken.other_sets.all())) == ([costs], [])


def listed(secret):
    return Client().get("/queries", headers={"Authorization": f"Bearer {secret}"} if secret else {})


def test_a_token_lists_the_queries_that_it_may_read(visits):
    public = save(visits, BY_MONTH, is_public=True, unit="visits", description="By month")
    private = save(visits, {}, name="Private")
    save(make_data_set(type="other"), {}, is_public=True)
    _, of_query = tokens.issue(private)
    _, reading = access_tokens.issue(visits, ["read"])
    _, writing = access_tokens.issue(visits, ["write"])

    assert listed(reading).json() == {
        "data": [
            {
                "id": public.public_id,
                "name": "Visits",
                "description": "By month",
                "unit": "visits",
                "data_set": "pay/visits",
                "is_public": True,
            }
        ]
    }
    assert [one["name"] for one in listed(of_query).json()["data"]] == ["Private"]
    assert [get(one, secret=reading).status_code for one in (public, private)] == [200, 401]
    assert [listed(secret).status_code for secret in ("", "dq_wrong", writing)] == [401, 401, 403]
    assert visits.tokens.get(may_write=False).last_used_at


def test_a_token_over_plain_http_is_refused(settings):
    settings.SECURE_SSL_REDIRECT = True

    for url in ("/queries", f"/queries/{'a' * 16}.json"):
        answer = Client().get(url, headers={"Authorization": "Bearer dq_secret"})
        assert (answer.status_code, answer.json()["status"]) == (403, "error")
