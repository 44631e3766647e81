"""The tabs of one data set in the console: content, actions, errors and permissions. Console §2.14, §2.15."""

import json
import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.audit.models import AuditEvent
from datasets import tasks, tokens
from datasets.models import AccessToken, AccessTokenDay, ChosenColumns, DataSet, DataSetDay
from datasets.store import call_counts
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records

pytestmark = pytest.mark.django_db
TABS = ("overview", "records", "chart", "tokens", "retention", "imports", "export", "activity", "change")
AT = "2024-01-01T00:00:00Z"


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


@pytest.fixture
def data_set() -> DataSet:
    return make_data_set()


def page(data_set: DataSet, tab: str) -> str:
    return reverse(f"admin:datasets_dataset_{tab}", args=[data_set.pk])


def text_of(answer) -> str:
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_opens_for_its_owner_and_not_for_others(data_set, tab):
    owner, stranger = signed_in("olu"), signed_in("sam")
    data_set.owners.add(User.objects.get(username="olu"))
    other = make_data_set(type="other")
    other.owners.add(User.objects.get(username="sam"))

    assert text_of(owner.get(page(data_set, tab))).count('aria-current="page"') >= 1
    answer = stranger.get(page(data_set, tab))
    never_was = stranger.get(reverse(f"admin:datasets_dataset_{tab}", args=[987654]))
    assert answer.status_code == never_was.status_code
    assert answer.status_code in {302, 404}
    assert signed_in("nobody").get(page(data_set, tab)).status_code in {302, 403, 404}


@pytest.mark.parametrize(
    ("tab", "said"),
    [
        ("overview", "Nothing has been written in these days."),
        ("overview", "No records yet. After the first"),
        ("tokens", "No write has been refused."),
        ("records", "No records yet."),
        ("chart", "No records in these periods."),
        ("tokens", "No tokens."),
        ("tokens", "No program can write to this data set until you issue"),
        ("export", "There is nothing to export"),
        ("activity", "No changes yet."),
        ("activity", "No writes in these days."),
        ("retention", "No limit"),
    ],
)
def test_an_empty_data_set_says_what_belongs_there(manager, data_set, tab, said):
    assert said in text_of(manager.get(page(data_set, tab)))


def test_the_overview_is_for_people_and_developers_find_commands_and_rejected_writes(manager, data_set):
    secret = make_token(data_set, "write")
    put_in(data_set, [{"_timestamp": AT, "channel": "web"}, {"_timestamp": "2024-02-03T04:05:06Z", "n": 5}])
    refused = call("POST", data_set, secret, [{"_timestamp": AT}, {"_timestamp": "soon", "secret": "do not keep"}])

    overview, for_developers, settings = (
        text_of(manager.get(page(data_set, tab))) for tab in ("overview", "tokens", "change")
    )

    of_developers = ("curl -sS -X PUT", "pay_volumes", "must be an ISO 8601 date-time", refused.headers["X-Request-Id"])
    for said in (
        "1 January 2024 at 12:00am",
        "3 February 2024 at 4:05am",
        "channel",
        "50%",
        "&quot;web&quot;",
        "1 write ",
    ):
        assert said in overview, said
    for said in of_developers:
        assert said in for_developers, said
        assert said not in overview, said
    for said in ("Empty…", "Delete records by a condition…"):
        assert said in settings, said
        assert said not in overview, said
    assert "do not keep" not in overview + for_developers


def test_the_curl_for_developers_writes_as_pasted(manager, data_set):
    put_in(data_set, some_records(1))
    text = text_of(manager.get(page(data_set, "tokens"))).replace("&#x27;", "'").replace("&quot;", '"')

    sent = re.search(r"-d '(\[\{.*?\}\])'", text)

    assert call("POST", data_set, make_token(data_set), json.loads(sent[1])).status_code == 200


def rows_of(text: str) -> list[str]:
    return re.findall(r"<code>(r\d+)</code></button>", text)


