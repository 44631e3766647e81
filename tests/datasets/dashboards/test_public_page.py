"""The public page of a dashboard: its readers, its headers, its languages and its CSV."""

import gzip
import json
import re
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config import audit
from config.audit.models import AuditEvent
from config.invalid import InvalidValue
from datasets.dashboards import publishing
from datasets.models import Dashboard, DataSet, SavedQuery, Tile, Visibility
from tests.datasets.dashboards.making import BY_CHANNEL, BY_MONTH, add, publish
from tests.datasets.making import make_data_set, put_in
from tests.datasets.saved_queries.making import save


def get(path="/dashboards/visits", client=None, **headers):
    return (client or Client()).get(path, headers=headers)


def staff(name: str = "olu") -> Client:
    client = Client()
    client.force_login(User.objects.create_user(name, is_staff=True))
    return client


def test_a_dashboard_that_is_not_published_is_answered_like_none(dashboard):
    hidden, missing = get(), get("/dashboards/nothing")

    assert hidden.status_code == missing.status_code == 404
    assert strip_request(hidden) == strip_request(missing)


def strip_request(response):
    return re.sub(r"/dashboards/[a-z]+", "", response.content.decode())


@pytest.mark.parametrize(
    ("visibility", "everybody", "signed_in", "with_link"),
    [
        (Visibility.PRIVATE, 404, 404, 404),
        (Visibility.STAFF, 404, 200, 404),
        (Visibility.LINK, 404, 404, 200),
        (Visibility.PUBLIC, 200, 200, 200),
    ],
)
def test_who_may_read_it(dashboard, visibility, everybody, signed_in, with_link):
    if visibility != Visibility.PRIVATE:
        publish(dashboard, visibility)
    key = dashboard.link_token or "x" * 43

    statuses = [get(), get(client=staff()), get(f"/dashboards/visits?key={key}")]

    assert [one.status_code for one in statuses] == [everybody, signed_in, with_link]


@pytest.mark.parametrize("visibility", [Visibility.STAFF, Visibility.PUBLIC])
def test_a_link_ends_when_the_dashboard_is_published_for_others(dashboard, visibility):
    former = publish(dashboard, Visibility.LINK).link_token

    publish(dashboard, visibility)

    assert former not in get("/dashboards/visits?key=guess", client=staff()).content.decode()
    publish(dashboard, Visibility.LINK)
    assert get(f"/dashboards/visits?key={former}").status_code == 404


def test_another_link_ends_the_former_one(dashboard):
    former = publish(dashboard, Visibility.LINK).link_token

    publishing.rotate_link(dashboard, actor=audit.COMMAND)

    assert get(f"/dashboards/visits?key={former}").status_code == 404
    page = get(f"/dashboards/visits?key={dashboard.link_token}")
    assert f"key={dashboard.link_token}" in page.content.decode()
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "private, no-cache"


def test_a_person_who_opened_the_page_before_brings_no_former_link_back(dashboard):
    former = publish(dashboard, Visibility.LINK).link_token
    opened_before = Dashboard.objects.get(pk=dashboard.pk)
    publishing.rotate_link(dashboard, actor=audit.COMMAND)

    publish(opened_before, Visibility.LINK)

    assert get(f"/dashboards/visits?key={former}").status_code == 404
    assert get(f"/dashboards/visits?key={dashboard.link_token}").status_code == 200


def test_the_page_has_one_script_no_cookie_and_no_other_host(dashboard):
    publish(dashboard)

    page = get()
    html = page.content.decode()

    assert page.status_code == 200
    assert not page.cookies
    assert re.findall(r"<script [^>]*>", html) == [
        '<script src="/static/datasets/charts.js" defer>',
        '<script type="application/ld+json">',  # no program, but data
    ]
    assert "style=" not in html
    assert set(re.findall(r'(?:src|href)="https?://([^/"]+)', html)) <= {"testserver", "127.0.0.1:8000"}
    assert '<meta property="og:title" content="Visits to our service">' in html
    assert "96.8%" in html
    assert "Up 16.8 percentage points on the previous period" in html
    assert len(page.content) < 100_000


