"""Services in the console: created in trial mode, made live with a reason, archived, never deleted."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from config import formats
from config.audit.models import AuditEvent
from notifications.models import HourlyCount, Role, Service
from tests import factories
from tests.people import colleague

ADD = "/admin/notifications/service/add/"
LIST = "/admin/notifications/service/"
GENERAL = {"name": "Tides", "retention_days": 7, "unsubscribe_request_days": 365}
LIMITS = {"daily_limit_sms": 1, "daily_limit_email": 1, "daily_limit_international_sms": 1}


def page_of(service, page):
    return reverse(f"admin:notifications_service_{page}", args=[service.pk])


def test_a_new_service_is_in_trial_with_a_sender_and_its_creator(console, settings):
    settings.DAILY_LIMIT_TRIAL, settings.DEFAULT_SMS_SENDER = 50, "HARBOUR"

    console.post(ADD, {"name": "Tides", "permissions": ["sms", "email"]})

    service = Service.objects.get()
    assert (service.live, service.active, service.permissions) == (False, True, ["sms", "email"])
    limits = (service.daily_limit_sms, service.daily_limit_email, service.daily_limit_international_sms)
    assert limits == (50, 50, 100)
    assert [(sender.sender, sender.is_default) for sender in service.sms_senders.all()] == [("HARBOUR", True)]
    assert [(member.email_address, set(member.roles)) for member in service.team.all()] == [
        ("mina@example.org", set(Role.values))
    ]
    assert service.created_by == "mina@example.org"
    assert AuditEvent.objects.get(object_kind="service").verb == "created"


def test_names_must_differ_by_more_than_case(console):
    factories.make_service(name="Tides")

    answer = console.post(ADD, {"name": "TIDES", "permissions": ["sms"]})

    assert "A service with this name already exists." in answer.content.decode()
    assert Service.objects.count() == 1


@pytest.mark.parametrize(
    ("section", "form", "reason"),
    [
        ("general", {**GENERAL, "retention_days": 2}, "Messages can be kept for 3 to 90 days."),
        ("general", {**GENERAL, "retention_days": 91}, "Messages can be kept for 3 to 90 days."),
        (
            "general",
            {**GENERAL, "unsubscribe_request_days": 29},
            "Done unsubscribe requests can be kept for 30 to 730 days.",
        ),
        (
            "general",
            {**GENERAL, "unsubscribe_request_days": 731},
            "Done unsubscribe requests can be kept for 30 to 730 days.",
        ),
        ("general", {**GENERAL, "name": "BUSES"}, "A service with this name already exists."),
        ("general", {**GENERAL, "name": ""}, "This field is required."),
        ("file-page", {"file_contact": "http://example.org"}, "Enter a link that begins with https://"),
        ("file-page", {"file_contact": "somebody"}, "Enter a link that begins with https://"),
        ("limits", {"rate_limit_per_minute": 0, **LIMITS, "reason": "x"}, "Enter 1 or more"),
        (
            "limits",
            {"rate_limit_per_minute": 9, **LIMITS, "daily_limit_sms": -1, "reason": "x"},
            "Enter a number from 0 to 2,147,483,647.",
        ),
        ("limits", {"rate_limit_per_minute": 9, **LIMITS, "reason": ""}, "This field is required."),
    ],
)
def test_an_invalid_setting_is_rejected_beside_its_field(console, section, form, reason):
    service = factories.make_service(name="Tides")
    factories.make_service(name="Buses")
    before = Service.objects.filter(pk=service.pk).values().get()

    answer = console.post(page_of(service, section), form)

    assert reason in answer.content.decode()
    assert Service.objects.filter(pk=service.pk).values().get() == before
    assert not AuditEvent.objects.filter(object_kind="service").exists()


@pytest.mark.parametrize("contact", ["https://example.org/help", "help@example.org", "020 7946 0000", "101", ""])
def test_a_contact_is_a_url_an_email_address_or_a_phone_number(console, contact):
    service = factories.make_service()

    console.post(page_of(service, "file-page"), {"file_contact": contact})

    service.refresh_from_db()
    assert service.file_contact == contact


def test_each_section_changes_its_own_settings_and_no_other(console):
    service = factories.make_service(permissions=["sms", "email"], prefix_sms=False)

    console.post(page_of(service, "texts"), {"prefix_sms": "on", "landlines": "on"})
    console.post(page_of(service, "general"), {**GENERAL, "retention_days": 30, "unsubscribe_request_days": 730})

    service.refresh_from_db()
    assert service.unsubscribe_request_days == 730
    assert "730 days" in console.get(page_of(service, "change")).content.decode()
    assert service.permissions == ["email", "sms_to_uk_landlines"]
    assert (service.prefix_sms, service.name, service.retention_days) == (True, "Tides", 30)


def test_the_audit_stores_old_and_new_values_and_the_reason(console):
    service = factories.make_service(name="Tides", daily_limit_email=1000)
    limits = {**LIMITS, "daily_limit_email": 5000, "rate_limit_per_minute": service.rate_limit_per_minute}
    limits |= {"daily_limit_sms": service.daily_limit_sms, "daily_limit_international_sms": 100}

    console.post(page_of(service, "limits"), {**limits, "reason": "election mailing"})

    event = AuditEvent.objects.get(object_kind="service")
    assert (event.verb, event.reason, event.service_id) == ("changed", "election mailing", service.pk)
    assert event.before == {"daily_limit_email": 1000}
    assert (event.object_label, event.after) == ("Tides", {"daily_limit_email": 5000})


def test_a_section_saved_over_a_newer_one_is_rejected(console):
    service = factories.make_service(permissions=["sms", "email"])
    page = console.get(page_of(service, "texts")).content.decode()
    start = re.search(r'name="started_from" value="(\w+)"', page).group(1)
    Service.objects.filter(pk=service.pk).update(permissions=["email"])

    answer = console.post(page_of(service, "texts"), {"sends_texts": "on", "started_from": start})

    service.refresh_from_db()
    assert "Another person saved this while you edited it." in answer.content.decode()
    assert service.permissions == ["email"]


def test_a_live_service_needs_a_reply_to_address_to_turn_on_email(console):
    service = factories.make_service(permissions=["sms"])

    answer = console.post(page_of(service, "email"), {"sends_email": "on"})

    service.refresh_from_db()
    assert "Add a reply-to address first: this service sends email." in answer.content.decode()
    assert service.permissions == ["sms"]


def test_the_page_has_sections(console):
    service = factories.make_service(name="Tides")
    factories.make_sms_sender(service, "HARBOUR")

    page = console.get(page_of(service, "change")).content.decode()

    for told in (
        "Emails with files are refused until you set a contact.",
        "HARBOUR (default)",
        str(service.pk),
        formats.number(250_000),
    ):
        assert told in page, told
    for word in ("general", "email", "file-page", "texts", "limits", "back-to-trial", "archive"):
        assert page_of(service, word) in page, word
    assert console.post(page_of(service, "change"), {"name": "Mine"}).status_code == 405


def test_the_empty_list_says_what_a_service_is(console):
    assert "No services yet. A service is one sender of messages" in console.get(LIST).content.decode()


def test_the_list_counts_sent_and_failed_messages(noon, console):
    service = factories.make_service(name="Tides")
    template = factories.make_template(service)
    today = timezone.now().date()
    for days_ago, status, n in ((0, "delivered", 900), (6, "permanent-failure", 100), (7, "delivered", 5000)):
        HourlyCount.objects.create(
            hour=9,
            service=service,
            template=template,
            channel="email",
            key_type="live",
            day=today - timedelta(days=days_ago),
            status=status,
            n=n,
        )

    page = console.get(LIST).content.decode()

    assert formats.number(1000) in page
    assert "10% high" in page


def test_the_list_counts_valid_keys(console):
    service = factories.make_service()
    factories.make_api_key(service)
    factories.make_api_key(service, expires_at=timezone.now() + timedelta(days=1))
    factories.make_api_key(service, expires_at=timezone.now() - timedelta(days=1))
    factories.make_api_key(service, revoked_at=timezone.now())
    factories.make_team_member(service, "ana@example.org")
    factories.make_team_member(service, "bo@example.org")

    listed = console.get(LIST).context["cl"].queryset.get()

    assert (listed.live_keys, listed.team_size) == (2, 2)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("state=trial", {"Buses"}),
        ("state=live", {"Tides"}),
        ("state=archived", {"Old"}),
        ("channel=sms", {"Tides", "Old"}),
        ("state=nonsense", {"Buses", "Tides", "Old"}),
    ],
)
def test_the_list_is_filtered_by_state_and_channel(console, query, found):
    factories.make_service(name="Tides", permissions=["sms", "email"])
    factories.make_service(name="Buses", live=False, permissions=["email"])
    factories.make_service(name="Old", active=False, permissions=["sms"])

    rows = console.get(f"{LIST}?{query}").context["cl"].queryset

    assert {service.name for service in rows} == found


def test_going_live_with_email_needs_a_reply_to_address(console):
    service = factories.make_service(live=False)

    page = console.get(page_of(service, "go-live")).content.decode()
    console.post(page_of(service, "go-live"), {"reason": "election"})

    service.refresh_from_db()
    assert "Add a reply-to address first: this service sends email." in page
    assert not service.live


def test_going_live_and_back_is_audited_with_its_reason(console):
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


def test_archiving_needs_the_typed_name(console):
    service = factories.make_service(name="Tides")

    refused = console.post(page_of(service, "archive"), {"name": "tides"})
    service.refresh_from_db()
    assert "Nothing has changed" in refused.content.decode()
    assert service.active

    console.post(page_of(service, "archive"), {"name": "Tides"})
    service.refresh_from_db()
    assert (service.active, service.archived_at is None) == (False, False)


def test_a_service_is_never_deleted(console):
    service = factories.make_service()

    assert console.get(page_of(service, "delete")).status_code == 403
    assert console.post(page_of(service, "delete"), {"post": "yes"}).status_code == 403
    assert Service.objects.exists()


def test_an_action_on_an_unknown_service_is_not_found(console):
    assert console.get("/admin/notifications/service/6f1f1f1c-0000-4000-8000-000000000000/archive/").status_code == 404


def test_going_live_raises_unchanged_limits(console):
    service = factories.make_service(live=False, daily_limit_email=50, daily_limit_sms=60, permissions=["sms"])

    console.post(page_of(service, "go-live"), {"reason": "tested"})
    service.refresh_from_db()
    assert (service.daily_limit_email, service.daily_limit_sms) == (250_000, 60)

    console.post(page_of(service, "back-to-trial"), {"reason": "wrong texts"})
    service.refresh_from_db()
    assert (service.daily_limit_email, service.daily_limit_sms) == (50, 60)


def test_an_action_that_was_already_done_says_so(console):
    assert "is already live." in console.get(page_of(factories.make_service(), "go-live")).content.decode()
    trial = factories.make_service(live=False)
    assert "is already in trial." in console.get(page_of(trial, "back-to-trial")).content.decode()


@pytest.mark.parametrize("word", ["general", "email", "file-page", "texts", "limits", "back-to-trial", "archive"])
def test_an_archived_service_cannot_be_changed(console, word):
    service = factories.make_service(active=False)

    answer = console.post(page_of(service, word), {**GENERAL, "name": service.name, "reason": "x", "retention_days": 5})

    assert "This service is archived. You cannot change it." in answer.content.decode()
    assert not AuditEvent.objects.filter(object_kind="service").exists()


def test_the_role_to_see_activity_reads_settings_only(db):
    service = factories.make_service()
    client = colleague(service, Role.SEE_ACTIVITY)

    page = client.get(page_of(service, "change")).content.decode()

    assert "Emails with files are refused until you set a contact." in page
    for word in ("general", "email", "file-page", "texts", "limits", "go-live", "back-to-trial", "archive"):
        assert page_of(service, word) not in page
        assert client.post(page_of(service, word), {"reason": "x"}).status_code == 403, word


def test_managers_cannot_create_or_archive_services_or_change_limits(db, settings):
    service = factories.make_service(live=False, permissions=["sms"])
    client = colleague(service, Role.MANAGE_SERVICE)

    assert client.get(ADD).status_code == 403
    assert client.get(page_of(service, "limits")).status_code == 403
    assert client.get(page_of(service, "archive")).status_code == 403
    assert client.get(page_of(service, "general")).status_code == 200

    settings.SELF_GO_LIVE = False
    assert client.post(page_of(service, "go-live"), {"reason": "x"}).status_code == 403
    settings.SELF_GO_LIVE = True
    client.post(page_of(service, "go-live"), {"reason": "x"})
    service.refresh_from_db()
    assert service.live


def test_other_services_do_not_exist(db):
    service, client = factories.make_service(name="Tides"), colleague(factories.make_service(), *Role)

    for word in ("change", "history", "general", "email", "file-page", "texts", "limits", "go-live", "archive"):
        assert client.get(page_of(service, word)).status_code == 404, word
    assert "Tides" not in client.get(LIST).content.decode()
