"""A person from another service gets the same answers as for rows that do not exist, at every URL of the console.

Source: docs/reference/console.md §1.2 T6, T8.
"""

import re
import uuid

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

from notifications.models import Role
from tests import factories
from tests.config.console.test_every_page import rows_of_every_model
from tests.datasets import making
from tests.people import browser_of, join, make_person

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
MAY_BE_DELETED = {  # all others are revoked, archived, withdrawn, emptied first, or a log
    "datasets.Dashboard",
    "datasets.DataGroup",
    "datasets.DataType",
}
AS_JSON = {"accept": "application/json"}
OUTWARD = ("logout", "account", "password")  # actions on a person's own account or session


def routes(patterns, prefix=""):
    """Return the whole route of each page below these patterns, without the admin's catch-all."""
    for one in patterns:
        if not isinstance(one.pattern, RoutePattern):
            continue
        route = prefix + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, route)
        elif isinstance(one, URLPattern):
            yield route


ROUTES = sorted({route for route in routes(get_resolver().url_patterns) if route.startswith("admin/")})


def model_of(route):
    """Return the label of the model of a route's rows."""
    parts = route.split("/")
    known = {(model._meta.app_label, model._meta.model_name): model._meta.label for model in apps.get_models()}
    return known.get((parts[1], parts[2])) if len(parts) > 2 else None


def filled(route, row_id):
    """Return the URL of a row's page. A second parameter gets an id that does not exist."""
    first = PARAMETER.sub(str(row_id), route, count=1)
    return "/" + PARAMETER.sub("0", first)


def plain(answer, row_id):
    """Return status, place and text of a response, without values that differ between responses."""
    text = answer.content.decode() if not answer.streaming else ""
    text = re.sub(r'(name="(?:csrfmiddlewaretoken|nonce)" value=)"[^"]*"', r"\1", text)
    its_own = (f"/{row_id}/", "/…/")
    leads_to = re.sub(rf"([/=]){row_id}(?=/|&|\Z)", r"\1…", answer.headers.get("Location", ""))
    return answer.status_code, leads_to, text.replace(*its_own)


def id_of_nothing(row):
    return uuid.uuid4() if isinstance(row.pk, uuid.UUID) else 987_654


@pytest.fixture
def theirs(db):
    """Create one row of each model that the person has no permission for."""
    return rows_of_every_model()


@pytest.fixture
def stranger(db):
    """Create a person with every role in another service, who also owns a data set."""
    person = make_person("sam")
    join(person, factories.make_service(name="Sam's own"), *Role)
    making.make_data_set("own", "set").owners.add(person)
    return browser_of(person)


@pytest.mark.fault("T8")
def test_no_url_distinguishes_another_services_row_from_a_missing_one(stranger, theirs):
    """Compare errors as JSON, and one error page for each status: only code and message differ between those pages."""
    asked, by_status = 0, {}
    for route in ROUTES:
        row = theirs.get(model_of(route))
        if row is None or not PARAMETER.search(route):
            continue
        nothing = id_of_nothing(row)
        for ask in (stranger.get, stranger.post):
            there, gone = (ask(filled(route, pk), headers=AS_JSON) for pk in (row.pk, nothing))

            assert plain(there, row.pk) == plain(gone, nothing), route
            assert there.status_code in {302, 403, 404, 405}, route
            asked += 1
            by_status[there.status_code] = (route, row.pk, nothing)
    assert asked > 100
    assert {403, 404} <= set(by_status)
    for route, *ids in by_status.values():
        there, gone = (plain(stranger.get(filled(route, pk)), pk) for pk in ids)
        assert there == gone, route


@pytest.mark.fault("T8")
def test_no_list_and_no_form_shows_anything_of_another_service(stranger, theirs):
    service, data_set = theirs["notifications.Service"], theirs["datasets.DataSet"]
    marks = {str(row.pk) for row in theirs.values() if isinstance(row.pk, uuid.UUID)}
    marks |= {service.name, theirs["notifications.Template"].name, theirs["notifications.ApiKey"].name, str(data_set)}
    ids = {"service": service.pk, "data_set": data_set.pk, "template": theirs["notifications.Template"].pk}
    before = {label: apps.get_model(label).objects.count() for label in theirs if label != "operations.AuditEvent"}

    for route in ROUTES:
        if PARAMETER.search(route) or any(word in route for word in OUTWARD):
            continue
        pages = [stranger.get(f"/{route}"), stranger.post(f"/{route}", ids)]
        found = {mark for page in pages if not page.streaming for mark in marks if mark in page.content.decode()}
        # The form may show the typed text again, but nothing else of the row.
        assert found <= {str(pk) for pk in ids.values()}, (route, found)

    assert before == {label: apps.get_model(label).objects.count() for label in before}


@pytest.mark.fault("T6")
def test_only_rows_without_dependents_can_be_deleted(console, rf, operator):
    request = rf.get("/admin/")
    request.user = operator
    registered = admin.site._registry.items()

    assert {model._meta.label for model, its in registered if its.has_delete_permission(request)} == MAY_BE_DELETED


@pytest.mark.fault("T6")
def test_deleting_by_url_is_rejected_also_for_operators(console):
    for label, row in rows_of_every_model().items():
        if label in MAY_BE_DELETED:
            continue
        url = f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/delete/"
        assert console.post(url, {"post": "yes"}).status_code in {403, 404}, label
        assert type(row).objects.filter(pk=row.pk).exists()
