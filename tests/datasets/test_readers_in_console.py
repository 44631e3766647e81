"""Managers of services read the statistics of their own services in the console, and of no other one."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from datasets import tasks
from datasets.alarms import people
from datasets.models import AccessToken, Alarm, Dashboard, DataSet, SavedQuery, Visibility
from datasets.store import fields_seen
from notifications.models import Role, Service, TeamMember
from tests.datasets.dashboards.making import add, publish
from tests.datasets.making import make_data_set, put_in
from tests.datasets.saved_queries.making import save
from tests.datasets.test_admin import nonce
from tests.factories import make_service
from tests.people import browser_of, colleague, join, make_person

pytestmark = pytest.mark.django_db

ROOT = "/admin/datasets"
CHOSEN = {
    "measure_field": "count", "measure_method": "sum", "split": "service", "period": "", "range_kind": "all",
    "chart": "table",
}  # fmt: skip


@pytest.fixture
def services() -> list[Service]:
    return [make_service(name=name) for name in ("Tides", "Locks", "Ferry")]


@pytest.fixture
def statistics(services: list[Service]) -> DataSet:
    made = make_data_set("signalbox", "messages", is_of_product=True)
    put_in(made, [
        {"_id": f"{service.name}/{n}", "_timestamp": f"2026-07-2{n}T10:00:00Z", "service": service.name,
         "service_id": str(service.pk), "status": "delivered", "count": (place + 1) * 1_000 + n}
        for place, service in enumerate(services) for n in range(3)
    ])  # fmt: skip
    fields_seen.note(made)
    return DataSet.objects.get(pk=made.pk)


def managing(*services: Service) -> tuple[User, Client]:
    person = make_person()
    for service in services:
        join(person, service, *Role)
    return person, browser_of(person)


def text_of(answer: Any) -> str:
    content = b"".join(answer) if answer.streaming else answer.content
    return bytes(content).decode(errors="replace")


def shown_in(text: str) -> set[str]:
    return {name for name in ("Tides", "Locks", "Ferry") if f"{name}/" in text or f"name of {name}" in text}


def made_query(client: Client, data_set: DataSet, name: str, *services: Service) -> SavedQuery:
    sent = {**CHOSEN, "name": name, "of_services": [str(one.pk) for one in services]}
    answer = client.post(f"{ROOT}/savedquery/add/?data_set={data_set.pk}", sent)
    assert answer.status_code == 302, re.findall(r"sb-error[^<]*<[^<]*", text_of(answer))
    return SavedQuery.objects.get(name=name)


def test_the_pages_of_the_data_set_show_the_records_of_the_managed_services(
    console: Client, services: list[Service], statistics: DataSet
) -> None:
    tides, locks, _ = services
    of_one, of_two = managing(tides)[1], managing(tides, locks)[1]
    outsider = colleague(tides, Role.SEE_ACTIVITY, Role.SEND_MESSAGES)
    page = f"{ROOT}/dataset/{statistics.pk}"
    for client, names in ((console, {"Tides", "Locks", "Ferry"}), (of_one, {"Tides"}), (of_two, {"Tides", "Locks"})):
        assert shown_in(text_of(client.get(f"{page}/records/"))) == names
        foreign = text_of(client.post(f"{page}/records/", {"record_id": "Ferry/1"}))
        assert ("3,001" in foreign or "3001" in foreign) == ("Ferry" in names)
        chart = text_of(
            client.get(f"{page}/chart/?period=day&last=2000&measure=count:sum&split=service&kind=bars&format=csv")
        )
        assert {one for one in ("Tides", "Locks", "Ferry") if one in chart} == names
        for form in ("csv", "json", "ndjson"):
            assert shown_in(text_of(client.post(f"{page}/export/", {"form": form}))) == names
        assert client.post(f"{page}/export/", {"form": "parquet"}).status_code == 200
    place = re.search(
        r'name="open" value="([^"]+)"', text_of(console.post(f"{page}/records/", {"record_id": "Ferry/1"}))
    )
    assert place
    assert console.post(f"{page}/record/", {"open": place[1]}).status_code == 200
    assert of_one.post(f"{page}/record/", {"open": place[1]}).status_code == 404
    for word in (
        "overview",
        "change",
        "schema",
        "retention",
        "activity",
        "imports",
        "kept-values",
        "delete-where",
        "remove",
    ):
        assert of_one.get(f"{page}/{word}/").status_code == 404, word
    for word in ("records", "chart", "export", "tokens", "record"):
        assert outsider.get(f"{page}/{word}/").status_code == 403, word
    assert f"{page}/records/" in text_of(of_one.get(f"{ROOT}/dataset/"))


def test_a_manager_issues_tokens_that_read_chosen_services_only(services: list[Service], statistics: DataSet) -> None:
    tides, locks, ferry = services
    client, url = managing(tides, locks)[1], f"{ROOT}/accesstoken/add/"

    def issue(*chosen: Service, scope: str = "read") -> str:
        sent = {"data_set": statistics.pk, "scopes": [scope], "of_services": [str(one.pk) for one in chosen]}
        return text_of(client.post(url, {**sent, **nonce(client, url)}))

    form = text_of(client.get(f"{url}?data_set={statistics.pk}"))
    assert re.findall(r'name="scopes" value="(\w+)"[^>]*\schecked(?![:\w])', form) == ["read"]
    assert "Choose at least one service" in issue()
    assert "not one of the available choices" in issue(ferry)
    assert "Choose only Read." in issue(tides, scope="write")
    assert not AccessToken.objects.exists()
    secret = re.search(r"ds_[\w-]{43}", issue(locks))
    assert secret
    token = AccessToken.objects.get()
    assert token.services == [str(locks.pk)]
    answer = Client().get("/data/signalbox/messages", headers={"Authorization": f"Bearer {secret[0]}"})
    assert {one["service"] for one in answer.json()["data"]} == {"Locks"}
    of_locks, of_tides = managing(locks)[1], managing(tides)[1]
    for path in (f"{ROOT}/accesstoken/{token.pk}/change/", f"{ROOT}/accesstoken/{token.pk}/revoke/"):
        assert (of_locks.get(path).status_code, of_tides.get(path).status_code) == (200, 404)
    assert f"{token.prefix}…" not in text_of(of_tides.get(f"{ROOT}/dataset/{statistics.pk}/tokens/"))


def test_a_saved_query_stays_with_its_services(console: Client, services: list[Service], statistics: DataSet) -> None:
    tides, locks, ferry = services
    person, client = managing(tides, locks)
    add_page = f"{ROOT}/savedquery/add/?data_set={statistics.pk}"
    preview = f"{ROOT}/savedquery/preview/?data_set={statistics.pk}"

    shown = text_of(client.post(preview, {**CHOSEN, "of_services": [str(tides.pk), str(locks.pk)]}))
    assert ("Tides" in shown, "Locks" in shown, "Ferry" in shown) == (True, True, False)
    for chosen in ([], [str(ferry.pk)]):
        assert "Ferry" not in text_of(client.post(preview, {**CHOSEN, "of_services": chosen}))
        assert client.post(add_page, {**CHOSEN, "name": "x", "of_services": chosen}).status_code == 200
    assert not SavedQuery.objects.exists()
    query = made_query(client, statistics, "Mine", tides, locks)
    assert query.services == sorted([str(tides.pk), str(locks.pk)])

    page = f"{ROOT}/savedquery/{query.pk}/change/"
    assert managing(tides)[1].get(page).status_code == 404
    assert console.post(page, {**CHOSEN, "name": "Ours", "is_public": "on"}).status_code == 302  # an operator saves it
    query.refresh_from_db()
    assert (query.name, len(query.services)) == ("Ours", 2)
    public = text_of(Client().get(f"/queries/{query.public_id}.json"))
    assert ("Locks" in public, "Ferry" in public) == (True, False)
    everything = save(statistics, {"split": "service", "range": {"kind": "all"}}, name="All", is_public=True)
    assert "Ferry" in text_of(Client().get(f"/queries/{everything.public_id}.json"))
    TeamMember.objects.filter(user=person, service=locks).delete()
    assert client.get(page).status_code == 404
    assert "Locks" in text_of(Client().get(f"/queries/{query.public_id}.csv"))  # as it was published


def test_an_operators_ratio_of_all_services_is_narrowed_when_a_manager_changes_it(
    console: Client, services: list[Service], statistics: DataSet
) -> None:
    own = make_data_set("own", "visits")
    put_in(own, [{"_timestamp": "2026-07-20T10:00:00Z", "n": 6_003}])
    fields_seen.note(own)
    ratio = {"measure": {"field": "n"}, "divided_by": {"field": "count", "data_set": "signalbox/messages"}}
    query = save(own, {**ratio, "range": {"kind": "all"}}, name="Ratio")
    person, client = managing(services[0])
    own.owners.add(person)
    sent = {"name": "Ratio", "measure_field": "n", "measure_method": "sum", "range_kind": "all", "chart": "number",
            "divide_by": "signalbox/messages", "divide_field": "count", "divide_method": "sum"}  # fmt: skip
    page = f"{ROOT}/savedquery/{query.pk}/change/"

    assert client.post(page, sent).status_code == 200
    query.refresh_from_db()
    assert query.services is None
    assert client.post(page, {**sent, "of_services": [str(services[0].pk)]}).status_code == 302
    query.refresh_from_db()
    assert query.services == [str(services[0].pk)]
    alarm = Alarm.objects.create(
        data_set=own, name="Low", measure="query", saved_query=query, condition="below", limit=1,
        email_addresses=[person.email],
    )  # fmt: skip
    assert (client.get(page).status_code, people.of(alarm)) == (200, [("email", person.email)])

    TeamMember.objects.filter(user=person).delete()
    assert (client.get(page).status_code, people.of(alarm)) == (404, [])
    assert client.get(f"{ROOT}/alarm/{alarm.pk}/change/").status_code == 404
    assert client.get(f"{ROOT}/dataset/{own.pk}/overview/").status_code == 200


def test_a_published_dashboard_shows_no_service_that_its_publisher_may_not_read(
    console: Client, services: list[Service], statistics: DataSet
) -> None:
    tides, locks, ferry = services
    person, client = managing(tides, locks)
    of_both = made_query(client, statistics, "Of both", tides, locks)
    everything = {"split": "service", "range": {"kind": "all"}, "measure": {"field": "count"}}
    of_all = save(statistics, everything, name="Of all", chart="table")
    of_ferry = save(statistics, everything, name="Of ferry", chart="table", services=[str(ferry.pk)])
    row = Dashboard.objects.create(slug="ours", title="Ours")
    row.owners.add(person)
    add(row, saved_query=of_both)
    offered = text_of(client.get(f"{ROOT}/dashboard/{row.pk}/add-tile/"))
    assert ("Of both" in offered, "Of all" in offered, "Of ferry" in offered) == (True, False, False)

    client.post(f"{ROOT}/dashboard/{row.pk}/publish/", {"visibility": "public"})
    row.refresh_from_db()
    assert (row.visibility, row.opened_sets) == (Visibility.PUBLIC, [])
    for query in (of_all, of_ferry):  # an operator who owns the page, too, adds them
        add(row, saved_query=query)
    for reader in (Client(), console, client):
        page = text_of(reader.get("/dashboards/ours"))
        assert ("Locks" in page, "Ferry" in page) == (True, False)
        assert page.count("This part is not published.") == 2
    last = row.tiles.last()
    assert last
    assert Client().get(f"/dashboards/ours/{last.pk}.csv").status_code == 404
    preview = text_of(client.get(f"{ROOT}/dashboard/{row.pk}/preview/"))
    assert ("Locks" in preview, "Ferry" in preview) == (True, False)
    assert "Ferry" in text_of(console.get(f"{ROOT}/dashboard/{row.pk}/preview/"))
    again = text_of(client.post(f"{ROOT}/dashboard/{row.pk}/publish/", {"visibility": "public"}))
    assert "You may not publish signalbox/messages" in again

    publish(row)  # by an operator
    assert (row.opened_sets, len(row.opened_parts)) == ([statistics.pk], 2)
    assert "Ferry" in text_of(Client().get("/dashboards/ours"))
    client.post(f"{ROOT}/dashboard/{row.pk}/unpublish/")
    row.refresh_from_db()
    assert (row.opened_sets, row.opened_parts) == ([], [])


def test_alarms_of_a_manager_read_a_saved_query_of_their_services(services: list[Service], statistics: DataSet) -> None:
    person, client = managing(services[0])
    query = made_query(client, statistics, "Mine", services[0])
    client.post(
        f"{ROOT}/savedquery/{query.pk}/change/", {**CHOSEN, "name": "Mine", "split": "", "of_services": query.services}
    )
    sent = {"data_set": statistics.pk, "name": "Many", "condition": "above", "limit": "3000", "grace_minutes": "0",
            "interval_minutes": "60", "message": "((alarm))", "email_addresses": person.email}  # fmt: skip
    url = f"{ROOT}/alarm/add/"

    refused = text_of(client.post(url, {**sent, "measure": "records"}))
    assert "Choose a measure of a saved query." in refused
    foreign = save(statistics, {"range": {"kind": "all"}, "measure": {"field": "count"}}, name="All")
    assert client.post(url, {**sent, "measure": "query", "saved_query": foreign.pk}).status_code == 200
    assert not Alarm.objects.exists()
    assert client.post(url, {**sent, "measure": "query", "saved_query": query.pk}).status_code == 302
    tasks.check_alarms()
    alarm = Alarm.objects.get()
    assert (alarm.value, alarm.is_raised) == (3_003, True)  # 1,000 + 1,001 + 1,002
    assert client.get(f"{ROOT}/alarm/{alarm.pk}/change/").status_code == 200
    assert managing(services[1])[1].get(f"{ROOT}/alarm/{alarm.pk}/change/").status_code == 404
    assert people.of(alarm) == [("email", person.email)]
    TeamMember.objects.filter(user=person).delete()
    assert people.of(alarm) == []