def test_records_are_found_by_time_and_by_id_without_either_in_a_url(manager, data_set):
    put_in(data_set, [{"_timestamp": f"2024-01-{day:02}T00:00:00Z", "_id": f"r{day}"} for day in range(1, 29)])
    url = page(data_set, "records")

    by_time = manager.post(url, {"start_at": "2024-01-03", "end_at": "2024-01-05T00:00:00Z"})
    by_id = manager.post(url, {"record_id": "r7"})
    nothing = manager.post(url, {"record_id": "r99"})

    assert rows_of(text_of(by_time)) == ["r4", "r3"]
    assert rows_of(text_of(by_id)) == ["r7"]
    assert "No records match." in text_of(nothing)
    assert not any("r7" in value for value in re.findall(r'(?:href|action)="([^"]*)"', text_of(by_id)))


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"start_at": "soon"}, "Enter a date and a time, such as 2024-01-31 09:30."),
        ({"start_at": "2024-01-02", "end_at": "2024-01-01"}, "Enter a later time than in “From”."),
    ],
)
def test_a_wrong_range_is_rejected_beside_its_field_and_kept(manager, data_set, sent, said):
    put_in(data_set, some_records(1))

    text = text_of(manager.post(page(data_set, "records"), sent))

    assert said in text
    assert f'value="{sent["start_at"]}"' in text


def test_a_long_id_is_cut_in_the_list_and_whole_on_its_page(manager, data_set):
    put_in(data_set, [{"_timestamp": AT, "_id": "x" * 1024}])

    text = text_of(manager.post(page(data_set, "records"), {"record_id": "x" * 1024}))
    place = re.search(r'name="open" value="([^"]+)"', text)
    assert place
    whole = text_of(manager.post(page(data_set, "record"), {"open": place[1]}))

    assert f"<code>{'x' * 79}…</code>" in text
    assert f"<code>{'x' * 1024}</code>" in whole


def test_pages_of_filtered_records_follow_one_another(manager, data_set):
    put_in(data_set, some_records(120))
    url, seen, sent = page(data_set, "records"), [], {"start_at": "2023-01-01"}

    while True:
        text = text_of(manager.post(url, sent))
        seen += rows_of(text)
        cursor = re.search(r'name="cursor" value="([^"]+)"', text)
        if cursor is None:
            break
        sent["cursor"] = cursor[1]

    assert seen == [f"r{n:06}" for n in reversed(range(120))]


def test_one_record_is_shown_as_stored_with_when_and_by_which_token(manager, data_set):
    secret = make_token(data_set)
    call("POST", data_set, secret, [{"_timestamp": AT, "_id": "r1", "n": 12345678901234567890123, "_end_at": AT}])
    text = text_of(manager.get(page(data_set, "records")))
    place = re.search(r'name="open" value="([^"]+)"', text)[1]

    shown = text_of(manager.post(page(data_set, "record"), {"open": place}))
    forged = manager.post(page(data_set, "record"), {"open": place[:-1]})
    other = manager.post(page(make_data_set(type="other"), "record"), {"open": place})

    assert "12345678901234567890123" in shown
    assert secret[:8] in shown
    assert "_end_at" in shown
    assert (forged.status_code, other.status_code) == (404, 404)


def test_columns_are_kept_for_each_person(manager, data_set):
    put_in(data_set, [{"_timestamp": AT, "_id": "r1", "a": "first", "b": "second"}])
    url = page(data_set, "records")

    manager.post(url, {"choose": "1", "columns": ["b", "no such"]})

    text = text_of(manager.get(url))
    assert ">second</button></td>" in text
    assert ">first</button></td>" not in text
    assert ChosenColumns.objects.get().names == ["b"]
    assert ">first</button></td>" in text_of(signed_in("olga", manages=True).get(url))