def test_only_chosen_hosts_may_show_it_in_a_frame(dashboard):
    dashboard.embed_hosts = ["www.example.gov.uk"]
    dashboard.save()
    publish(dashboard)

    whole, embedded = get(), get("/dashboards/visits?embed=true")

    assert "frame-ancestors 'none'" in whole.headers["Content-Security-Policy"]
    assert "frame-ancestors https://www.example.gov.uk" in embedded.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in embedded.headers
    assert 'class="choices"' in whole.content.decode()
    assert 'class="choices"' not in embedded.content.decode()


def test_the_welsh_page_has_a_welsh_frame(dashboard):
    publish(dashboard)

    html = get("/dashboards/visits?lang=cy&range=last-12-months").content.decode()

    assert '<html lang="cy">' in html
    assert "Lawrlwytho fel CSV" in html
    assert 'href="http://127.0.0.1:8000/dashboards/visits?range=last-12-months"' in html


def test_the_welsh_page_has_the_error_of_a_tile_in_welsh(dashboard, visits):
    """Also in the answer for its CSV."""
    broken = save(visits, {**BY_CHANNEL, "divided_by": {"data_set": "pay/visits"}}, name="Broken")
    tile = add(dashboard, saved_query=broken)
    publish(dashboard)
    question = {**broken.question, "divided_by": {**broken.question["divided_by"], "data_set": "pay/gone"}}
    SavedQuery.objects.filter(pk=broken.pk).update(question=question)

    page, csv = (get(f"/dashboards/visits{path}?lang=cy") for path in ("", f"/{tile.pk}.csv"))

    assert "<span>Nid oes set ddata o’r fath.</span>" in page.content.decode()
    assert (csv.status_code, csv.content.decode()) == (503, "Nid oes set ddata o’r fath.\n")


def test_a_choice_that_is_not_offered_is_not_found(dashboard):
    publish(dashboard)

    assert get("/dashboards/visits?range=forever").status_code == 404
    assert get("/dashboards/visits?utm_source=news").status_code == 200


def test_a_reader_who_has_the_page_gets_304_until_data_changes(dashboard, visits):
    publish(dashboard)
    first = get()

    assert get(if_none_match=first.headers["ETag"]).status_code == 304
    assert first.headers["Cache-Control"] == "max-age=1800, must-revalidate"

    put_in(visits, [{"_timestamp": "2024-03-05T00:00:00Z", "_id": "new", "channel": "web", "count": 7}])

    second = get(if_none_match=first.headers["ETag"])
    assert second.status_code == 200
    assert "97" in second.content.decode()


def test_a_second_reader_costs_two_selects(dashboard):
    publish(dashboard)
    first = get()

    with CaptureQueriesContext(
        connection,
    ) as queries:
        second = get(accept_encoding="gzip")

    assert len(queries) == 2
    assert gzip.decompress(second.content) == first.content


def test_a_page_with_a_failing_tile_is_kept_by_nobody(dashboard):
    publish(dashboard)
    query = Tile.objects.get(place=1).saved_query
    query.question = {"period": "fortnight"}
    query.revision += 1
    query.save()

    page = get()

    assert page.status_code == 200
    assert page.headers["Cache-Control"] == "no-store"
    assert "ETag" not in page.headers
    assert "These figures are not available." in page.content.decode()


def test_the_csv_has_the_values_of_the_tile_without_hidden_ones(dashboard, visits):
    tile = add(dashboard, saved_query=save(visits, BY_CHANNEL, name="Small"), hide_below=5)
    publish(dashboard)

    answer = get(f"/dashboards/visits/{tile.pk}.csv?range=last-30-days")

    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.content.decode().splitlines() == ["Period,phone,web", "2024-03-01T00:00:00Z,not shown,not shown"]
    assert get(f"/dashboards/visits/{tile.pk}.csv", if_none_match=answer.headers["ETag"]).status_code == 200
    assert get(f"/dashboards/visits/{10**17}.csv").status_code == 404


