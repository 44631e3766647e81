"""Services in the console: made in trial, gone live with a reason, archived, never deleted."""

import pytest
from django.urls import reverse

from config.console.models import AuditEvent
from notifications.models import Service
from tests import factories

ADD = "/admin/notifications/service/add/"


def page_of(service, page):
    return reverse(f"admin:notifications_service_{page}", args=[service.pk])


def test_a_new_service_is_in_trial_with_a_sender_and_its_maker(console, settings):
    settings.DAILY_LIMIT_TRIAL, settings.DEFAULT_SMS_SENDER = 50, "HARBOUR"

    console.post(ADD, {"name": "Tides", "permissions": ["sms", "email"]})

    service = Service.objects.get()
    assert (service.live, service.active, service.permissions) == (False, True, ["sms", "email"])
    assert {service.daily_limit_sms, service.daily_limit_email, service.daily_limit_international_sms} == {50}
    assert [(sender.sender, sender.is_default) for sender in service.sms_senders.all()] == [("HARBOUR", True)]
    assert [member.email_address for member in service.team.all()] == ["mina@example.org"]
    assert service.created_by == "mina@example.org"
    assert AuditEvent.objects.get(object_kind="service").verb == "created"


def test_names_differ_by_more_than_case(console):
    factories.make_service(name="Tides")

    answer = console.post(ADD, {"name": "TIDES", "permissions": ["sms"]})

    assert "There is a service of this name already." in answer.content.decode()
    assert Service.objects.count() == 1


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("retention_days", 2, "Messages can be kept for 3 to 90 days."),
        ("retention_days", 91, "Messages can be kept for 3 to 90 days."),
        ("file_contact", "http://example.org", "Enter a link that begins with https://"),
        ("file_contact", "somebody", "Enter a link that begins with https://"),
    ],
)
def test_a_wrong_setting_is_refused_beside_its_field(console, field, value, reason):
    service = factories.make_service()
    names = ("name", "permissions", "retention_days", "rate_limit_per_minute")
    limits = ("daily_limit_sms", "daily_limit_email", "daily_limit_international_sms")
    form = {name: getattr(service, name) for name in (*names, *limits)}

    answer = console.post(page_of(service, "change"), {**form, field: value})

    assert reason in answer.content.decode()
    service.refresh_from_db()
    assert getattr(service, field) != value


@pytest.mark.parametrize("contact", ["https://example.org/help", "help@example.org", "020 7946 0000", "101", ""])
def test_a_contact_is_a_link_an_address_or_a_number(console, contact):
    service = factories.make_service()
    form = {"name": service.name, "permissions": ["sms"], "retention_days": 7, "rate_limit_per_minute": 10}
    limits = {"daily_limit_sms": 1, "daily_limit_email": 1, "daily_limit_international_sms": 1}

    console.post(page_of(service, "change"), {**form, **limits, "file_contact": contact})

    service.refresh_from_db()
    assert service.file_contact == contact


def test_going_live_needs_a_reply_to_address_where_email_is_sent(console):
    service = factories.make_service(live=False)

    page = console.get(page_of(service, "go-live")).content.decode()
    console.post(page_of(service, "go-live"), {"reason": "election"})

    service.refresh_from_db()
    assert "Add a reply-to address first: this service sends email." in page
    assert not service.live


def test_going_live_and_back_is_told_with_its_reason(console):
    service = factories.make_service(live=False)
    factories.make_reply_to(service)

    console.post(page_of(service, "go-live"), {"reason": "tested"})
    service.refresh_from_db()
    assert service.live

    console.post(page_of(service, "back-to-trial"), {"reason": "wrong texts"})
    service.refresh_from_db()
    assert not service.live
    told = [(event.verb, event.reason) for event in AuditEvent.objects.order_by("at")]
    assert told == [("made_live", "tested"), ("put_back_to_trial", "wrong texts")]


def test_going_live_without_a_reason_does_nothing(console):
    service = factories.make_service(live=False)
    factories.make_reply_to(service)

    answer = console.post(page_of(service, "go-live"), {"reason": ""})

    service.refresh_from_db()
    assert "Nothing was saved." in answer.content.decode()
    assert not service.live


def test_archiving_wants_the_name_typed(console):
    service = factories.make_service(name="Tides")

    refused = console.post(page_of(service, "archive"), {"name": "tides"})
    service.refresh_from_db()
    assert "This is not the service&#x27;s name." in refused.content.decode()
    assert service.active

    console.post(page_of(service, "archive"), {"name": "Tides"})
    service.refresh_from_db()
    assert (service.active, service.archived_at is None) == (False, False)


def test_a_service_is_never_deleted(console):
    service = factories.make_service()

    assert console.get(page_of(service, "delete")).status_code == 403
    assert console.post(page_of(service, "delete"), {"post": "yes"}).status_code == 403
    assert Service.objects.exists()


def test_a_step_of_a_service_that_is_not_there_is_not_found(console):
    assert console.get("/admin/notifications/service/6f1f1f1c-0000-4000-8000-000000000000/archive/").status_code == 404