def test_records_are_filtered_by_a_value_and_sorted_by_a_heading(manager, data_set):
    channels = ["web", "post:2", "web", "", True, None]
    put_in(
        data_set,
        [
            {"_timestamp": f"2024-07-0{n}T23:30:00Z", "_id": f"r{n}", "channel": channel, "count": 3000 - n}
            for n, channel in enumerate(channels, start=1)
        ],
    )
    url = page(data_set, "records")

    def shown(**sent) -> str:
        return text_of(manager.post(url, sent))

    first = text_of(manager.get(url))
    assert rows_of(first) == ["r6", "r5", "r4", "r3", "r2", "r1"]
    assert "2 July 2024 at 12:30am" in first  # the local time
    assert '<td class="sb-number"><button' in first
    assert ">2,999</button>" in first
    assert re.search(r'aria-sort="descending"><button[^>]* value="_timestamp:ascending"', first)
    filters = re.findall(r'name="filter" value="(channel:[^"]*)"', first)
    assert filters == ["channel:true", "channel:", "channel:web", "channel:post:2", "channel:web"]
    found = {given: rows_of(shown(filter=[given])) for given in filters}
    assert found == {"channel:true": ["r5"], "channel:": ["r4"], "channel:web": ["r3", "r1"], "channel:post:2": ["r2"]}
    both = shown(filter=["channel:web", "count:2999"], sort_by="count:ascending")
    assert rows_of(both) == ["r1"]
    assert "<span>channel: <strong>web</strong></span>" in both
    assert "filter_by=channel%3Aweb&amp;filter_by=count%3A2999&amp;sort_by=count%3Aascending" in both
    without = shown(filter=["channel:web", "count:2999"], without="count:2999", sort_by="count:ascending")
    assert rows_of(without) == ["r3", "r1"]
    assert re.search(r'aria-sort="ascending"><button[^>]* value="count:descending"', without)


@pytest.mark.parametrize("sent", [{"filter": "no value"}, {"sort_by": "x"}, {"cursor": "x"}, {"filter": "a:\0"}])
def test_a_forged_filter_or_order_shows_the_reason(manager, data_set, sent):
    put_in(data_set, some_records(1))

    text = text_of(manager.post(page(data_set, "records"), sent))

    assert "The records cannot be shown." in text
    assert "Clear filters" in text


def test_moments_without_a_local_time_are_shown_in_utc(manager, data_set):
    put_in(data_set, [{"_timestamp": "0001-01-01T00:00:00Z", "_id": "r1"}])

    assert "1 January 0001 at 12:00am" in text_of(manager.get(page(data_set, "records")))


def test_the_breadcrumbs_of_a_token_lead_to_its_data_set(manager, data_set):
    make_token(data_set)
    token = AccessToken.objects.get()

    shown = text_of(manager.get(reverse("admin:datasets_accesstoken_change", args=[token.pk])))

    head = re.search(r"<h1.*?</h1>", shown, re.DOTALL)[0]
    crumbs = re.findall(r'(?:href="([^"]*)" )?class="sb-crumb-text">([^<]*)<', head)
    assert crumbs[:3] == [
        ("", "Data"),
        (reverse("admin:datasets_dataset_changelist"), "Data sets"),
        (page(data_set, "tokens"), "pay/volumes"),
    ]
    assert crumbs[3][1] == str(token)


@pytest.mark.usefixtures("noon")
def test_tokens_show_scopes_use_calls_and_state(manager, data_set):
    call_counts.store_pending()
    secret = make_token(data_set)
    call("GET", data_set, secret)
    call_counts.store_pending()
    AccessTokenDay.objects.create(token=AccessToken.objects.get(), day=timezone.now().date() - timedelta(7), calls=100)
    ended, _ = tokens.issue(data_set, ["read"], expires_at=timezone.now() - timedelta(days=1))

    text = text_of(manager.get(page(data_set, "tokens")))

    assert f"{secret[:8]}…" in text
    assert "from 127.0.0.1" in text
    assert '<td class="sb-number" data-label="Calls, 7 days">1</td>' in text
    assert "Expired" in text
    assert reverse("admin:datasets_accesstoken_rotate", args=[ended.pk]) not in text


def test_retention_is_previewed_before_it_is_saved(manager, data_set):
    put_in(data_set, [*some_records(5), {"_timestamp": timezone.now().isoformat(), "_id": "new"}])
    url = page(data_set, "retention")

    seen = text_of(manager.post(url, {"retention_days": "30", "max_records": "", "step": "preview"}))
    unsaved = DataSet.objects.get().retention_days
    done = manager.post(url, {"retention_days": "30", "max_records": "", "step": "save"})

    assert "would delete 5 of 6 records now, the oldest from 1 January 2024" in seen
    assert "Save and delete 5 records" in seen
    assert (unsaved, done.status_code, DataSet.objects.get().retention_days) == (None, 302, 30)
    event = AuditEvent.objects.get(verb="changed", data_set_id=data_set.pk)
    assert (event.before["retention_days"], event.after["retention_days"]) == (None, 30)
    assert "30 days" in text_of(manager.get(url))


