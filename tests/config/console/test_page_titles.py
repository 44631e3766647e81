"""Every page of an admin has a title of its own. Source: docs/reference/console.md §1.1."""

import html
import re

import pytest
from django.contrib import admin
from django.http import HttpResponse
from django.urls import reverse
from django.utils.text import capfirst

from notifications.models import Role, TeamMember
from tests import factories
from tests.config.console.test_buttons import buttons_of
from tests.config.console.test_every_page import NAMES, REGISTERED, rows_of_every_model
from tests.people import browser_of, join, make_person


def title_of(answer: HttpResponse) -> str:
    found = re.search(r"<title>(.*?)</title>", answer.content.decode(), re.DOTALL)
    title = " ".join(html.unescape(found[1]).split())
    assert title.endswith(" | Signalbox"), title
    return title.removesuffix(" | Signalbox")


def crumbs_of(answer: HttpResponse) -> list[str]:
    return [html.unescape(one) for one in re.findall(r'class="sb-crumb-text"[^>]*>([^<]*)<', answer.content.decode())]


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
def test_a_list_has_the_title_of_its_breadcrumb(console, model, model_admin):
    answer = console.get(model_admin.list_url())

    assert title_of(answer) == model_admin.list_title() == crumbs_of(answer)[-1]
    assert title_of(answer)[0].isupper()


@pytest.mark.parametrize(
    ("place", "crumbs"),
    [
        ("/admin/operations/health/", ["Operations", "Health"]),
        ("/admin/operations/queue/", ["Operations", "Queue and providers"]),
        ("/admin/operations/queue/pause/channel/email/", ["Operations", "Queue and providers", "Pause emails"]),
        ("/admin/operations/clean-up/", ["Operations", "Clean-up"]),
        ("/admin/operations/clean-up/sessions/", ["Operations", "Clean-up", "Expired sessions"]),
        ("/admin/operations/audit/", ["Operations", "Audit"]),
        ("/admin/operations/reads/", ["Operations", "Read log"]),
        ("/admin/auth/user/", ["Operations", "Users"]),
        ("/admin/auth/user/add/", ["Operations", "Users", "Create user"]),
    ],
)
def test_pages_of_operators_have_one_form_of_breadcrumbs(console, place, crumbs):
    assert crumbs_of(console.get(place)) == crumbs


def test_operators_see_the_list_above_a_service_and_its_team_the_place(console):
    service = factories.make_service(name="Tides")
    member = make_person()
    join(member, service, Role.MANAGE_SERVICE)
    page = reverse("admin:notifications_service_change", args=[service.pk])

    assert crumbs_of(console.get(page)) == ["Operations", "Services", "Tides"]
    assert crumbs_of(browser_of(member).get(page)) == ["Settings", "Tides"]


def test_pages_that_officials_have_too_are_below_their_place(db):
    official = make_person()
    join(official, factories.make_service(), Role.MANAGE_SERVICE)
    browser = browser_of(official)

    assert crumbs_of(browser.get("/admin/operations/audit/")) == ["Settings", "Audit"]
    assert crumbs_of(browser.get("/admin/notifications/limits/")) == ["Settings", "Limits"]
    assert crumbs_of(browser.get("/admin/notifications/statistics/")) == ["Reports"]


@pytest.mark.parametrize(("model", "model_admin"), REGISTERED, ids=NAMES)
def test_the_form_of_a_new_row_has_the_title_of_the_button_that_opens_it(console, rf, operator, model, model_admin):
    factories.make_service()
    request = rf.get("/admin/")
    request.user = operator
    if not model_admin.has_add_permission(request):
        return

    answer = console.get(model_admin.url_of("add"))

    assert title_of(answer) == model_admin.add_title() == crumbs_of(answer)[-1]
    assert title_of(answer) in buttons_of(console.get(model_admin.list_url()).content.decode())


def test_a_page_with_a_refused_form_has_the_stored_name(console):
    member = TeamMember.objects.create(service=factories.make_service(), email_address="ana@example.org")
    url = reverse("admin:notifications_teammember_change", args=[member.pk])

    answer = console.post(url, {"email_address": "ben@example.org", "phone_number": "call me"})

    assert "Must not contain letters" in answer.content.decode()
    assert title_of(answer) == "ana@example.org – Team member"
    assert crumbs_of(answer)[-1] == "ana@example.org"


def test_the_pages_of_a_row_name_it(console, rf, operator):
    request = rf.get("/admin/")
    request.user = operator
    request.session = console.session
    for label, row in rows_of_every_model().items():
        model_admin = admin.site.get_model_admin(type(row))
        shown, noun = model_admin.title_of(request, row), capfirst(model_admin.row_noun())

        assert title_of(console.get(model_admin.url_of("change", row))) == f"{shown} – {noun}", label
        if model_admin.has_history:
            history = console.get(model_admin.url_of("history", row))
            assert title_of(history) == f"History of {shown}"
            assert f'<h2 class="sb-heading">History of {html.escape(shown)}</h2>' in history.content.decode()
        if model_admin.has_delete_permission(request, row) and model_admin.may_delete:
            assert title_of(console.get(model_admin.url_of("delete", row))) == f"Delete {shown}"


def test_no_page_has_a_title_of_the_django_admin(console):
    """Open the page of each action of a row. The tests above compare the titles of the other pages."""
    compared = 0
    for row in rows_of_every_model().values():
        model_admin = admin.site.get_model_admin(type(row))
        noun = row._meta.verbose_name
        theirs = {f"Select {noun} to change", f"Select {noun} to view", f"Add {noun}", f"Change {noun}", f"View {noun}"}
        theirs |= {"Delete", "Are you sure?", "History", f"Change history: {row}"}
        for name in model_admin.row_actions:
            place = model_admin.url_of(name, row)
            answer = console.get(place)
            if answer.status_code == 200 and b"<html" in answer.content:  # some actions are parts of pages
                assert title_of(answer) not in theirs - {model_admin.add_title()}, place
                compared += 1
    assert compared > 50  # pages that do not open are left out
