"""Team and guest list: stored in the form they are compared in, shown masked, named by id alone."""

import pytest
from django.urls import reverse

from config.console.models import AuditEvent
from notifications.models import GuestListEntry, TeamMember
from tests import factories

TEAM = "/admin/notifications/teammember/"
GUESTS = "/admin/notifications/guestlistentry/"


@pytest.fixture
def service(db):
    return factories.make_service()


def test_a_member_is_kept_as_given_and_normalised(console, service):
    form = {"service": service.pk, "email_address": "Ana@Example.org", "phone_number": "07700 900 123"}
    console.post(f"{TEAM}add/", form)

    member = TeamMember.objects.get()
    assert (member.email_address, member.normalised_email) == ("Ana@Example.org", "ana@example.org")
    assert (member.phone_number, member.normalised_phone) == ("07700 900 123", "447700900123")


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"email_address": "ana@"}, "Enter an email address in the correct format"),
        ({"email_address": "ana@example.org", "phone_number": "12"}, "too short"),
    ],
    ids=["address", "number"],
)
def test_a_wrong_member_is_refused(console, service, form, reason):
    answer = console.post(f"{TEAM}add/", {"service": service.pk, **form})

    assert reason in answer.content.decode()
    assert not TeamMember.objects.exists()


def test_a_member_is_in_the_team_once(console, service):
    factories.make_team_member(service, "ana@example.org")

    answer = console.post(f"{TEAM}add/", {"service": service.pk, "email_address": "ANA@example.org"})

    assert "This person is in the team already." in answer.content.decode()


@pytest.mark.parametrize(
    ("value", "kind", "normalised"),
    [("Ana@Example.org", "email", "ana@example.org"), ("+44 7700 900123", "phone", "447700900123")],
)
def test_a_guest_is_an_address_or_a_number(console, service, value, kind, normalised):
    console.post(f"{GUESTS}add/", {"service": service.pk, "value": value, "note": ""})

    guest = GuestListEntry.objects.get()
    assert (guest.kind, guest.normalised) == (kind, normalised)


def test_a_guest_is_listed_once_however_written(console, service):
    factories.make_guest(service, "07700900123")

    answer = console.post(f"{GUESTS}add/", {"service": service.pk, "value": "+447700900123", "note": ""})

    assert "This one is on the guest list already." in answer.content.decode()
    assert GuestListEntry.objects.count() == 1


def test_a_full_guest_list_says_so(console, service, settings):
    settings.GUEST_LIST_MAX = 1
    factories.make_guest(service, "ana@example.org")

    answer = console.post(f"{GUESTS}add/", {"service": service.pk, "value": "bo@example.org", "note": ""})

    assert "The guest list holds 1 of these and is full." in answer.content.decode()


def test_lists_and_audit_show_recipients_masked(console, service):
    console.post(f"{GUESTS}add/", {"service": service.pk, "value": "ana@example.org", "note": ""})
    console.post(f"{TEAM}add/", {"service": service.pk, "email_address": "bo@example.org", "phone_number": ""})

    pages = [console.get(address).content.decode() for address in (GUESTS, TEAM)]
    pages.append(console.get(reverse("admin:operations_auditevent_changelist")).content.decode())
    told = [f"{event.before}{event.after}" for event in AuditEvent.objects.all()]

    assert "a…@example.org" in pages[0]
    assert not [text for text in (*pages, *told) if "ana@" in text or "bo@" in text]


def test_a_deleted_guest_is_named_by_id_alone(console, service):
    guest = factories.make_guest(service, "ana@example.org")

    page = console.get(f"{GUESTS}{guest.pk}/delete/").content.decode()
    console.post(f"{GUESTS}{guest.pk}/delete/", {"post": "yes"})

    assert "ana@example.org" not in page
    assert not GuestListEntry.objects.exists()
    assert AuditEvent.objects.get().before["value"] == "a…@example.org"


def test_no_row_is_named_by_an_address(service):
    template = factories.make_template(service)
    rows = [
        factories.make_team_member(service, "ana@example.org"),
        factories.make_guest(service, "ana@example.org"),
        factories.make_reply_to(service, "ana@example.org"),
        factories.make_notification(template, recipient="ana@example.org"),
    ]

    assert not [str(row) for row in rows if "@" in str(row)]
