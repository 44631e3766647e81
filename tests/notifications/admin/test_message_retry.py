"""*Retry now* on a message's page and *Retry failed* over the log. Source: docs/reference/console.md §2.9, §2.10."""

import html
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.audit.models import AuditEvent
from config.console.audit_sentences import sentence
from config.jobs import registry, runner
from config.jobs.models import BulkJobRun
from notifications.admin.messages import over_filter
from notifications.models import Notification, Role, Service, Status, Template
from tests.factories import make_notification, make_service, make_suppression, make_template
from tests.notifications.download.sending import send_file
from tests.people import colleague

RETRY_FAILED = reverse("admin:notifications_notification_retry-failed")
LOG = reverse("admin:notifications_notification_changelist")


@pytest.fixture
def service(db: None) -> Service:
    return make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    return make_template(service)


@pytest.fixture
def sender(service: Service) -> Client:
    return colleague(service, Role.SEND_MESSAGES, Role.SEE_ACTIVITY, name="mina")


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def make_failed(template: Template, **fields: Any) -> Notification:
    now = timezone.now()
    return make_notification(template, **{"status": Status.TECHNICAL_FAILURE, "completed_at": now, **fields})


def url(message: Notification, word: str = "change") -> str:
    return reverse(f"admin:notifications_notification_{word}", args=[message.pk])


def confirm(browser: Client, query: str = "", number: int | None = None) -> Any:
    """Open the page of *Retry failed*, and confirm its number or another one."""
    path = f"{RETRY_FAILED}{query}"
    page = browser.get(path)
    shown = page.context["number"] if number is None else number
    return browser.post(path, {"number": shown, "job_id": page.context["job_id"]}, follow=True)


def test_a_failed_message_is_sent_again_and_both_pages_link_to_each_other(sender: Client, template: Template) -> None:
    failed = make_failed(template)
    assert url(failed, "retry") in text_of(sender.get(url(failed)))
    assert "as a new message with the same reference" in text_of(sender.get(url(failed, "retry")))

    answer = sender.post(url(failed, "retry"), follow=True)

    new = Notification.objects.exclude(pk=failed.pk).get()
    assert answer.redirect_chain[0][0] == url(new)
    assert "This is the new message." in text_of(answer)
    assert "Retry of" in text_of(answer)
    assert url(failed) in text_of(answer)
    assert url(new) in text_of(sender.get(url(failed)))
    assert "mina retried the message" in sentence(AuditEvent.objects.get(verb="retried_message"))
    assert "This message has been retried already." in text_of(sender.post(url(failed, "retry")))


def test_a_waiting_message_is_tried_now(sender: Client, template: Template) -> None:
    later = timezone.now() + timedelta(hours=1)
    waiting = make_notification(template, attempt=1, next_attempt_at=later)
    assert "You can start it now." in text_of(sender.get(url(waiting, "retry")))

    answer = sender.post(url(waiting, "retry"), follow=True)

    waiting.refresh_from_db()
    assert waiting.next_attempt_at < later
    assert "The next attempt starts now." in text_of(answer)


def test_a_refused_retry_says_why(sender: Client, template: Template) -> None:
    make_suppression(template.service, "ana@example.com")
    failed = make_failed(template)

    answer = sender.post(url(failed, "retry"))

    assert "The message was not sent again." in text_of(answer)
    assert "it is suppressed: by hand" in text_of(answer)
    assert Notification.objects.count() == 1


@pytest.mark.parametrize("status", [Status.DELIVERED, Status.PERMANENT_FAILURE])
def test_other_messages_have_no_button(sender: Client, template: Template, status: Status) -> None:
    message = make_failed(template, status=status)

    assert "Retry now" not in text_of(sender.get(url(message)))
    assert "Only a message with a temporary or technical failure" in text_of(sender.get(url(message, "retry")))


def test_only_people_who_may_send_can_retry(template: Template) -> None:
    failed = make_failed(template)
    reader, stranger = colleague(template.service, Role.SEE_ACTIVITY), colleague(make_service(), *Role)

    assert "Retry" not in text_of(reader.get(url(failed)))
    assert "Retry failed" not in text_of(reader.get(LOG))
    assert reader.post(url(failed, "retry")).status_code == 403
    assert reader.get(RETRY_FAILED).status_code == 403
    assert stranger.post(url(failed, "retry")).status_code == 404
    assert "No message of this list can be retried." in text_of(stranger.get(RETRY_FAILED))
    assert Notification.objects.count() == 1


# Over the filter


def test_the_list_is_retried_within_its_filters(sender: Client, template: Template) -> None:
    other = make_template(template.service)
    mine = [make_failed(template), make_failed(template, status=Status.TEMPORARY_FAILURE)]
    make_failed(other)
    make_failed(template, status=Status.PERMANENT_FAILURE)
    make_failed(template, status=Status.DELIVERED)
    filed = make_failed(template)
    send_file(template.service, notification_id=filed.pk, created_at=filed.created_at)
    make_failed(make_template())  # of another service
    query = f"?template__id__exact={template.pk}"
    assert f"{RETRY_FAILED}{query}" in text_of(sender.get(f"{LOG}{query}"))

    asked = text_of(sender.get(f"{RETRY_FAILED}{query}"))
    answer = confirm(sender, query)

    assert "The list has 2 failed messages." in asked
    assert "2 failed messages being sent again." in text_of(answer)
    new = Notification.objects.filter(retry_of__isnull=False)
    assert {one.retry_of.message_id for one in new} == {message.pk for message in mine}
    assert AuditEvent.objects.filter(verb="retried_message").count() == 2
    assert "No message of this list can be retried." in text_of(sender.get(f"{RETRY_FAILED}{query}"))


def test_if_the_number_has_changed_nothing_is_done(sender: Client, template: Template) -> None:
    make_failed(template)
    make_failed(template)

    answer = confirm(sender, number=1)

    assert "The number of matching messages has changed to 2. Nothing was done." in text_of(answer)
    assert Notification.objects.count() == 2


def test_a_suppressed_recipient_is_left_out_of_the_result(sender: Client, template: Template) -> None:
    make_suppression(template.service, "gone@example.com")
    make_failed(template)
    make_failed(template, recipient="gone@example.com")

    assert "1 failed message being sent again." in text_of(confirm(sender))


def test_many_messages_are_retried_by_a_job(sender: Client, template: Template) -> None:
    for _ in range(over_filter.BACKGROUND_OVER + 1):
        make_failed(template)

    answer = confirm(sender)

    run = BulkJobRun.objects.get(kind="retry-messages")
    assert answer.redirect_chain[0][0] == reverse("admin:operations_bulkjobrun_change", args=[run.pk])
    assert "Retry 101 failed messages" in text_of(answer)
    runner.work(run, registry.named("retry-messages"), None)
    run.refresh_from_db()
    assert (run.changed, run.error) == (101, "")
