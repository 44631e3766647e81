"""A template that redacts its values: staff see its text, and `hidden` for every value.

Source: docs/reference/rendering.md §2.
"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.models import CallbackDelivery, Channel, Role, Template
from tests import factories
from tests.notifications.admin.test_attachments import make_file
from tests.people import colleague

TEXT = "Dear ((name)), ((late??you are late)) in berth ((berth))."
LOG = "/admin/notifications/notification/"
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


def test_values_of_earlier_messages_are_redacted_too(console, template, message):
    assert "Jo Marsh" in page_of(console, message)

    save(console, template, redact_personalisation="on")

    page = page_of(console, message)
    assert "Jo Marsh" not in page
    assert "For <mark>hidden</mark>" in page
    assert "Dear <mark>hidden</mark>, <mark>hidden</mark> in berth <mark>hidden</mark>." in page


def test_redacting_creates_no_version_and_one_audit_event(console, template):
    save(console, template, redact_personalisation="on")
    save(console, template, redact_personalisation="on")

    template.refresh_from_db()
    assert (template.redact_personalisation, template.current_version) == (True, 1)
    assert AuditEvent.objects.filter(verb="redacted", object_id=str(template.pk)).count() == 1


def test_redacting_is_permanent(console, template, message):
    save(console, template, redact_personalisation="on")
    save(console, template, content="Hello ((name))")

    template.refresh_from_db()
    assert (template.redact_personalisation, template.current_version) == (True, 2)
    assert "Jo Marsh" not in page_of(console, message)


def test_a_new_template_can_redact_from_the_start(console, template):
    values = {
        "service": str(template.service_id),
        "type": "sms",
        "name": "Gate",
        "content": "Code ((code))",
        "note": "",
    }

    console.post("/admin/notifications/template/add/", {**values, "redact_personalisation": "on"})

    assert template.service.templates.get(name="Gate").redact_personalisation


def test_a_read_only_role_cannot_redact(template):
    reader = colleague(template.service, Role.SEE_ACTIVITY)

    answer = save(reader, template, redact_personalisation="on")

    template.refresh_from_db()
    assert answer.status_code == 403
    assert not template.redact_personalisation


def test_a_member_of_another_service_does_not_find_the_template(template):
    stranger = colleague(factories.make_service(), Role.EDIT_TEMPLATES)

    answer = save(stranger, template, redact_personalisation="on")

    template.refresh_from_db()
    assert answer.status_code == 404
    assert not template.redact_personalisation


def test_the_log_shows_the_text_of_the_template_only(console, template, message):
    texts = factories.make_template(template.service, Channel.SMS, content="Hello ((name)), code ((code)).")
    factories.make_notification(texts, body="Hello Jo Marsh, code 999111.")
    assert console.get(LOG).content.decode().count("Jo Marsh") == 2

    Template.objects.update(redact_personalisation=True)

    page = console.get(LOG).content.decode()
    assert "Jo Marsh" not in page
    assert "999111" not in page
    assert "For [hidden]" in page
    assert "Hello [hidden], code [hidden]." in page


def test_the_log_reads_the_templates_of_a_page_once(console, template, django_assert_max_num_queries):
    Template.objects.update(redact_personalisation=True)
    factories.make_notification(template)
    with CaptureQueriesContext(connection) as of_one:
        console.get(LOG)
    for _ in range(5):
        factories.make_notification(factories.make_template(template.service, redact_personalisation=True))

    with django_assert_max_num_queries(len(of_one)):
        console.get(LOG)


def test_names_of_files_are_redacted_on_their_pages(console, template, message):
    row = make_file(
        service=template.service,
        template=template,
        name="Diagnosis-Jane.txt",
        notification_id=message.pk,
        created_at=message.created_at,
    )
    places = [
        "/admin/notifications/attachment/",
        reverse("admin:notifications_attachment_change", args=[row.pk]),
        reverse("admin:notifications_attachment_withdraw", args=[row.pk]),
        reverse("admin:notifications_notification_change", args=[message.pk]),
    ]
    assert all("Diagnosis-Jane" in console.get(place).content.decode() for place in places)

    Template.objects.update(redact_personalisation=True)

    pages = [console.get(place).content.decode() for place in places]
    assert not [place for place, page in zip(places, pages, strict=True) if "Diagnosis" in page]
    assert all(row.masked_title in page for page in pages)


def test_the_name_of_a_file_stays_redacted_after_its_message_is_deleted(console, template, message):
    row = make_file(service=template.service, template=template, name="Jane.txt", notification_id=message.pk)
    Template.objects.update(redact_personalisation=True)
    message.delete()

    assert "Jane.txt" not in console.get("/admin/notifications/attachment/").content.decode()
    assert (
        "Jane.txt" not in console.get(reverse("admin:notifications_attachment_change", args=[row.pk])).content.decode()
    )


def test_a_file_without_a_known_template_shows_no_name(console, template):
    make_file(service=template.service, template=None, name="Jane.txt")

    assert "Jane.txt" not in console.get("/admin/notifications/attachment/").content.decode()


def test_callbacks_show_staff_no_values_of_callers(console, template, message):
    Template.objects.update(redact_personalisation=True)
    endpoint = factories.make_callback(template.service)
    message.completed_at = message.created_at
    delivery = CallbackDelivery.objects.create(endpoint=endpoint, notification=message, status="delivered")

    for place in ("", f"{delivery.pk}/change/"):
        page = console.get(f"/admin/notifications/callbackdelivery/{place}").content.decode()
        assert "Jo Marsh" not in page
