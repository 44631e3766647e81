"""*Needs you* on the overview: each line, its link, who sees it, and ETags. Source: docs/reference/console.md §3.1."""

import html
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets.models import DataSet
from notifications.models import (
    Channel,
    DailyCounter,
    GoLiveRequest,
    GoLiveState,
    HourlyCount,
    KeyType,
    LimitKind,
    ReplyToState,
    Role,
    Service,
    Status,
    VersionState,
)
from tests import factories
from tests.datasets import making
from tests.people import colleague

pytestmark = pytest.mark.django_db

FRAGMENT = "/admin/needs/"


@pytest.fixture
def service(db: None) -> Service:
    return factories.make_service(name="Tides", daily_limit_email=100)


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode()).replace("\xa0", " ")


def count(service: Service, status: Status, n: int) -> None:
    template = service.templates.first() or factories.make_template(service)
    HourlyCount.objects.create(
        hour=9,
        service=service,
        day=timezone.now().date(),
        channel=Channel.EMAIL,
        template=template,
        key_type=KeyType.LIVE,
        status=status,
        n=n,
    )


def failures(service: Service) -> None:
    count(service, Status.DELIVERED, 93)
    count(service, Status.PERMANENT_FAILURE, 7)


def paused_callback(service: Service) -> None:
    factories.make_callback(service, paused_at=timezone.now())


def used_limit(service: Service) -> None:
    DailyCounter.objects.create(service=service, day=timezone.now().date(), kind=LimitKind.EMAIL, count=81)


def ending_key(service: Service) -> None:
    now = timezone.now()
    factories.make_api_key(service, expires_at=now + timedelta(days=3), last_used_at=now)


def version_for_test_keys(service: Service) -> None:
    factories.make_draft(factories.make_template(service), state=VersionState.TEST)


def bounced(service: Service) -> None:
    factories.make_reply_to(service, state=ReplyToState.BOUNCED)


def unconfirmed(service: Service) -> None:
    factories.make_reply_to(service, state=ReplyToState.CHECKING)


def sent_back(service: Service) -> None:
    Service.objects.update(live=False)
    GoLiveRequest.objects.create(
        service=service, emails_per_day=1, texts_per_day=1, purpose="x", state=GoLiveState.SENT_BACK
    )


@pytest.mark.parametrize(
    ("cause", "role", "line", "button"),
    [
        (failures, Role.SEE_ACTIVITY, "7% of today's emails of Tides failed.", "View failed messages"),
        (paused_callback, Role.MANAGE_API, "1 callback is paused.", "View paused callbacks"),
        (used_limit, Role.SEE_ACTIVITY, "Tides has used 81% of today's limit: emails.", "View limits"),
        (ending_key, Role.MANAGE_API, "1 API key in use will expire within 14 days.", "View keys"),
        (version_for_test_keys, Role.EDIT_TEMPLATES, "1 template has a version for test keys only.", "View templates"),
        (bounced, Role.MANAGE_SERVICE, "The confirmation email to 1 reply-to address came back.", "View bounced"),
        (unconfirmed, Role.MANAGE_API, "1 reply-to address is not confirmed yet.", "View addresses"),
        (sent_back, Role.MANAGE_SERVICE, "An operator sent back your request to go live.", "View note"),
    ],
)
def test_each_cause_is_one_line_for_people_with_the_role(service, cause, role, line, button):
    person = colleague(service, role)
    assert line not in text_of(person.get("/admin/"))

    cause(service)

    page = text_of(person.get("/admin/"))
    assert line in page
    assert button in page
    assert line not in text_of(colleague(service, Role.SEND_MESSAGES).get("/admin/"))
    assert line not in text_of(colleague(factories.make_service(), *Role).get("/admin/"))
    assert person.get(link_of(text_of(person.get(FRAGMENT)), button), follow=True).status_code == 200


def link_of(page: str, button: str) -> str:
    before = page[: page.index(f">{button}")]
    return before[before.rindex('href="') + 6 : before.rindex('"')]


