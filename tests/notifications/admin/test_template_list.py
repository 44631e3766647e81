"""The list of templates: use, search, archiving and restoring."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from config import formats
from config.audit.models import AuditEvent
from notifications.models import Channel, HourlyCount, KeyType, Role, Status, Template
from tests import factories
from tests.people import colleague

LIST = "/admin/notifications/template/"

pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, name="Welcome")


def count(template, days_ago, number, status=Status.DELIVERED):
    day = datetime.now(UTC).date() - timedelta(days=days_ago)
    what = {"service": template.service, "channel": template.type, "template": template, "key_type": KeyType.LIVE}
    HourlyCount.objects.create(hour=9, day=day, status=status, n=number, **what)
    return day


def listed(client, **query):
    return client.get(LIST, query).content.decode()


def choose(client, action, *templates, state="", **fields):
    return client.post(
        f"{LIST}?state={state}", {"action": action, "_selected_action": [one.pk for one in templates], **fields}
    )


def test_the_empty_list_links_to_the_forms_of_both_kinds(console, db):
    factories.make_service()
    page = listed(console)

    assert "No templates yet. A template is the text people receive; ((name)) marks what the caller fills in." in page
    assert f'href="{LIST}add/?type=email">Create email template</a>' in page
    assert f'href="{LIST}add/?type=sms">Create text message template</a>' in page
    assert 'value="sms"' in console.get(f"{LIST}add/?type=sms").content.decode()


def test_without_the_role_the_empty_list_has_no_links(service):
    page = listed(colleague(service, Role.SEE_ACTIVITY))

    assert "No templates yet." in page
    assert "Create email template" not in page


def test_use_is_shown_from_counters_including_deleted_messages(console, template):
    count(template, 7, 1000)
    last = count(template, 6, 1200)
    count(template, 6, 34, Status.PERMANENT_FAILURE)

    page = listed(console)

    assert "1,234" in page
    assert formats.day(last) in page


def test_an_unused_template_says_so(console, template):
    assert "Never" in listed(console)


def test_unused_for_90_days_omits_new_templates(console, service):
    long_ago = datetime.now(UTC) - timedelta(days=100)
    used, forgotten, _ = (
        factories.make_template(service, name="Used", created_at=long_ago),
        factories.make_template(service, name="Forgotten", created_at=long_ago),
        factories.make_template(service, name="Fresh"),
    )
    count(used, 89, 1)
    count(forgotten, 92, 1)

    page = listed(console, use="unused")

    assert "Forgotten" in page
    assert "Fresh" not in page
    assert str(used.pk) not in page


def test_a_template_is_found_by_a_part_of_its_name_or_its_whole_id(console, service, template):
    other = factories.make_template(service, Channel.SMS, name="Gate code")

    for term in ("elco", str(template.pk), f" {str(template.pk).upper()} "):
        page = listed(console, q=term)
        assert str(template.pk) in page
        assert str(other.pk) not in page
    assert "No results. Change or clear the filters." in listed(console, q="nobody has this")


def test_the_channel_filters(console, service, template):
    other = factories.make_template(service, Channel.SMS, name="Gate code")

    page = listed(console, type__exact="sms")

    assert str(other.pk) in page
    assert str(template.pk) not in page


def test_the_list_names_the_last_editor(console, template):
    template.versions.update(created_by="bo@example.org")

    assert "bo@example.org" in listed(console)


def test_a_row_of_the_provision_command_has_its_name_instead_of_an_address(console, service, template, settings):
    template.versions.update(created_by=settings.PROVISION_AUTHOR)
    factories.make_api_key(service, created_by=settings.PROVISION_AUTHOR)

    for page in (LIST, reverse("admin:notifications_apikey_changelist")):
        shown = console.get(page).content.decode()
        assert "by provision<" in shown
        assert f"by {settings.PROVISION_AUTHOR}" not in shown


def test_archiving_many_names_the_keys_and_needs_a_confirmation(console, service, template):
    key = factories.make_api_key(service, name="pay-live")
    factories.make_notification(template, api_key=key)
    other = factories.make_template(service, name="Gate code")

    asked = choose(console, "archive_chosen", template, other).content.decode()
    uses = {template: "In the stored messages it was used by the key pay-live."}
    for one in (template, other):
        cells = [one.name, service.name, "Email", uses.get(one, "No key used it in the stored messages.")]
        assert re.search(
            r"<tr><th[^>]*>{}</th><td[^>]*>{}</td><td[^>]*>{}</td><td[^>]*>{}</td></tr>".format(*cells), asked
        )

    refused = choose(console, "archive_chosen", template, other, step="1").content.decode()
    assert "This field is required." in refused
    assert not Template.objects.exclude(archived_at=None).exists()

    choose(console, "archive_chosen", template, other, step="1", seen="on")
    assert not Template.objects.filter(archived_at=None).exists()
    assert [event.verb for event in AuditEvent.objects.all()] == ["archived", "archived"]


def test_many_templates_can_be_restored(console, service, template):
    Template.objects.update(archived_at=datetime.now(UTC))

    assert "Restore 1 template" in choose(console, "restore_chosen", template, state="archived").content.decode()
    choose(console, "restore_chosen", template, state="archived", step="1")

    assert Template.objects.get().archived_at is None


def test_archiving_an_archived_template_says_so(console, template):
    Template.objects.update(archived_at=datetime.now(UTC))

    answer = choose(console, "archive_chosen", template, state="all")

    assert "All of these templates are already archived." in answer.content.decode()


def test_archiving_one_names_its_keys_and_needs_a_confirmation(console, service, template):
    key = factories.make_api_key(service, KeyType.TEST, name="pay-test")
    factories.make_notification(template, api_key=key, key_type=KeyType.TEST)
    step = reverse("admin:notifications_template_archive", args=[template.pk])

    assert "used by the key pay-test." in console.get(step).content.decode()
    assert "This field is required." in console.post(step).content.decode()

    template.refresh_from_db()
    assert template.archived_at is None


def test_keys_of_another_template_are_not_named(console, service, template):
    other = factories.make_template(service)
    factories.make_notification(other, api_key=factories.make_api_key(service, name="pay-live"))

    page = console.get(reverse("admin:notifications_template_archive", args=[template.pk])).content.decode()

    assert "pay-live" not in page


def test_the_role_to_see_activity_has_no_actions(service, template):
    client = colleague(service, Role.SEE_ACTIVITY)

    assert "Archive…" not in listed(client)
    choose(client, "archive_chosen", template, step="1", seen="on")

    assert Template.objects.get().archived_at is None


def test_a_template_of_another_service_cannot_be_archived(template):
    client = colleague(factories.make_service(), Role.EDIT_TEMPLATES)

    choose(client, "archive_chosen", template, step="1", seen="on")

    assert Template.objects.get().archived_at is None