def test_an_empty_preview_says_so_and_a_wrong_number_is_rejected(manager, data_set):
    url = page(data_set, "retention")

    nothing = text_of(manager.post(url, {"max_records": "5", "step": "preview"}))
    wrong = text_of(manager.post(url, {"retention_days": "0", "step": "save"}))

    assert "would delete 0 of 0 records now" in nothing
    assert "Nothing was saved." in wrong
    assert DataSet.objects.get().max_records is None


@pytest.mark.fault("T11")
def test_retention_of_many_data_sets_is_previewed_before_it_is_saved(manager, data_set):
    other = make_data_set(type="other")
    put_in(other, some_records(3))
    url = reverse("admin:datasets_dataset_changelist")
    sent = {"action": "set_retention", "_selected_action": [data_set.pk, other.pk]}

    asked = text_of(manager.post(url, sent))
    page = manager.post(url, {**sent, "max_records": "1", "step": "preview"})
    seen = text_of(page)
    wrong = text_of(manager.post(url, {**sent, "max_records": "x", "step": "save"}))
    unseen = text_of(manager.post(url, {**sent, "max_records": "1", "step": "save"}))
    untouched = list(DataSet.objects.values_list("max_records", flat=True))
    done = manager.post(url, {**sent, "max_records": "1", "step": "save", "started_from": started_from(page)})

    assert "2 data sets" in asked
    assert "would delete 2 of 3 records now" in seen
    assert "would delete 0 of 0 records now" in seen
    assert "Nothing was saved." in wrong
    assert "you have not seen the preview" in unseen
    assert (untouched, done.status_code) == ([None, None], 302)
    assert list(DataSet.objects.values_list("max_records", flat=True)) == [1, 1]
    assert AuditEvent.objects.filter(verb="changed").count() == 2


def started_from(page) -> str:
    return re.search(r'name="started_from" value="([0-9a-f]+)"', page.content.decode())[1]


def test_retention_of_many_data_sets_is_not_saved_over_another_persons_save(manager, data_set):
    other = make_data_set(type="other")
    url = reverse("admin:datasets_dataset_changelist")
    sent = {"action": "set_retention", "_selected_action": [data_set.pk, other.pk], "retention_days": "30"}
    opened = started_from(manager.post(url, {**sent, "step": "preview"}))

    DataSet.objects.filter(pk=other.pk).update(retention_days=400)
    refused = manager.post(url, {**sent, "step": "save", "started_from": opened})
    kept = DataSet.objects.get(pk=other.pk).retention_days
    again = manager.post(url, {**sent, "step": "save", "started_from": started_from(refused)})

    assert "The retention of one of these data sets has changed" in text_of(refused)
    assert '<td data-label="Kept now">400 days</td>' in text_of(refused)
    assert "would delete 0 of 0 records now" in text_of(refused)
    assert (kept, again.status_code) == (400, 302)
    assert set(DataSet.objects.values_list("retention_days", flat=True)) == {30}


@pytest.mark.parametrize("form", ["csv", "json", "ndjson"])
def test_an_export_streams_all_records_and_is_in_the_audit(manager, data_set, form):
    put_in(data_set, some_records(1_203))

    answer = manager.post(page(data_set, "export"), {"form": form})

    body = b"".join(answer.streaming_content).decode()
    count = len(json.loads(body)) if form == "json" else len(body.splitlines()) - (form == "csv")
    assert count == 1_203
    assert answer.headers["Content-Disposition"] == f'attachment; filename="pay_volumes.{form}"'
    event = AuditEvent.objects.get(verb="exported")
    assert (event.data_set_id, event.actor_label, event.after["format"]) == (data_set.pk, "mina", form)


