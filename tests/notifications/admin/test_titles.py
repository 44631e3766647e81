"""Rows have a title: unmasked on pages for people with permission, masked in the audit."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.models import ReplyToAddress, Role
from tests import factories
from tests.notifications.admin.test_attachments import make_file
from tests.people import colleague

AUDIT = reverse("admin:operations_auditevent_changelist")


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides", live=False)


def text_of(answer) -> str:
    return html.unescape(answer.content.decode())


def way_of(client: Client, row, page: str = "change") -> list[str]:
    """Return the breadcrumbs of a row's page."""
    place = reverse(f"admin:notifications_{row._meta.model_name}_{page}", args=[row.pk])
    page = client.get(place).content.decode()
    return [html.unescape(one) for one in re.findall(r'class="sb-crumb-text">([^<]*)<', page)]


def sentences(client: Client) -> list[str]:
    return [line.sentence for _, on_day in client.get(AUDIT).context["days"] for line in on_day]


def test_the_breadcrumbs_end_with_the_title(console, service):
    rows = {
        factories.make_reply_to(service, "help@example.org"): "help@example.org",
        factories.make_team_member(service, "ann@example.org"): "ann@example.org",
        factories.make_guest(service, "07700 900301"): "07700 900301",
        factories.make_callback(service, "https://hooks.example.org/a?b=c"): "Delivery status to hooks.example.org",
        make_file(service=service, name="letter.pdf"): "letter.pdf",
    }

    assert {row: way_of(console, row)[-1] for row in rows} == rows
    assert {row: way_of(console, row, "history")[-1] for row in rows} == rows


def test_a_recipient_in_a_title_is_masked_without_permission(service):
    guest = factories.make_guest(service, "ana@example.org")
    message = factories.make_notification(factories.make_template(service), recipient="ana@example.org")

    masked = colleague(service, Role.MANAGE_API, Role.SEE_ACTIVITY)
    whole = colleague(service, Role.MANAGE_API, Role.SEE_RECIPIENTS)

    assert [way_of(masked, row)[-1] for row in (guest, message)] == ["a…@example.org", "a…@example.org"]
    assert [way_of(whole, row)[-1] for row in (guest, message)] == ["ana@example.org", "ana@example.org"]


def test_a_file_is_withdrawn_by_name_and_audited_by_type_and_day(console, service):
    file = make_file(service=service, name="letter.pdf")
    withdraw = reverse("admin:notifications_attachment_withdraw", args=[file.pk])

    assert "Withdraw letter.pdf" in text_of(console.get(withdraw))
    assert "letter.pdf is withdrawn." in text_of(console.post(withdraw, {"reason": "wrong letter"}, follow=True))

    event = AuditEvent.objects.get()
    assert event.object_label == file.masked_title
    assert event.object_label.startswith("PDF of ")
    assert sentences(console) == ["mina@example.org withdrew the file “letter.pdf”: wrong letter"]
    file.delete()
    assert sentences(console) == [f"mina@example.org withdrew the file “{event.object_label}”: wrong letter"]


def test_an_invite_names_the_member_masked_unless_the_reader_sees_the_team(console, service):
    add = reverse("admin:notifications_teammember_add")
    nonce = re.search(r'name="nonce" value="([^"]+)"', console.get(add).content.decode())[1]
    member = {"service": service.pk, "email_address": "ann@example.org", "roles": ["send_messages"], "nonce": nonce}
    console.post(add, member)

    event = AuditEvent.objects.get(verb="invited")
    assert event.object_label == "a…@example.org"
    told = sentences(colleague(service, Role.MANAGE_SERVICE))
    assert "mina@example.org invited the team member “ann@example.org”" in told


def test_the_audit_shows_roles_in_words(console, service):
    member = factories.make_team_member(service, "ann@example.org")
    console.post(
        reverse("admin:notifications_teammember_roles", args=[member.pk]), {"roles": ["see_activity", "manage_api"]}
    )

    event = AuditEvent.objects.get()
    page = text_of(console.get(reverse("admin:operations_auditevent_change", args=[event.pk])))
    assert "see activity, manage api" in page
    assert "['" not in page


def test_the_success_message_names_the_new_row(console, service):
    form = {"service": service.pk, "email_address": "help@example.org"}

    page = text_of(console.post(reverse("admin:notifications_replytoaddress_add"), form, follow=True))

    assert "Reply-to address “help@example.org” is added." in page
    assert str(ReplyToAddress.objects.get().pk)[:8] not in re.findall(r"Reply-to address “([^”]*)”", page)


def test_a_callback_with_the_same_token_only_shows_its_new_url(console, service):
    endpoint = factories.make_callback(service, "https://hooks.example.org/a")
    edit = reverse("admin:notifications_callbackendpoint_edit", args=[endpoint.pk])

    console.post(edit, {"url": "https://127.0.0.1/b", "bearer_token": ""})
    console.post(edit, {"url": "https://127.0.0.1/b", "bearer_token": "token-0123456789"})  # the stored token
    console.post(edit, {"url": "https://127.0.0.1/b", "bearer_token": "another-token"})

    second, first = AuditEvent.objects.all()
    assert (first.before, first.after) == ({"url": "https://hooks.example.org/a"}, {"url": "https://127.0.0.1/b"})
    assert list(second.after) == ["bearer_token"]
    assert sentences(console) == [
        "mina@example.org changed the bearer token of the callback “Delivery status to 127.0.0.1”",
        "mina@example.org changed the URL of the callback “Delivery status to 127.0.0.1”",
    ]


def test_a_saved_template_is_audited_with_the_changed_fields_and_its_note(console, service):
    template = factories.make_template(service, name="Letter", subject="Hi", content="Dear ((name))")
    form = {"name": "Letter", "subject": "Hi", "content": "Dear ((name)) ((x))", "unsubscribe_link": "on"}
    form |= {"note": "adds x", "based_on": 1, "versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}

    console.post(reverse("admin:notifications_template_change", args=[template.pk]), form)

    event = AuditEvent.objects.get()
    assert event.before == {"version": 1, "content": "Dear ((name))", "unsubscribe_link": False}
    assert event.after == {"version": 2, "content": "Dear ((name)) ((x))", "unsubscribe_link": True}
    assert sentences(console) == ["mina@example.org published a new version of the template “Letter”: adds x"]
