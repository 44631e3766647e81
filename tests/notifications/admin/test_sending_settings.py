"""Quiet hours, repeat guard and whole keys in the console and in `provision`: the same rules and the same texts."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.areas import DocumentErrors
from config.audit.models import AuditEvent
from notifications.management.provision.services import provision
from notifications.models import Channel, Service, Template
from tests import factories

pytestmark = pytest.mark.django_db

NIGHT = {"from": "21:00", "to": "08:00", "zone": "service"}
EMPTY = {"time_zone": "", "sms_from": "", "sms_to": "", "email_from": "", "email_to": ""}


@pytest.fixture
def service() -> Service:
    return factories.make_service(name="Tides")


def page_of(service: Service, section: str) -> str:
    return reverse(f"admin:notifications_service_{section}", args=[service.pk])


def provisioned(**fields: Any) -> list[str]:
    """Apply a document, and return its errors without their place."""
    errors = DocumentErrors()
    provision([{"name": "Tides", **fields}], errors)
    return list(errors.lines)


def test_quiet_hours_are_set_shown_and_removed(console: Client, service: Service) -> None:
    form = {**EMPTY, "time_zone": "America/Toronto", "sms_from": "21:00", "sms_to": "08:00", "sms_zone": "recipient"}

    console.post(page_of(service, "quiet-hours"), form)

    service.refresh_from_db()
    assert (service.quiet_hours, service.time_zone) == ({"sms": {**NIGHT, "zone": "recipient"}}, "America/Toronto")
    shown = console.get(reverse("admin:notifications_service_change", args=[service.pk])).content.decode()
    assert "9:00pm to 8:00am, in the time zone of the recipient" in shown
    assert "America/Toronto" in shown
    assert 'value="21:00"' in console.get(page_of(service, "quiet-hours")).content.decode()
    assert AuditEvent.objects.get(verb="changed").after["time_zone"] == "America/Toronto"

    console.post(page_of(service, "quiet-hours"), EMPTY)

    service.refresh_from_db()
    assert (service.quiet_hours, service.time_zone) == (None, "")


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"sms_from": "21:00"}, "Enter both times, or leave both empty."),
        ({"email_to": "21:00"}, "Enter both times, or leave both empty."),
        ({"sms_from": "soon", "sms_to": "08:00"}, "Enter a time, such as 21:00."),
        ({"sms_from": "08:00", "sms_to": "04:01"}, "Quiet hours can last at most 20 hours."),
        ({"sms_from": "08:00", "sms_to": "08:00"}, "Quiet hours must begin and end at different times."),
        ({"time_zone": "Europe/Atlantis"}, "Select a valid choice."),
    ],
)
def test_wrong_quiet_hours_are_rejected_beside_their_field(
    console: Client, service: Service, form: dict[str, str], error: str
) -> None:
    answer = console.post(page_of(service, "quiet-hours"), {**EMPTY, **form})

    assert error in answer.content.decode()
    service.refresh_from_db()
    assert service.quiet_hours is None


def test_the_repeat_guard_and_whole_keys_are_set(console: Client, service: Service) -> None:
    answer = console.post(page_of(service, "api"), {"repeat_guard_minutes": 1441})
    assert "Enter 1 to 1,440 minutes, or 0 to turn the repeat guard off." in answer.content.decode()

    console.post(
        page_of(service, "api"),
        {"repeat_guard_minutes": 30, "accepts_whole_keys": "on", "suppressed_sends_are_rejected": "on"},
    )

    service.refresh_from_db()
    assert (service.repeat_guard_minutes, service.accepts_whole_keys) == (30, True)
    shown = console.get(reverse("admin:notifications_service_change", args=[service.pk])).content.decode()
    assert "30 minutes" in shown
    assert service.suppressed_sends_are_rejected
    assert "Rejected with 400" in shown


def test_stop_by_text_is_switched_on(console: Client, service: Service) -> None:
    console.post(page_of(service, "texts"), {"sends_texts": "on", "stop_texts_suppress": "on"})

    service.refresh_from_db()
    shown = console.get(reverse("admin:notifications_service_change", args=[service.pk])).content.decode()
    assert service.stop_texts_suppress
    assert "People who text STOP" in shown
    assert AuditEvent.objects.get(verb="changed").after["stop_texts_suppress"] is True


def test_a_document_sets_them_and_a_second_time_changes_nothing(service: Service) -> None:
    fields = {
        "accepts_whole_keys": True,
        "repeat_guard_minutes": 5,
        "suppressed_sends_are_rejected": True,
        "stop_texts_suppress": True,
        "time_zone": "Europe/Paris",
        "quiet_hours": {"email": {"from": "22:00", "to": "06:30"}},
        "templates": [{"type": "sms", "name": "Code", "content": "4711", "respect_quiet_hours": True}],
    }
    for _ in range(2):
        assert provisioned(**fields) == []

    service.refresh_from_db()
    assert (service.accepts_whole_keys, service.repeat_guard_minutes, service.time_zone) == (True, 5, "Europe/Paris")
    assert service.suppressed_sends_are_rejected
    assert service.stop_texts_suppress
    assert service.quiet_hours == {"email": {"from": "22:00", "to": "06:30", "zone": "service"}}
    assert Template.objects.get().respect_quiet_hours
    assert AuditEvent.objects.filter(object_kind="service").count() == 1
    assert provisioned(quiet_hours=None) == []
    service.refresh_from_db()
    assert service.quiet_hours is None


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"repeat_guard_minutes": 1441}, "Enter 1 to 1,440 minutes, or 0 to turn the repeat guard off."),
        ({"repeat_guard_minutes": -1}, "Enter 1 to 1,440 minutes, or 0 to turn the repeat guard off."),
        ({"time_zone": "teatime"}, "Enter a time zone, such as Europe/London, or nothing for the default."),
        ({"quiet_hours": {"sms": {"from": "08:00", "to": "05:00"}}}, "Quiet hours can last at most 20 hours."),
        ({"quiet_hours": []}, "must be null or an object with the keys sms and email"),
        ({"accepts_whole_keys": 1}, "must be true or false"),
        ({"page_language": "fr"}, "Use en-gb (English) or cy (Welsh)."),
        ({"suppressed_sends_are_rejected": "yes"}, "must be true or false"),
        ({"stop_texts_suppress": 1}, "must be true or false"),
    ],
)
def test_a_document_with_a_wrong_value_is_rejected(service: Service, fields: dict[str, Any], error: str) -> None:
    (line,) = provisioned(**fields)

    assert line == f"services[0].{next(iter(fields))}: {error}"


def test_the_switch_of_a_template_makes_no_new_version(console: Client, service: Service) -> None:
    template = factories.make_template(service, Channel.SMS, "Hello")
    page = reverse("admin:notifications_template_change", args=[template.pk])
    form = {"name": template.name, "content": "Hello", "respect_quiet_hours": "on", "based_on": 1}

    console.post(page, {**form, "versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0})

    template.refresh_from_db()
    assert (template.respect_quiet_hours, template.current_version) == (True, 1)
    event = AuditEvent.objects.get(object_kind="template")
    assert (event.verb, event.before, event.after) == (
        "changed",
        {"respect_quiet_hours": False},
        {"respect_quiet_hours": True},
    )