def test_few_failures_and_few_messages_are_no_line(service):
    count(service, Status.PERMANENT_FAILURE, 19)
    other = factories.make_service(name="Buses")
    count(other, Status.DELIVERED, 94)
    count(other, Status.PERMANENT_FAILURE, 6)

    assert "of today's emails" not in text_of(colleague(service, Role.SEE_ACTIVITY).get(FRAGMENT))
    assert "of today's emails" not in text_of(colleague(other, Role.SEE_ACTIVITY).get(FRAGMENT))


def test_operators_see_all_services_and_requests(console, service):
    failures(service)
    sent_back(service)
    GoLiveRequest.objects.update(state=GoLiveState.WAITING)
    archived = factories.make_service(name="Old", active=False)
    paused_callback(archived)

    page = text_of(console.get(FRAGMENT))

    assert "7% of today's emails of Tides failed." in page
    assert f"service__id__exact={service.pk}" in page
    assert "1 service asks to go live." in page
    assert "callback" not in page
    for button in ("View failed messages", "View requests"):
        assert console.get(link_of(page, button)).status_code == 200


def test_late_data_sets_are_listed(console, service):
    data_set = making.make_data_set("tides", "levels")
    DataSet.objects.filter(pk=data_set.pk).update(late_since=timezone.now())

    page = text_of(console.get(FRAGMENT))

    assert "1 data set is late: an expected write is missing." in page
    assert "levels" in text_of(console.get(link_of(page, "View late data sets")))


@pytest.mark.parametrize("lacking", ["description", "licence", "contact"])
def test_public_data_sets_without_what_catalogues_show_are_named(console, service, lacking):
    whole = {"description": "Levels by hour.", "licence": "OGL-UK-3.0", "contact": "data@example.org"}
    making.make_data_set("tides", "whole", public=True, **whole)
    making.make_data_set("tides", "private")
    making.make_data_set("tides", "levels", public=True, **{**whole, lacking: ""})

    page = text_of(console.get(FRAGMENT))

    assert f"The public data set tides/levels has no {lacking}." in page
    assert "tides/levels" in text_of(console.get(link_of(page, "View settings")))


def test_two_public_data_sets_without_a_licence_are_named_and_listed(console, service):
    making.make_data_set("tides", "private")
    for name in ("levels", "times"):
        making.make_data_set("tides", name, public=True)

    page = text_of(console.get(FRAGMENT))

    assert "The public data sets tides/levels and tides/times need a description, a licence and a contact." in page
    listed = text_of(console.get(link_of(page, "View these data sets")))
    assert ("tides/levels" in listed, "tides/times" in listed, "tides/private" in listed) == (True, True, False)


def test_many_public_data_sets_without_a_licence_are_counted(console, service):
    for number in range(4):
        making.make_data_set("tides", f"n{number}", public=True)

    assert "4 public data sets need a description, a licence and a contact." in text_of(console.get(FRAGMENT))


def test_the_section_is_hidden_if_nothing_needs_anybody_and_answers_304(service):
    person = colleague(service, Role.SEE_ACTIVITY)

    first = person.get(FRAGMENT)
    again = person.get(FRAGMENT, headers={"If-None-Match": first["ETag"]})
    used_limit(service)
    changed = person.get(FRAGMENT, headers={"If-None-Match": first["ETag"]})

    assert " hidden>" in first.content.decode()
    assert first["Cache-Control"] == "private, no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert (changed.status_code, " hidden>" in changed.content.decode()) == (200, False)


def test_a_visitor_gets_nothing():
    assert Client().get(FRAGMENT).status_code == 302


def test_the_number_of_queries_does_not_grow_with_the_services(console, service):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            console.get(FRAGMENT)
        return len(found)

    failures(service)
    used_limit(service)
    with_one = queries()
    for number in range(4):
        other = factories.make_service(name=f"Other {number}", daily_limit_email=100)
        failures(other)
        used_limit(other)

    assert queries() == with_one
