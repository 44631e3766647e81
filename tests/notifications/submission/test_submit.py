"""From a checked request to a stored row: the order of the rules, the stored values, and the wake-up of the worker."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from config.metrics import registry
from notifications import errors
from notifications.errors import FileInTextMessage
from notifications.models import (
    ApiKey,
    DailyCounter,
    KeyType,
    Notification,
    ReplyToAddress,
    SmsSender,
    Status,
    Template,
    TemplateVersion,
)
from notifications.recipients import email, phone
from notifications.submission import ttl_cache
from notifications.submission.requests import EmailRequest, GivenId, SmsRequest
from notifications.submission.sending import submit
from tests.factories import (
    make_api_key,
    make_guest,
    make_reply_to,
    make_service,
    make_sms_sender,
    make_team_member,
)
from tests.notifications.calling import Caller, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db

SIMULATED = ["07700900000", "+44 7700 900111", "(07700) 900-222"]


def number(text: str = "07700900123", *, international: bool = True, landlines: bool = True) -> phone.PhoneNumber:
    return phone.parse(text, international=international, landlines=landlines)


def send_sms(key: ApiKey, template: Template, to: str = "07700900123", **fields: Any) -> submit.Submission:
    return submit.submit_sms(key, SmsRequest(phone_number=number(to), template_id=template.id, **fields))


def send_email(key: ApiKey, template: Template, to: str = "ana@example.org", **fields: Any) -> submit.Submission:
    return submit.submit_email(key, EmailRequest(email_address=email.parse(to), template_id=template.id, **fields))


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def test_the_row_of_a_text_message_has_its_values(caller: Caller) -> None:
    sent = send_sms(
        caller.key, sms_template(caller, "Hello ((n))"), "+44 7797 712345", personalisation={"n": "x" * 200}
    )

    row = Notification.objects.get(id=sent.notification.id)
    assert row.status == Status.CREATED
    assert (row.recipient, row.normalised_recipient) == ("+44 7797 712345", "447797712345")
    assert (row.parts, row.rate_multiplier, row.is_international) == (2, 2, True)
    assert (row.body[:8], row.subject, row.key_type) == ("Hello xx", None, "live")
    assert (row.sms_sender.sender, sent.sent_from) == ("PIGEON", "PIGEON")
    assert row.due_at <= timezone.now()


def test_the_row_of_an_email_keeps_its_markdown_and_the_values_of_its_template(caller: Caller) -> None:
    template = email_template(caller, "  * one\n* ((n)) \n", "For ((n))", unsubscribe_link=True)

    sent = send_email(
        caller.key,
        template,
        "Ana@Example.org",
        personalisation={"n": 2},
        one_click_unsubscribe_url="https://a.example/u",
    )

    row = Notification.objects.get(id=sent.notification.id)
    assert (row.recipient, row.normalised_recipient) == ("Ana@Example.org", "ana@example.org")
    assert (row.subject, row.body) == ("For 2", "  * one\n* 2 \n")
    assert (row.unsubscribe_link, row.one_click_unsubscribe_url) == (True, "https://a.example/u")
    assert row.reply_to is not None


def test_the_newest_version_is_sent_and_recorded(caller: Caller) -> None:
    template = sms_template(caller, "first")
    TemplateVersion.objects.create(template=template, number=2, name=template.name, content="second")
    Template.objects.filter(id=template.id).update(current_version=2)

    sent = send_sms(caller.key, template).notification

    assert (sent.body, sent.template_version) == ("second", 2)


def test_a_text_message_starts_with_the_service_name_by_setting() -> None:
    caller = make_caller(name="Town  Hall", prefix_sms=True)

    assert send_sms(caller.key, sms_template(caller, "Hello")).notification.body == "Town Hall: Hello"


@pytest.mark.parametrize(
    ("channel", "error"), [("sms", errors.TextMessagesNotAllowed), ("email", errors.EmailsNotAllowed)]
)
def test_step_9_the_channel_is_checked_before_the_template(channel: str, error: type[Exception]) -> None:
    caller = make_caller(permissions=[])

    with pytest.raises(error):
        (send_sms if channel == "sms" else send_email)(caller.key, Template())


def test_steps_11_to_13_check_the_template(caller: Caller) -> None:
    other = make_caller()
    archived = sms_template(caller, archived_at=timezone.now())

    with pytest.raises(errors.TemplateNotFound):
        send_sms(caller.key, sms_template(other))
    with pytest.raises(errors.TemplateOfOtherType, match="email template is not suitable for sms notification"):
        send_sms(caller.key, email_template(caller, archived_at=timezone.now()))
    with pytest.raises(errors.TemplateOfOtherType, match="sms template is not suitable for email notification"):
        send_email(caller.key, sms_template(caller))
    with pytest.raises(errors.TemplateArchived):
        send_sms(caller.key, archived)


def test_steps_14_to_16_check_values_then_emptiness_then_files(caller: Caller) -> None:
    template = sms_template(caller, "((a))((b))")
    file = {"file": "QQ=="}

    with pytest.raises(errors.PersonalisationMissing, match="Missing personalisation: b"):
        send_sms(caller.key, template, personalisation={"A": file})
    with pytest.raises(errors.MessageEmpty):
        send_sms(caller.key, template, personalisation={"a": "", "b": [], "other": file})
    with pytest.raises(FileInTextMessage):
        send_sms(caller.key, template, personalisation={"a": "x", "b": "", "other": file})


@pytest.mark.parametrize("removed", [True, False])
def test_step_17_a_removed_or_another_services_sender_is_rejected(caller: Caller, removed: bool) -> None:
    owner = caller.service if removed else make_service()
    gone = timezone.now() if removed else None
    sender = make_sms_sender(owner, "GONE", is_default=False, archived_at=gone)
    address = make_reply_to(owner, "gone@example.com", is_default=False, archived_at=gone)

    with pytest.raises(errors.SmsSenderNotFound, match=str(sender.id).upper()):
        send_sms(caller.key, sms_template(caller), sms_sender_id=GivenId(sender.id, str(sender.id).upper()))
    with pytest.raises(errors.ReplyToNotFound, match=str(address.id)):
        send_email(caller.key, email_template(caller), email_reply_to_id=GivenId(address.id, str(address.id)))


def test_without_a_default_the_sender_comes_from_the_setting(caller: Caller) -> None:
    SmsSender.objects.all().delete()
    ReplyToAddress.objects.all().delete()

    sms, message = send_sms(caller.key, sms_template(caller)), send_email(caller.key, email_template(caller))

    assert (sms.sent_from, sms.notification.sms_sender, message.notification.reply_to) == ("SIGNALBOX", None, None)


def test_the_use_of_a_sender_is_recorded_once_a_minute(caller: Caller) -> None:
    text, message = sms_template(caller), email_template(caller)
    send_sms(caller.key, text, SIMULATED[0])
    assert SmsSender.objects.get(service=caller.service).last_used_at is None

    send_sms(caller.key, text)
    send_email(caller.key, message)

    sender, address = SmsSender.objects.get(), ReplyToAddress.objects.get()
    assert sender.last_used_at is not None
    assert address.last_used_at is not None
    send_sms(caller.key, text)
    assert SmsSender.objects.get().last_used_at == sender.last_used_at


ALLOWED, REFUSED_TEAM, REFUSED_TRIAL = None, errors.NotOnTeam, errors.ServiceInTrial


@pytest.mark.parametrize(
    ("key_type", "live", "known", "error"),
    [
        (KeyType.LIVE, True, False, ALLOWED),
        (KeyType.LIVE, False, False, REFUSED_TRIAL),
        (KeyType.LIVE, False, True, ALLOWED),
        (KeyType.TEAM, True, False, REFUSED_TEAM),
        (KeyType.TEAM, True, True, ALLOWED),
        (KeyType.TEAM, False, False, REFUSED_TEAM),
        (KeyType.TEAM, False, True, ALLOWED),
        (KeyType.TEST, True, False, ALLOWED),
        (KeyType.TEST, False, False, ALLOWED),
    ],
)
@pytest.mark.fault("G5")
def test_step_18_permitted_recipients(
    key_type: KeyType, live: bool, known: bool, error: type[Exception] | None
) -> None:
    service = make_service(live=live)
    caller = Caller(make_api_key(service, key_type))
    if known:
        make_team_member(service, "Ana@Example.org", "07700 900123")
        make_guest(service, "Bo@example.org")
        make_guest(service, "+44 7700 900124")
    text, message = sms_template(caller), email_template(caller)
    sends = [
        lambda: send_sms(caller.key, text, "(07700) 900 123"),
        lambda: send_sms(caller.key, text, "07700900124"),
        lambda: send_email(caller.key, message, "ana@example.ORG"),
        lambda: send_email(caller.key, message, "bo@example.org"),
    ]

    for send in sends:
        if error is None:
            send()
        else:
            with pytest.raises(error):
                send()


def test_step_18_the_team_of_another_service_does_not_count() -> None:
    make_team_member(make_service(), phone_number="07700 900123")
    caller = make_caller(key_type=KeyType.TEAM)

    with pytest.raises(errors.NotOnTeam):
        send_sms(caller.key, sms_template(caller))


def test_step_19_a_missing_permission_is_checked_after_the_recipient() -> None:
    caller = make_caller(key_type=KeyType.TEAM, permissions=["sms"])
    template = sms_template(caller)
    request = SmsRequest(phone_number=number("+61491570006", international=False), template_id=template.id)

    with pytest.raises(errors.NotOnTeam):
        submit.submit_sms(caller.key, request)
    make_guest(caller.service, "+61 491 570 006")
    ttl_cache.clear()
    with pytest.raises(errors.InternationalNotAllowed):
        submit.submit_sms(caller.key, request)


def test_step_19_a_landline_needs_a_permission() -> None:
    caller = make_caller(permissions=["sms"])
    template = sms_template(caller)
    request = SmsRequest(phone_number=number("0121 496 0123", landlines=False), template_id=template.id)

    with pytest.raises(errors.ValidationError, match="phone_number Not a UK mobile number"):
        submit.submit_sms(caller.key, request)


@pytest.mark.parametrize("to", SIMULATED)
@pytest.mark.parametrize("key_type", [KeyType.LIVE, KeyType.TEST])
def test_step_20_nothing_is_stored_for_a_simulated_number(
    to: str, key_type: KeyType, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    caller = make_caller(key_type=key_type)

    with django_capture_on_commit_callbacks() as callbacks:
        sent = send_sms(caller.key, sms_template(caller), to)

    assert sent.notification.body == "Hello there"
    assert callbacks == []
    assert not Notification.objects.exists()
    assert not DailyCounter.objects.exists()


@pytest.mark.parametrize("local", ["simulate-delivered", "Simulate-Delivered-2", "simulate-delivered-3"])
def test_step_20_simulated_addresses_follow_the_setting(caller: Caller, local: str, settings: Any) -> None:
    settings.SIMULATED_EMAIL_DOMAIN = "Simulated.example"
    template = email_template(caller)

    send_email(caller.key, template, f"{local}@simulated.EXAMPLE")
    assert not Notification.objects.exists()
    send_email(caller.key, template, f"{local}@notifications.service.gov.uk")
    assert Notification.objects.count() == 1


def test_step_22_the_length_is_checked_last(caller: Caller) -> None:
    text, message = sms_template(caller, "((x))"), email_template(caller, "((x))")

    with pytest.raises(errors.TextMessageTooLong, match=r"longer than 918 characters\. Your message is 919 characters"):
        send_sms(caller.key, text, "07700900000", personalisation={"x": "€" * 919})
    with pytest.raises(errors.EmailTooLong, match=r"longer than 2000000 bytes\. Your message is 2000002 bytes\."):
        send_email(caller.key, message, personalisation={"x": "é" * 1_000_001})
    send_sms(caller.key, text, personalisation={"x": "€" * 918})
    send_email(caller.key, message, personalisation={"x": "é" * 1_000_000})


def wake_ups(callbacks: list[Any]) -> list[Any]:  # Any: any work after the commit
    """Return the callbacks that wake a worker; the others only count the message."""
    return [callback for callback in callbacks if getattr(callback, "func", None) != registry.MESSAGES.add]


def test_step_23_a_worker_is_woken_once_the_row_is_there(
    caller: Caller, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        sent = send_sms(caller.key, sms_template(caller))
        assert Notification.objects.filter(id=sent.notification.id).exists()

    assert len(wake_ups(callbacks)) == 1


def test_step_23_a_scheduled_message_waits_for_the_sweep(
    caller: Caller, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    moment = timezone.now() + timedelta(hours=2)

    with django_capture_on_commit_callbacks() as callbacks:
        sent = send_sms(caller.key, sms_template(caller), scheduled_for=moment)

    row = Notification.objects.get(id=sent.notification.id)
    assert wake_ups(callbacks) == []
    assert (row.scheduled_for, row.due_at, row.next_attempt_at) == (moment, moment, moment)


def test_step_23_nothing_is_stored_if_the_daily_limit_is_reached_meanwhile(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    caller = make_caller(daily_limit_sms=0)

    template = sms_template(caller)

    with django_capture_on_commit_callbacks() as callbacks, pytest.raises(errors.DailyLimitReached):
        send_sms(caller.key, template)

    assert callbacks == []
    assert not Notification.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_row_that_cannot_be_stored_is_not_counted(caller: Caller) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE notifications_notification RENAME TO elsewhere")
    try:
        response = caller.send_sms(sms_template(caller))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE elsewhere RENAME TO notifications_notification")

    assert response.status_code == 500
    assert not DailyCounter.objects.filter(count__gt=0).exists()


def test_values_are_sanitised_before_the_template_is_filled(caller: Caller) -> None:
    sent = send_email(
        caller.key,
        email_template(caller, "Dear ((Name))"),
        personalisation={"name": "[x](https://bad.example)", "other": "a-b"},
        sanitise_content_for=["NAME", "ghost", 7],
    )

    assert sent.notification.body == "Dear \\[x\\]\\(\\)"
    assert sent.sanitised.keys() == {"name"}
