"""The console's pages of saved queries: made by choosing, previewed, given tokens, and only for owners."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from config.audit.models import AuditEvent
from datasets.models import Alarm, DataSet, QueryToken, SavedQuery
from datasets.store import fields_seen
from tests.datasets.making import make_data_set, put_in
from tests.datasets.saved_queries.making import save
from tests.datasets.test_data_set_pages import signed_in, text_of

pytestmark = pytest.mark.django_db

CHOSEN = {
    "name": "Visits by channel",
    "measure_field": "count",
    "measure_method": "sum",
    "split": "channel",
    "period": "month",
    "range_kind": "between",
    "start_at": "2024-01-01T00:00:00Z",
    "end_at": "2024-03-01T00:00:00Z",
    "chart": "bar",
}


@pytest.fixture
def data_set() -> DataSet:
    data_set = make_data_set(type="visits")
    days = [("2024-01-05", "web", 1_234), ("2024-02-06", "phone", 40)]
    put_in(data_set, [{"_timestamp": f"{day}T10:00:00Z", "channel": name, "count": n} for day, name, n in days])
    fields_seen.note(data_set)
    return DataSet.objects.get(pk=data_set.pk)


@pytest.fixture
def owner(data_set):
    client = signed_in("olu")
    data_set.owners.add(User.objects.get(username="olu"))
    return client


def page_url(name: str, *arguments: object) -> str:
    return reverse(f"admin:datasets_{name}", args=arguments)


def add_url(data_set) -> str:
    return f"{page_url('savedquery_add')}?data_set={data_set.pk}"


def preview(client, data_set, **changes):
    return client.post(f"{page_url('savedquery_preview')}?data_set={data_set.pk}", {**CHOSEN, **changes})


def test_a_query_is_made_by_choosing(data_set, owner):
    assert str(data_set) in text_of(owner.get(page_url("savedquery_add")))
    form = text_of(owner.get(add_url(data_set)))
    assert '<option value="channel">channel</option>' in form

    answer = owner.post(add_url(data_set), CHOSEN)

    assert answer.status_code == 302
    query = SavedQuery.objects.get()
    assert (query.name, query.chart, query.created_by.username) == ("Visits by channel", "bar", "olu")
    assert query.question["measure"] == {"field": "count", "method": "sum", "where": "", "data_set": ""}
    page = text_of(owner.get(page_url("savedquery_change", query.pk)))
    assert "1,234" in page
    assert f"/queries/{query.public_id}.csv" in page
    assert AuditEvent.objects.filter(verb="created", object_kind="savedquery", data_set_id=data_set.pk).exists()


def test_a_query_keeps_what_its_alarm_reads(data_set, owner):
    query = save(data_set, {"measure": {"field": "count"}}, name=CHOSEN["name"])
    Alarm.objects.create(data_set=data_set, name="Few", measure="query", condition="below", limit=1, saved_query=query)
    url = page_url("savedquery_change", query.pk)
    started_from = re.search(r'name="started_from" value="(\w+)"', text_of(owner.get(url)))[1]

    answer = owner.post(url, {**CHOSEN, "started_from": started_from})  # with a split

    assert "The alarm “Few” reads one value." in text_of(answer)
    query.refresh_from_db()
    assert not query.question["split"]


def test_a_changed_query_has_another_revision(data_set, owner):
    query = save(data_set, {"measure": {"field": "count"}})
    url = page_url("savedquery_change", query.pk)
    started_from = re.search(r'name="started_from" value="(\w+)"', text_of(owner.get(url)))[1]

    answer = owner.post(url, {**CHOSEN, "started_from": started_from})

    assert answer.status_code == 302
    query.refresh_from_db()
    assert (query.revision, query.question["split"]) == (2, "channel")


def test_the_preview_shows_the_result_and_stores_nothing(data_set, owner):
    text = text_of(preview(owner, data_set))

    assert "<svg" in text
    assert "January 2024" in text
    assert "period=month" in text
    assert not SavedQuery.objects.exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"where": "channel ="}, "where, character 10: expected a value, found the end."),
        ({"moving": "1"}, "Ensure this value is greater than or equal to 2."),
        ({"end_at": "tomorrow"}, "end_at must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z."),
        ({"range_kind": "all"}, "Choose a range of time. Periods and comparisons need one."),
        ({"start_at": "2030-01-01T00:00:00Z", "end_at": "2030-02-01T00:00:00Z"}, "No records in this range."),
    ],
)
def test_the_preview_states_what_is_wrong(data_set, owner, changes, sentence):
    assert sentence in text_of(preview(owner, data_set, **changes)).replace("&#x27;", "'")


def test_a_share_of_one_number(data_set, owner):
    changes = {"chart": "number", "period": "", "split": "", "measure_where": 'channel = "phone"', "unit": "%"}

    text = text_of(preview(owner, data_set, divide_by="own", divide_field="count", decimals="1", **changes))

    assert '<p class="query-number">3.1%</p>' in text


def test_a_number_that_is_no_share_keeps_its_value(data_set, owner):
    changes = {"chart": "number", "period": "", "split": "", "unit": "%"}

    text = text_of(preview(owner, data_set, **changes))

    assert '<p class="query-number">1,274%</p>' in text


def test_more_values_than_a_chart_shows_are_a_table(data_set, owner):
    text = text_of(preview(owner, data_set, period="hour", split="", end_at="2024-04-01T00:00:00Z"))

    assert "<svg" not in text
    assert "1 January 2024, 00:00" in text
    assert "The table has only the first rows and columns. The API has all of them." in text


def test_strangers_see_and_change_nothing(data_set, owner):
    query = save(data_set, {})
    stranger = signed_in("sam")
    make_data_set(type="other").owners.add(User.objects.get(username="sam"))

    assert stranger.get(page_url("savedquery_change", query.pk)).status_code in {403, 404}
    assert preview(stranger, data_set).status_code == 403
    assert query.name not in text_of(stranger.get(page_url("savedquery_changelist")))
    assert str(data_set) not in text_of(stranger.get(page_url("savedquery_add")))
    answer = stranger.post(f"{page_url('querytoken_add')}", {"saved_query": query.pk})
    assert not QueryToken.objects.exists(), answer.content


def test_a_name_is_used_once_in_a_data_set(data_set, owner):
    save(data_set, {}, name=CHOSEN["name"])

    text = text_of(owner.post(add_url(data_set), CHOSEN))

    assert "Another query of this data set has this name. Choose a different one." in text


def test_a_token_is_shown_once_and_revoked(data_set, owner):
    query = save(data_set, {})
    url = f"{page_url('querytoken_add')}?saved_query={query.pk}"
    nonce = owner.get(url).context["nonce"]

    shown = text_of(owner.post(url, {"saved_query": query.pk, "nonce": nonce}))

    token = QueryToken.objects.get()
    assert "dq_" in shown
    assert token.prefix in text_of(owner.get(page_url("savedquery_change", query.pk)))
    owner.post(page_url("querytoken_revoke", token.pk))
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_rows_are_not_stored_in_the_own_data_set(data_set, owner):
    text = text_of(owner.post(add_url(data_set), {**CHOSEN, "stored_in": data_set.pk, "stored_every": "day"}))

    assert "Choose another data set. A query cannot store its rows among its own records." in text


def test_rows_do_not_come_back_through_other_queries(data_set, owner):
    middle, last = make_data_set(type="middle"), make_data_set(type="last")
    for one in (middle, last):
        one.owners.add(User.objects.get(username="olu"))
    save(middle, {}, stored_in=last, stored_every="day")
    save(last, {}, stored_in=data_set, stored_every="day")
    chosen = {**CHOSEN, "stored_in": middle.pk, "stored_every": "day"}

    refused = text_of(owner.post(add_url(data_set), chosen))

    assert "Choose another data set. pay/middle fills a data set that this query measures." in refused
    SavedQuery.objects.filter(data_set=last).delete()
    assert owner.post(add_url(data_set), chosen).status_code == 302


def test_at_most_100_queries_of_a_data_set(data_set, owner):
    SavedQuery.objects.bulk_create(
        [SavedQuery(data_set=data_set, name=f"Q{number}", question=json.loads("{}")) for number in range(100)]
    )

    assert "has 100 saved queries" in text_of(owner.get(add_url(data_set)))


def test_a_query_that_has_become_invalid_is_opened_and_repaired(data_set, owner):
    query = save(data_set, {"measure": {"field": "count"}})
    SavedQuery.objects.update(question={**query.question, "moving": 1_000})
    url = page_url("savedquery_change", query.pk)

    shown = text_of(owner.get(url))
    saved = owner.post(url, CHOSEN)

    assert "This saved query is not valid any more. moving must be a whole number from 2 to 366." in shown
    assert '<option value="count" selected>' in shown
    assert saved.status_code == 302
    assert SavedQuery.objects.get().question["moving"] is None


def test_only_owners_of_both_data_sets_change_a_ratio_of_two(data_set, owner):
    """A condition of somebody else would show other figures of the second data set than its owners published."""
    costs = make_data_set(type="costs")
    put_in(costs, [{"_timestamp": "2024-01-05T00:00:00Z", "pounds": 10}])
    ratio = {"measure": {"field": "pounds", "data_set": "pay/costs"}, "divided_by": {"field": "count"}}
    query = save(data_set, ratio)
    url = page_url("savedquery_change", query.pk)
    wanted = {
        **CHOSEN,
        "split": "",
        "period": "",
        "measure_field": "pounds",
        "unit": "£",
        "divide_by": "own",
        "divide_field": "count",
    }
    show = f"{page_url('savedquery_preview')}?data_set={data_set.pk}&saved_query={query.pk}"

    refused = "pay/costs does not exist, or you do not own it."
    assert refused in text_of(owner.post(url, wanted))
    assert refused in text_of(owner.post(show, wanted))

    costs.owners.add(User.objects.get(username="olu"))
    assert "£0.01" in text_of(owner.post(show, wanted))
    assert owner.post(url, wanted).status_code == 302
    query.refresh_from_db()
    assert (query.question["measure"]["data_set"], list(query.other_sets.all())) == ("pay/costs", [costs])
