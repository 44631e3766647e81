"""The guest list accepts many lines at once and checks each one. Source: docs/reference/console.md §2.8."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.models import GuestListEntry, Role
from tests import factories
from tests.people import colleague

LIST = reverse("admin:notifications_guestlistentry_changelist")
ADD = reverse("admin:notifications_guestlistentry_add")


@pytest.fixture
def service(db):
    return factories.make_service()


@pytest.fixture
def client(service):
    return colleague(service, Role.MANAGE_API)


def typed(service, *lines, save=False):
    form = {"service": service.pk, "entries": "\r\n".join(lines), "note": "pilot"}
    return {**form, "save": "1"} if save else form


def test_lines_are_checked_before_anything_is_saved(client, service):
    page = client.post(ADD, typed(service, "ana@example.org, 07700 900123", "bo@", "123")).content.decode()

    assert "Add 2 to the guest list" in page
    assert "Not a valid email address" in page
    assert "Not enough digits" in page
    assert not GuestListEntry.objects.exists()


def test_valid_lines_are_saved_and_the_others_are_shown_again(client, service):
    page = client.post(ADD, typed(service, "Ana@Example.org", "bo@", "+44 7700 900123", save=True)).content.decode()

    rows = GuestListEntry.objects.order_by("kind").values_list("kind", "value", "normalised", "note")
    assert list(rows) == [
        ("email", "Ana@Example.org", "ana@example.org", "pilot"),
        ("phone", "+44 7700 900123", "447700900123", "pilot"),
    ]
    assert "You added 2 to the guest list." in page
    assert "bo@</textarea>" in page


def test_after_saving_all_lines_the_list_is_shown(client, service):
    answer = client.post(ADD, typed(service, "ana@example.org", save=True))

    assert answer["Location"] == LIST


def test_duplicates_are_dropped_in_every_spelling(client, service):
    client.post(ADD, typed(service, "07700900123", "+44 7700 900 123", "ana@example.org", "ANA@example.org", save=True))

    assert GuestListEntry.objects.count() == 2


def test_team_members_are_marked(client, service):
    factories.make_team_member(service, "ana@example.org", "07700900123")

    page = client.post(ADD, typed(service, "ana@example.org", "07700 900123", "bo@example.org")).content.decode()

    assert page.count("already on your team") == 2
    assert "Add 1 to the guest list" in page


def test_a_listed_recipient_is_not_added_twice(client, service):
    factories.make_guest(service, "ana@example.org")

    client.post(ADD, typed(service, "ANA@example.org", save=True))
    page = client.post(ADD, typed(service, "ANA@example.org")).content.decode()

    assert "already on the guest list" in page
    assert GuestListEntry.objects.count() == 1


def test_a_full_list_says_so_line_by_line(client, service, settings):
    settings.GUEST_LIST_MAX = 2
    factories.make_guest(service, "ana@example.org")

    page = client.post(ADD, typed(service, "bo@example.org", "cy@example.org", "07700900123")).content.decode()

    assert "The guest list holds 2 entries of this kind and is full. Remove one first." in page
    assert "Add 2 to the guest list" in page


def test_a_thousand_lines_are_the_maximum(client, service):
    page = client.post(ADD, typed(service, *[f"a{number}@example.org" for number in range(1001)])).content.decode()

    assert "Enter at most 1,000 lines at once. You entered 1,001." in page


def test_an_empty_form_is_rejected(client, service):
    assert "This field is required." in client.post(ADD, typed(service)).content.decode()


def test_the_empty_list_says_what_belongs_there(client):
    assert "Nobody yet. The service can send to the guest list in trial" in client.get(LIST).content.decode()


def test_entries_are_masked_without_the_role_to_see_recipients(service):
    factories.make_guest(service, "ana@example.org")

    masked = colleague(service, Role.MANAGE_API).get(LIST).content.decode()
    whole = colleague(service, Role.MANAGE_API, Role.SEE_RECIPIENTS).get(LIST).content.decode()

    assert "a…@example.org" in masked
    assert "ana@example.org" not in masked
    assert "ana@example.org" in whole


def test_the_list_shows_the_last_message_to_an_entry(client, service):
    factories.make_guest(service, "ana@example.org")
    factories.make_guest(service, "bo@example.org")
    factories.make_notification(factories.make_template(service), recipient="ana@example.org")

    page = client.get(LIST).content.decode()

    assert page.count("Not in the stored messages") == 1


def test_only_a_note_can_be_changed(client, service):
    entry = factories.make_guest(service, "ana@example.org")

    client.post(reverse("admin:notifications_guestlistentry_change", args=[entry.pk]), {"note": "x", "value": "b@c.de"})

    entry.refresh_from_db()
    assert (entry.note, entry.value) == ("x", "ana@example.org")


@pytest.mark.parametrize(
    ("roles", "name"),
    [([Role.MANAGE_API], "a…@example.org"), ([Role.MANAGE_API, Role.SEE_RECIPIENTS], "ana@example.org")],
    ids=["masked", "with See recipients"],
)
def test_the_page_that_removes_an_entry_shows_its_permitted_name(service, roles, name):
    entry, client = factories.make_guest(service, "ana@example.org"), colleague(service, *roles)
    remove = reverse("admin:notifications_guestlistentry_remove", args=[entry.pk])

    page = client.get(remove).content.decode()
    done = client.post(remove, follow=True).content.decode()

    assert f"Remove {name}" in page
    assert f"{name} is no longer on the guest list." in done
    assert not GuestListEntry.objects.exists()
    event = AuditEvent.objects.get()
    assert (event.object_label, event.before["value"]) == ("a…@example.org", "a…@example.org")


def test_the_audit_stores_entries_masked(client, service):
    client.post(ADD, typed(service, "ana@example.org", save=True))

    event = AuditEvent.objects.get()
    assert event.after["value"] == "a…@example.org"
    assert "ana@" not in f"{event.before}{event.after}"


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.MANAGE_API])
def test_other_roles_do_not_open_the_list(service, role):
    entry, other = factories.make_guest(service), colleague(service, role)

    assert other.get(LIST).status_code == 403
    assert other.post(ADD, typed(service, "ana@example.org", save=True)).status_code == 403
    assert other.get(reverse("admin:notifications_guestlistentry_change", args=[entry.pk])).status_code == 403


def test_entries_of_other_services_do_not_exist(service):
    entry, other = factories.make_guest(service), colleague(factories.make_service(), Role.MANAGE_API)

    for page in ("change", "history", "remove"):
        assert other.get(reverse(f"admin:notifications_guestlistentry_{page}", args=[entry.pk])).status_code == 404
    refused = other.post(ADD, typed(service, "ana@example.org", save=True)).content.decode()
    assert "Select a valid choice" in refused


def test_no_row_is_named_by_an_email_address(service):
    template = factories.make_template(service)
    rows = [
        factories.make_team_member(service, "ana@example.org"),
        factories.make_guest(service, "ana@example.org"),
        factories.make_reply_to(service, "ana@example.org"),
        factories.make_notification(template, recipient="ana@example.org"),
    ]

    assert not [str(row) for row in rows if "@" in str(row)]


def test_no_service_is_preselected_if_several_are_listed(service, operator):
    factories.make_service(name="Buses")
    browser = Client()
    browser.force_login(operator)

    page = browser.get(ADD).content.decode()

    assert re.search(r'<option value="" selected>\s*Select a service', page)
    assert "selected" not in re.findall(r"<option[^>]*>", page)[1]
