"""The menu and the tabs of its places. Source: docs/reference/console.md §1.4."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from config.console import navigation
from notifications.models import Role, Service
from tests import factories
from tests.datasets import making
from tests.people import browser_of, colleague, join, make_person

DOCUMENT = Path(__file__).parents[3] / "docs/reference/console.md"


def rows() -> Iterator[list[str]]:
    """Return the cells of the table of pages and roles, its head first."""
    text = DOCUMENT.read_text()
    table = text[text.index("| place and page |") :].partition("\n\n")[0]
    for line in table.splitlines():
        if not re.fullmatch(r"[|:\- ]+", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def person(role: str, service: Service, operator: Client) -> Client:
    """Return the client of a person with only this role."""
    if role == "Operator":
        operator.post("/admin/switch-service/", {"service": str(service.pk)})
        return operator
    user = make_person()
    if role == "Owner of a data set":
        making.make_data_set().owners.add(user)
    elif role == "Manage data sets":
        user.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    else:
        join(user, service, next(one for one in Role if one.label == role))
    return browser_of(user)


@pytest.mark.parametrize("role", next(rows())[1:])
def test_the_documented_pages_are_those_of_each_role(role, db, console):
    head, *body = rows()
    service = factories.make_service(name="Tides")
    request = person(role, service, console).get("/admin/").wsgi_request

    found = [f"{one.place}: {one.title}" if one.title != one.place else one.title for one in navigation.links(request)]

    assert found == [line[0] for line in body if line[head.index(role)]]


def test_the_table_has_every_page():
    pages = {
        page.title if page.title == place else f"{place}: {page.title}"
        for places in navigation.MENU.values()
        for place, pages in places.items()
        for page in pages
    }

    assert {line[0] for line in rows()} - {"place and page"} == pages


def test_officials_have_eight_places_of_their_service(db):
    client = colleague(factories.make_service(), *Role)

    first, *others = client.get("/admin/").context["menu"]

    assert [place["title"] for place in first["places"]] == [
        *("Dashboard", "Templates", "Send", "Messages", "Inbox", "Reports", "Team", "Settings")
    ]
    assert [place["title"] for group in others for place in group["places"]] == ["For developers"]


def test_a_page_shows_the_other_pages_of_its_place(db):
    service = factories.make_service()
    client = colleague(service, *Role)
    settings = f"/admin/notifications/service/{service.pk}/"

    for page in ("/admin/notifications/suppression/", f"{settings}change/"):
        tabs = client.get(page).context["place_tabs"]
        assert [tab["url"] for tab in tabs if tab["is_current"]] == [page.removesuffix("change/")]
        assert {"Service", "Stopped recipients", "Limits", "Go live"} <= {tab["title"] for tab in tabs}
    assert client.get("/admin/notifications/suppression/add/").context["place_tabs"] == []
    assert client.get("/admin/notifications/template/").context["place_tabs"] == []


def test_a_person_without_permissions_has_no_menu(db):
    answer = browser_of(make_person()).get("/admin/")

    assert answer.context["menu"] == []
    assert "Templates" not in answer.content.decode()


def test_the_chosen_service_is_remembered_for_the_next_sign_in(db):
    user, buses = make_person(), factories.make_service(name="Buses")
    services = [buses, factories.make_service(name="Tides")]
    for service in services:
        join(user, service, Role.SEE_ACTIVITY)
    client = browser_of(user)
    assert client.get("/admin/").context["switcher"]["chosen"].name == "Buses"
    client.post("/admin/switch-service/", {"service": str(services[1].pk)})
    cookie = client.cookies["service"]

    later = browser_of(user)
    later.cookies["service"] = cookie.value
    stranger = colleague(buses, Role.SEE_ACTIVITY)
    stranger.cookies["service"] = cookie.value

    assert later.get("/admin/").context["switcher"]["chosen"].name == "Tides"
    assert stranger.get("/admin/").context["switcher"]["chosen"].name == "Buses"
    later.cookies["service"] = "' OR 1"
    assert later.get("/admin/").status_code == 200
    assert cookie["httponly"]


def test_the_menu_asks_each_question_once_and_only_what_the_person_may_open(db, django_assert_num_queries):
    """It is on every page. Of data sets it asks whether the person reads or owns some, and has alarms or dashboards."""
    client = colleague(factories.make_service(), *Role)
    client.get("/admin/")  # fills the caches of the process
    request = client.get("/admin/").wsgi_request
    for known in ("roles_in_services", "managed_services", "chosen_service"):
        assert request.__dict__.pop(known)
    for known in ("reads_some_data", "has_some_data", "has_alarms", "has_dashboards"):
        assert request.__dict__.pop(known) is False

    with django_assert_num_queries(7):
        navigation.frame(request)
