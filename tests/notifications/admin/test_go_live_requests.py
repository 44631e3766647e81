"""Teams ask to go live, and operators answer. Source: docs/reference/console.md §3.10."""

import html
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.areas import DocumentErrors
from config.audit.models import AuditEvent
from notifications import tasks
from notifications.delivery import notices
from notifications.management.provision.services import provision
from notifications.models import (
    Channel,
    GoLiveRequest,
    GoLiveState,
    HourlyCount,
    KeyType,
    ReplyToState,
    Role,
    SandboxMessage,
    Service,
    Status,
)
from tests import factories
from tests.people import colleague

pytestmark = pytest.mark.django_db

LIST = reverse("admin:notifications_goliverequest_changelist")
VOLUMES = {"emails_per_day": 200, "texts_per_day": 30, "purpose": "tide warnings"}


@pytest.fixture
def service(db: None) -> Service:
    service = factories.make_service(name="Tides", live=False)
    factories.make_reply_to(service)
    return service


@pytest.fixture
def manager(service: Service) -> Client:
    return colleague(service, Role.MANAGE_SERVICE, name="bo")


def page_of(row: Any, page: str) -> str:
    return reverse(f"admin:notifications_{row._meta.model_name}_{page}", args=[row.pk])


def ask(manager: Client, service: Service, **values: object) -> GoLiveRequest:
    manager.post(page_of(service, "ask-to-go-live"), {**VOLUMES, **values})
    return GoLiveRequest.objects.get()


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode()).replace("\xa0", " ")


def mails() -> list[tuple[str, str]]:
    for pk in notices.KINDS["go-live"].waiting():
        tasks.mail_notice("go-live", str(pk))
    return [(row.content.to, row.content.subject) for row in SandboxMessage.objects.order_by("received_at")]


def test_a_manager_asks_and_an_operator_makes_the_service_live(manager, console, service):
    row = ask(manager, service)
    assert (row.state, row.created_by) == (GoLiveState.WAITING, "bo@example.org")
    assert mails() == [("mina@example.org", "Tides asks to go live")]
    assert "Make live…" in text_of(console.get(page_of(row, "change")))
    assert "Request to go live" in text_of(manager.get(page_of(service, "change")))

    page = text_of(console.get(page_of(service, "go-live")))
    assert "bo@example.org expects 200 emails and 30 text messages per day: tide warnings" in page
    console.post(page_of(service, "go-live"), {"reason": "all is ready"})

    row.refresh_from_db()
    assert (row.state, row.answer, row.answered_by) == ("made_live", "all is ready", "mina@example.org")
    assert mails()[1:] == [("bo@example.org", "Tides is live")]
    assert AuditEvent.objects.filter(verb="asked_for_live", service_id=service.pk).exists()


@pytest.mark.parametrize(("may_do_it", "word"), [(True, "go-live"), (False, "ask-to-go-live")])
def test_the_list_leads_the_team_to_the_page_that_asks(manager, service, settings, may_do_it, word):
    settings.SELF_GO_LIVE = may_do_it
    assert f'href="{page_of(service, word)}"' in text_of(manager.get(LIST))

    service.live = True
    service.save()

    assert f'href="{page_of(service, word)}"' not in text_of(manager.get(LIST))


def test_an_operator_sends_a_request_back_with_a_note_and_the_team_asks_again(manager, console, service):
    row = ask(manager, service)
    assert "This field is required." in text_of(console.post(page_of(row, "send-back"), {"note": ""}))

    console.post(page_of(row, "send-back"), {"note": "Add a second manager."})

    assert mails() == [("bo@example.org", "Tides is not live yet")]
    assert "Add a second manager." in SandboxMessage.objects.get().content.text
    assert "Add a second manager." in text_of(manager.get(page_of(row, "change")))
    assert "no longer waits" in text_of(console.get(page_of(row, "send-back")))
    manager.post(page_of(service, "ask-to-go-live"), VOLUMES)
    assert GoLiveRequest.objects.waiting().count() == 1


