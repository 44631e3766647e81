"""A template that hides what callers fill in: staff read its own words, and `hidden` for every value.

Source: Rendering §2.
"""

import pytest
from django.urls import reverse

from config.console.models import AuditEvent
from notifications.models import Role
from tests import factories
from tests.people import colleague

TEXT = "Dear ((name)), ((late??you are late)) in berth ((berth))."
NO_VERSIONS = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}


@pytest.fixture
def template(db):
    return factories.make_template(factories.make_service(name="Tides"), content=TEXT, subject="For ((name))")


@pytest.fixture
def message(template):
    return factories.make_notification(template, body="Dear Jo Marsh, you are late in berth 7.", subject="For Jo Marsh")


def save(client, template, **fields):
    values = {"name": template.name, "subject": "For ((name))", "content": TEXT, "note": "", "based_on": 1}
    page = reverse("admin:notifications_template_change", args=[template.pk])
    return client.post(page, {**values, **NO_VERSIONS, **fields}, follow=True)


def page_of(client, message):
    return client.get(reverse("admin:notifications_notification_change", args=[message.pk])).content.decode()


def test_values_of_messages_sent_before_are_hidden_too(console, template, message):
    assert "Jo Marsh" in page_of(console, message)

    save(console, template, redact_personalisation="on")

    page = page_of(console, message)
    assert "Jo Marsh" not in page
    assert "For <mark>hidden</mark>" in page
    assert "Dear <mark>hidden</mark>, <mark>hidden</mark> in berth <mark>hidden</mark>." in page


def test_it_makes_no_version_and_one_audit_row(console, template):
    save(console, template, redact_personalisation="on")
    save(console, template, redact_personalisation="on")

    template.refresh_from_db()
    assert (template.redact_personalisation, template.current_version) == (True, 1)
    assert AuditEvent.objects.filter(verb="redacted", object_id=str(template.pk)).count() == 1


def test_it_is_never_taken_back(console, template, message):
    save(console, template, redact_personalisation="on")
    save(console, template, content="Hello ((name))")

    template.refresh_from_db()
    assert (template.redact_personalisation, template.current_version) == (True, 2)
    assert "Jo Marsh" not in page_of(console, message)


def test_a_new_template_may_hide_from_the_start(console, template):
    values = {
        "service": str(template.service_id),
        "type": "sms",
        "name": "Gate",
        "content": "Code ((code))",
        "note": "",
    }

    console.post("/admin/notifications/template/add/", {**values, "redact_personalisation": "on"})

    assert template.service.templates.get(name="Gate").redact_personalisation


def test_who_only_reads_the_log_cannot_set_it(template):
    reader = colleague(template.service, Role.SEE_ACTIVITY)

    answer = save(reader, template, redact_personalisation="on")

    template.refresh_from_db()
    assert answer.status_code == 403
    assert not template.redact_personalisation


def test_who_belongs_to_another_service_finds_no_such_template(template):
    stranger = colleague(factories.make_service(), Role.EDIT_TEMPLATES)

    answer = save(stranger, template, redact_personalisation="on")

    template.refresh_from_db()
    assert answer.status_code == 404
    assert not template.redact_personalisation