def test_the_csv_of_a_private_dashboard_is_not_found(dashboard):
    assert get(f"/dashboards/visits/{dashboard.tiles.first().pk}.csv").status_code == 404


def test_nobody_publishes_a_data_set_of_somebody_else(dashboard, visits):
    with pytest.raises(InvalidValue, match="You may not publish pay/visits"):
        publishing.publish(
            dashboard, Visibility.PUBLIC, by=None, actor=audit.COMMAND, may_publish=lambda query, data_set: False
        )

    assert get().status_code == 404


def test_a_public_data_set_needs_no_permission_to_be_published(dashboard, visits):
    DataSet.objects.update(public=True)

    publishing.publish(dashboard, Visibility.PUBLIC, by=None, actor=audit.COMMAND, may_publish=lambda *_: False)

    assert dashboard.opened_sets == []
    DataSet.objects.update(public=False)
    assert "This part is not published." in get().content.decode()


def test_a_tile_added_later_does_not_open_another_data_set(dashboard):
    publish(dashboard)
    secret = make_data_set(type="secret")
    put_in(secret, [{"_timestamp": "2024-03-05T00:00:00Z", "_id": "a", "count": 4242}])
    tile = add(dashboard, saved_query=save(secret, BY_MONTH, name="Secret plans", chart="table"))

    html = get().content.decode()

    assert not any(text in html for text in ("4242", "4,242", "Secret plans"))
    assert html.count("This part is not published.") == 1
    assert get(f"/dashboards/visits/{tile.pk}.csv").status_code == 404


def test_publishing_is_in_the_audit_of_each_opened_data_set(dashboard, visits):
    publish(dashboard, Visibility.LINK)
    publishing.unpublish(dashboard, actor=audit.COMMAND)

    events = AuditEvent.objects.filter(object_kind="dashboard", data_set_id=visits.pk).values_list("verb", flat=True)
    assert sorted(events) == ["published_dashboard", "unpublished_dashboard"]
    assert not dashboard.link_token
    assert dashboard.visibility == Visibility.PRIVATE


def test_an_empty_dashboard_cannot_be_published(db):
    with pytest.raises(InvalidValue, match="has no tiles"):
        publish(Dashboard.objects.create(slug="empty", title="Empty"))


def test_a_public_page_is_found_by_programs_without_what_it_does_not_show(dashboard, visits):
    dashboard.title = "Visits </script><script>"
    dashboard.save()
    publish(dashboard)
    DataSet.objects.update(public=True, licence="OGL-UK-3.0", contact="data@example.org")
    hidden = save(make_data_set(type="secret"), {}, name="Secret")
    add(dashboard, saved_query=hidden)

    block = re.search(r'<script type="application/ld\+json">(.*?)</script>', get().content.decode())
    found = json.loads(block[1])
    catalogue = Client().get("/catalogue.jsonld").json()

    assert (found["@type"], found["name"], found["creator"]["contactPoint"]["email"]) == (
        "Dataset",
        "Visits </script><script>",
        "data@example.org",
    )
    assert [one["name"] for one in found["distribution"]] == ["Digital take-up", "Visits by channel", "Visits by month"]
    (entry,) = (one for one in catalogue["dcat:dataset"] if one["dct:title"] == dashboard.title)
    csv = urlsplit(entry["dcat:distribution"][0]["dcat:downloadURL"]["@id"]).path
    assert Client().get(csv).headers["Content-Type"] == "text/csv; charset=utf-8"

    publish(dashboard, Visibility.LINK)
    assert "ld+json" not in Client().get(f"/dashboards/visits?key={dashboard.link_token}").content.decode()
    assert dashboard.title not in str(Client().get("/catalogue.jsonld").json())