def test_an_export_needs_a_recent_sign_in(manager, data_set):
    put_in(data_set, some_records(1))
    with time_machine.travel(timezone.now() + timedelta(minutes=29), tick=False) as clock:
        fresh = manager.get(page(data_set, "export"))
        clock.shift(timedelta(minutes=2))
        stale = manager.post(page(data_set, "export"), {"form": "csv"})

    assert fresh.status_code == 200
    assert (stale.status_code, "confirm" in stale.headers["Location"]) == (302, True)
    assert not AuditEvent.objects.filter(verb="exported").exists()


def charted(manager, data_set, **asked) -> str:
    defaults = {"period": "day", "last": "7", "measure": "", "split": "", "kind": "bars"}
    return text_of(manager.get(page(data_set, "chart"), {**defaults, **asked}))


def some_days(data_set) -> str:
    """Write records today and return the day as the table of a chart writes it."""
    now = timezone.now()
    values = [{"_timestamp": now.isoformat(), "channel": f"c{n}", "n": n} for n in range(12) for _ in range(12 - n)]
    put_in(data_set, values)
    tasks.note_fields()
    return f"{timezone.localtime(now):%-d %B %Y}"


@pytest.mark.parametrize("kind", ["bars", "lines"])
def test_a_chart_has_eight_series_and_others_with_a_table_of_all_values(manager, data_set, kind):
    today = some_days(data_set)

    text = charted(manager, data_set, split="channel", kind=kind)

    columns = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', text)
    assert columns == ["From", *(f"c{n}" for n in range(8)), "other"]
    last = next(row for row in re.findall(r"<tr><th scope=\"row\">.*?</tr>", text) if today in row)
    assert re.findall(r"<td[^>]*>(.*?)</td>", last) == ["12", "11", "10", "9", "8", "7", "6", "5", "10"]
    assert '<title id="chart-wide-title">Number of records by day and channel</title>' in text
    assert "<desc" in text
    assert "group_by=channel" in text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text.replace("http://127.0.0.1:8000", ""))


def test_a_chart_of_a_measure_says_what_it_omits(manager, data_set):
    some_days(data_set)

    summed = charted(manager, data_set, measure="n:sum")
    mean = charted(manager, data_set, measure="n:mean", split="channel")
    table = manager.get(page(data_set, "chart"), {"period": "day", "last": "2", "kind": "bars", "format": "csv"})

    assert f'<td class="sb-number">{sum(n * (12 - n) for n in range(12))}</td>' in summed
    assert "other" not in re.findall(r'<th scope="col"[^>]*>(.*?)</th>', mean)
    assert "The others cannot be combined" in mean
    assert table.getvalue().decode().splitlines()[-1].endswith("Z,78")


def test_the_first_chart_sums_a_number_by_a_field_with_few_values_and_says_what_is_seen(manager, data_set):
    noon = timezone.now().replace(hour=12)
    records = [
        {"_timestamp": (noon - timedelta(days=day)).isoformat(), "channel": channel, "age": 30, "count": count}
        | {"name": f"n{day}{channel}", "paid": day < 2}
        for day in range(10)
        for channel, count in (("web", 610), ("post", 390 if day > 1 else 590))
    ]
    put_in(data_set, records)

    first = text_of(manager.get(page(data_set, "chart")))
    by_paid = charted(manager, data_set, split="paid")
    fewer = charted(manager, data_set, measure="count:mean")
    old = make_data_set(type="old")
    put_in(old, [{"_timestamp": "2019-05-01T00:00:00Z", "n": 7}])

    assert '<h2 class="sb-heading">Sum of count by day and channel</h2>' in first
    assert "Most of the sum of count is of channel <strong>web</strong>: 59%." in first
    assert "In the last whole day, the sum of count was 1,200, 20% more than in the day before." in first
    assert "time_zone=Europe%2FLondon" in first
    assert "Most records are of paid <strong>false</strong>: 71%." in by_paid
    assert "In the last whole day, the mean of count was 600, 20% more than in the day before." in fewer
    assert "Sum of n by year</h2>" in text_of(manager.get(page(old, "chart")))