def test_the_emails_show_a_purpose_and_an_answer_as_typed(manager, console, service):
    typed = "# Boats &lbrack;\n\n[nets](https://x.example) & <b>1. *rope*</b>"
    row = ask(manager, service, purpose=typed)
    mails()
    console.post(page_of(row, "send-back"), {"note": typed})

    assert len(mails()) == 2
    for email in SandboxMessage.objects.all():
        assert typed.splitlines()[2] in email.content.text
        assert "Boats &amp;lbrack;" in email.content.html
        assert "&lt;b&gt;1. *rope*&lt;/b&gt;" in email.content.html
        assert ">nets<" not in email.content.html
        assert f"{settings.BASE_URL}{page_of(row, 'change')}</a>" in email.content.html


def test_a_request_waits_once_and_can_be_withdrawn(manager, service):
    row = ask(manager, service)

    assert "has already asked" in text_of(manager.post(page_of(service, "ask-to-go-live"), VOLUMES))
    manager.post(page_of(row, "withdraw"))

    row.refresh_from_db()
    assert (row.state, row.mail_at) == (GoLiveState.WITHDRAWN, None)


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({**VOLUMES, "emails_per_day": ""}, "This field is required."),
        ({**VOLUMES, "texts_per_day": -1}, "Enter a number from 0 to"),
        ({**VOLUMES, "purpose": ""}, "This field is required."),
    ],
)
def test_a_request_needs_volumes_and_a_purpose(manager, service, form, reason):
    assert reason in text_of(manager.post(page_of(service, "ask-to-go-live"), form))
    assert not GoLiveRequest.objects.exists()


def test_a_service_without_a_channel_is_not_asked_for_its_volume(manager, service):
    Service.objects.update(permissions=["email"])

    manager.post(page_of(service, "ask-to-go-live"), {"emails_per_day": 5, "purpose": "x"})

    assert GoLiveRequest.objects.get().texts_per_day == 0


def test_the_checklist_is_computed(manager, service, settings):
    before = text_of(manager.get(page_of(service, "ask-to-go-live")))
    factories.make_template(service)
    service.reply_to_addresses.update(state=ReplyToState.CONFIRMED)
    HourlyCount.objects.create(
        hour=9,
        service=service,
        day=timezone.now().date(),
        channel=Channel.EMAIL,
        template=service.templates.get(),
        key_type=KeyType.TEAM,
        status=Status.DELIVERED,
        n=1,
    )
    settings.PROVIDERS = ["mail=smtp://127.0.0.1:1", "gateway=https://gateway.example.org?token=t"]
    after = text_of(manager.get(page_of(service, "ask-to-go-live")))

    assert before.count('aria-label="Ready"') == 0
    assert "Only the sandbox takes emails and text messages" in before
    assert "Only one person can manage this service" in after
    assert after.count('aria-label="Ready"') == 4  # template, reply-to address, message to the team, provider


def test_who_sees_and_answers_requests(manager, service):
    row = ask(manager, service)
    reader = colleague(service, Role.SEE_ACTIVITY)
    stranger = colleague(factories.make_service(), Role.MANAGE_SERVICE)

    assert manager.post(page_of(row, "send-back"), {"note": "x"}).status_code == 403
    assert reader.get(LIST).status_code == 403
    assert reader.get(page_of(service, "ask-to-go-live")).status_code == 403
    for page in ("change", "send-back", "withdraw"):
        assert stranger.get(page_of(row, page)).status_code == 404
    assert "No requests to go live." in text_of(stranger.get(LIST))


def test_a_service_that_provision_makes_live_answers_its_request(manager, service):
    row = ask(manager, service)

    provision([{"id": str(service.pk), "live": True}], DocumentErrors())

    row.refresh_from_db()
    assert row.state == GoLiveState.MADE_LIVE