def test_a_chart_has_at_most_two_thousand_points(manager, data_set):
    some_days(data_set)

    too_many = charted(manager, data_set, split="channel", last="223", period="hour")

    assert "A chart has at most 2,000 points: with this split, 222 periods." in too_many
    assert "chart-box" not in too_many
    assert "chart-box" in charted(manager, data_set, last="2000", period="hour")
    assert "The chart cannot be drawn." in charted(manager, data_set, measure="no:such")


def test_activity_shows_events_and_daily_counts(manager, data_set):
    other = make_data_set(type="other")
    manager.post(page(data_set, "retention"), {"max_records": "5", "step": "save"})
    manager.post(page(other, "retention"), {"max_records": "7", "step": "save"})
    put_in(data_set, some_records(42))

    text = text_of(manager.get(page(data_set, "activity")))

    assert "mina changed the number of records to keep of the data set “pay/volumes”" in text
    assert "pay/other" not in text
    assert '<td class="sb-number" data-label="Records">42</td>' in text


@pytest.mark.usefixtures("noon")
def test_the_list_has_columns_and_filters_for_staff(manager, data_set):
    other = make_data_set("post", "letters", retention_days=400)
    other.owners.add(User.objects.get(username="mina"))
    make_token(other, "write")
    call("POST", data_set, make_token(data_set, "write"), [])
    DataSetDay.objects.create(data_set=data_set, day=timezone.now().date() - timedelta(days=7), refused=50)
    url = reverse("admin:datasets_dataset_changelist")

    def shown(query: str = "") -> list[str]:
        return re.findall(r'overview/">(.*?)</a>', text_of(manager.get(f"{url}?{query}")))

    assert shown() == ["pay/volumes", "post/letters"]
    assert shown("refusals=yes") == ["pay/volumes"]
    assert shown("retention=yes") == ["post/letters"]
    assert shown("retention=no") == ["pay/volumes"]
    assert shown(f"group__id__exact={other.group_id}") == ["post/letters"]
    assert shown(f"owners__id__exact={User.objects.get(username='mina').pk}") == ["post/letters"]
    assert shown("q=letters") == ["post/letters"]
    text = text_of(manager.get(url))
    assert "400 days" in text
    assert "1 valid" in text
    assert re.search(r"field-refused[^>]*>\s*1\s*<", text), text


def test_the_page_of_a_new_data_set_shows_when_its_first_record_has_arrived(manager):
    url = reverse("admin:datasets_dataset_add")
    nonce = re.search(r'name="nonce" value="([^"]+)"', text_of(manager.get(url)))[1]

    made = text_of(manager.post(url, {"group_name": "pay", "type_name": "volumes", "max_records": "9", "nonce": nonce}))
    data_set = DataSet.objects.get()
    waiting = text_of(manager.get(page(data_set, "state")))
    put_in(data_set, some_records(1))
    come = text_of(manager.get(page(data_set, "state")))

    assert "Waiting for the first record…" in made
    assert page(data_set, "state") in made
    assert data_set.max_records == 9
    assert "Waiting for the first record…" in waiting
    assert "The first record has come." in come
    assert ("data-refresh" in waiting, "data-refresh" in come) == (True, False)


@pytest.mark.parametrize(("name", "said"), [("Pay", "“P” is not allowed"), ("-pay", "Start with a letter or digit")])
def test_a_wrong_character_is_named(manager, name, said):
    url = reverse("admin:datasets_dataset_add")
    nonce = re.search(r'name="nonce" value="([^"]+)"', text_of(manager.get(url)))[1]

    answer = manager.post(url, {"group_name": name, "type_name": "volumes", "nonce": nonce})

    assert said in text_of(answer)


@pytest.mark.parametrize("kind", ["datagroup", "datatype"])
def test_lists_of_groups_and_types_say_what_belongs_there_and_a_duplicate_is_rejected(manager, kind):
    url = reverse(f"admin:datasets_{kind}_changelist")
    empty = text_of(manager.get(url))
    make_data_set("pay", "pay")

    taken = text_of(manager.post(reverse(f"admin:datasets_{kind}_add"), {"name": "pay"}))
    wrong = text_of(manager.post(reverse(f"admin:datasets_{kind}_add"), {"name": "pa y"}))

    assert "No groups yet." in empty or "No types yet." in empty
    assert "already exists" in taken
    assert "“ ” is not allowed" in wrong
