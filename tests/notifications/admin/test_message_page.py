"""The page of one message: its content, its timeline, and its status in one sentence."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from config import formats
from notifications.models import Attachment, Channel, KeyType, MessageOrigin, Role, Status
from tests import factories
from tests.notifications.download.sending import send_file
from tests.people import colleague

ATTEMPT = {
    "at": "2026-11-20T09:00:01+00:00",
    "provider": "smtp-1",
    "outcome": "accepted",
    "reply": "250 queued",
    "ms": 84,
}


@pytest.fixture
def template(db):
    return factories.make_template(factories.make_service(name="Tides"), name="Tide table")


@pytest.fixture
def text(template):
    return factories.make_template(template.service, Channel.SMS, name="Gate code")


def page_of(browser, message):
    return browser.get(reverse("admin:notifications_notification_change", args=[message.pk]))


def told(browser, message):
    answer = page_of(browser, message)
    return answer.context["sentence"], [moment.title for moment in answer.context["moments"]]


@pytest.mark.fault("T9")
def test_an_email_is_shown_in_a_frame_without_scripts(console, template):
    message = factories.make_notification(
        template,
        body="Dear Ana **now** <script>alert(1)</script>",
        one_click_unsubscribe_url="https://example.org/out",
        reply_to=factories.make_reply_to(template.service, "office@example.org"),
        reference="case-7",
    )

    page = page_of(console, message).content.decode()

    assert '<iframe class="nf-email" sandbox srcdoc=' in page
    assert "default-src &#x27;none&#x27;" in page
    assert "<script>alert" not in page
    for fact in ("ana@example.com", "office@example.org", "https://example.org/out", "case-7", "Tide table, version 1"):
        assert fact in page
    assert f'value="{message.pk}"' in page
    assert f"{reverse('admin:notifications_template_version', args=[template.pk])}?number=1" in page


def test_a_text_message_is_a_bubble_with_its_parts(console, text):
    message = factories.make_notification(text, body="<b>gate</b> 37")

    page = page_of(console, message).content.decode()

    assert "&lt;b&gt;gate&lt;/b&gt; 37" in page
    assert "1 part · standard alphabet · 14 of 160 characters" in page
    assert "SIGNALBOX" in page


def test_a_recipient_is_masked_without_the_role(template):
    message = factories.make_notification(template, "ana@example.org")
    browser = colleague(template.service, Role.SEE_ACTIVITY)

    page = page_of(browser, message).content.decode()

    assert "a…@example.org" in page
    assert "ana@example.org" not in page
    assert "View messages to this recipient" not in page


def test_files_are_named_and_links_show_no_key(console, template):
    sent = send_file(template.service)
    message = factories.make_notification(template, body="Get it at https://files.example/d/abc without a key")
    of_message = {"notification_id": message.pk, "created_at": message.created_at, "template": template}
    Attachment.objects.filter(pk=sent.row.pk).update(**of_message)
    message.set_outgoing("Hello", "https://files.example/d/abc?key=THE-KEY")
    message.save()

    page = page_of(console, message).content.decode()

    assert sent.row.name in page
    assert formats.day(sent.row.last_day) in page
    assert "THE-KEY" not in page


def test_the_status_is_above_the_message(console, template):
    page = page_of(console, factories.make_notification(template)).content.decode()

    assert page.index('id="progress"') < page.index('aria-label="The message as sent"')


def test_a_message_from_the_console_has_no_key_type(console, template):
    real = factories.make_notification(template, origin=MessageOrigin.CONSOLE)
    test = factories.make_notification(template, origin=MessageOrigin.CONSOLE, key_type=KeyType.TEST)
    by_key = factories.make_notification(template)

    facts = [
        {fact.label: fact.value for fact in page_of(console, one).context["facts"]} for one in (real, test, by_key)
    ]

    assert [one.get("Key type") for one in facts] == [None, None, "Live"]
    assert [one.get("Sent from") for one in facts] == ["Console, as a real message", "Console, as a test", None]


def test_the_sandbox_is_not_named_as_a_provider(console, template):
    message = factories.make_notification(
        template, status=Status.DELIVERED, provider="sandbox", attempts=[{**ATTEMPT, "provider": "sandbox"}]
    )

    _, titles = told(console, message)

    assert "Handed to the sandbox" in titles


def test_an_email_that_the_mail_server_accepted_is_not_shown_as_arrived(console, template):
    at = timezone.now().replace(microsecond=0) - timedelta(minutes=5)
    message = factories.make_notification(
        template,
        status=Status.DELIVERED,
        is_acceptance_final=True,
        provider="smtp-1",
        attempts=[ATTEMPT],
        created_at=at,
        completed_at=at + timedelta(seconds=3),
    )

    sentence, titles = told(console, message)
    log = console.get(reverse("admin:notifications_notification_changelist")).content.decode()

    assert sentence == ("The mail server accepted it. smtp-1 does not report whether an email reached its recipient.")
    assert titles[-1] == "Accepted by the mail server"
    assert "Accepted by the mail server" in log


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("550 no such user", "Email address does not exist"),
        ("550 5.1.1 no such user", "Email address does not exist"),
        ("554 5.1.1 no such user (after the content)", "Email address does not exist"),
        ("500 Line too long (see RFC5321 4.5.3.1.6) (after the content)", "Refused by the mail server"),
        ("550 5.7.1 relaying denied", "Refused by the mail server"),
        ("552 5.2.2 mailbox full", "Refused by the mail server"),
        ("554 5.7.1 looks like spam (after the content)", "Refused by the mail server"),
    ],
)
def test_the_email_address_is_named_as_the_cause_only_if_the_server_does(console, template, reply, words):
    attempt = {**ATTEMPT, "outcome": "permanent", "reply": reply}
    message = factories.make_notification(template, status=Status.PERMANENT_FAILURE, attempts=[attempt])

    sentence, titles = told(console, message)

    assert titles[-1] == words
    assert ("the email address does not exist" in sentence) == (words == "Email address does not exist")


@pytest.mark.parametrize(
    ("code", "words"), [("invalid", "Email address does not exist"), ("spam", "Refused by the mail server")]
)
def test_a_receipt_shows_whether_the_email_address_is_the_cause(console, template, code, words):
    receipt = {"at": "2026-11-20T09:00:05+00:00", "outcome": "permanent-failure", "code": code}
    message = factories.make_notification(
        template, status=Status.PERMANENT_FAILURE, attempts=[ATTEMPT], receipts=[receipt]
    )

    _, titles = told(console, message)

    assert titles[-1] == words


@pytest.mark.parametrize(
    ("outcome", "first_sentence"),
    [
        ("temporary", "It expired before a provider accepted it, so it was not sent."),
        (
            "uncertain",
            "It expired before a provider confirmed it. It may have been sent all the same.",
        ),
    ],
)
def test_an_expired_message_is_not_shown_as_rejected(console, text, outcome, first_sentence):
    tried = {**ATTEMPT, "outcome": outcome, "reply": "451 later"}
    over = {"at": "2026-11-20T13:00:01+00:00", "provider": "", "outcome": "expired", "reply": "", "ms": 0}
    message = factories.make_notification(
        text, status=Status.TECHNICAL_FAILURE, provider="smtp-1", attempts=[tried, over], completed_at=timezone.now()
    )

    sentence, titles = told(console, message)
    page = page_of(console, message).content.decode()

    assert sentence == f"{first_sentence} A text message expires 4 hours after its due time."
    assert (len(titles), titles[-1]) == (4, "Expired")
    assert "refused it" not in page


def test_a_text_of_a_gateway_without_receipts_is_shown_as_accepted(console, text):
    message = factories.make_notification(text, status=Status.SENT, is_acceptance_final=True, provider="gateway-1")

    sentence, _ = told(console, message)

    assert sentence == "gateway-1 accepted it. This provider does not report whether a message arrived."


def test_a_delivered_message_has_a_complete_timeline(console, template):
    key = factories.make_api_key(template.service, name="pay-live", last_client="notifications-python-client/10.0.0")
    at = timezone.now().replace(microsecond=0) - timedelta(minutes=5)
    message = factories.make_notification(
        template,
        api_key=key,
        request_id="5a3c6d1e",
        status=Status.DELIVERED,
        provider="smtp-1",
        attempts=[{**ATTEMPT, "outcome": "temporary", "reply": "451 greylisted", "ms": 1200}, ATTEMPT],
        receipts=[{"at": at.isoformat(), "outcome": "delivered", "code": "2.0.0"}],
        created_at=at,
        completed_at=at + timedelta(seconds=3),
    )

    page = page_of(console, message)

    assert [moment.title for moment in page.context["moments"]] == [
        "Accepted",
        "Queued",
        "Attempt 1: smtp-1 did not accept it for now",
        "Attempt 2: smtp-1 accepted it",
        "smtp-1 reports: delivered",
        "Delivered",
    ]
    assert page.context["sentence"] == "It reached the recipient 3 seconds after it was accepted."
    shown = page.content.decode()
    for detail in ("by the key pay-live", "notifications-python-client/10.0.0", "request 5a3c6d1e", "“451 greylisted”"):
        assert detail in shown
    for detail in ("1,200 ms", "provider code: 2.0.0", "(2026-11-20 09:00:01 UTC)"):
        assert detail in shown
    assert "data-refresh" not in shown


@pytest.mark.parametrize(
    ("fields", "beginning"),
    [
        ({}, "It is waiting to be sent"),
        (
            {"attempts": [{**ATTEMPT, "outcome": "temporary"}]},
            "It was tried once without success. The next attempt is",
        ),
        ({"scheduled_for": datetime(2999, 1, 1, 9, tzinfo=UTC)}, "It is scheduled for 1 January 2999 at 9:00am"),
        ({"status": Status.SENDING, "provider": "smtp-1"}, "smtp-1 accepted it and has not reported a delivery yet"),
        ({"status": Status.PENDING, "provider": "gw"}, "gw accepted it and is still trying"),
        ({"status": Status.SENT, "provider": "gw"}, "gw accepted it. Networks in this number's country"),
        ({"status": Status.DELIVERED, "key_type": KeyType.TEST}, "This was a test: nothing was sent"),
        ({"status": Status.DELIVERED}, "It reached the recipient."),
        (
            {"status": Status.DELIVERED, "provider": "sandbox"},
            "Marked as delivered by the sandbox; nobody received it.",
        ),
        ({"status": Status.PERMANENT_FAILURE}, "It was not delivered: the email address does not exist"),
        (
            {"status": Status.TEMPORARY_FAILURE},
            "It did not reach the recipient in time. The mailbox may be full",
        ),
        ({"status": Status.TECHNICAL_FAILURE}, "A technical failure prevented delivery"),
    ],
)
def test_one_sentence_describes_the_status(console, template, fields, beginning):
    sentence, _ = told(console, factories.make_notification(template, **fields))

    assert sentence.startswith(beginning)


@pytest.mark.parametrize(
    ("status", "beginning"),
    [
        (Status.PERMANENT_FAILURE, "It was not delivered: the number is wrong"),
        (Status.TEMPORARY_FAILURE, "It did not reach the recipient in time. The phone may be off"),
    ],
)
def test_one_sentence_describes_the_status_of_a_text(console, text, status, beginning):
    assert told(console, factories.make_notification(text, status=status))[0].startswith(beginning)


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        ({"outcome": "permanent"}, "smtp-1 refused it"),
        ({"outcome": "uncertain"}, "It is unknown whether smtp-1 accepted it"),
        ({"outcome": "uncertain", "provider": "", "at": None, "ms": 0}, "It is unknown whether a provider accepted it"),
        ({"outcome": "test", "provider": ""}, "Test message: not handed to a provider"),
        ({"outcome": "something new"}, "something new"),
    ],
)
def test_each_attempt_is_shown_with_its_outcome(console, template, entry, title):
    message = factories.make_notification(template, attempts=[{**ATTEMPT, **entry}])

    assert told(console, message)[1][2] == title


def test_the_page_of_an_unfinished_message_refreshes_and_shows_the_next_attempt(console, template):
    message = factories.make_notification(template, attempts=[{**ATTEMPT, "outcome": "temporary"}])

    page = page_of(console, message).content.decode()

    assert "data-refresh" in page
    assert "next attempt " in page
    assert ">Reload</a>" in page


def test_a_message_from_the_console_shows_its_sender(console, template):
    message = factories.make_notification(template, origin="console", created_by="mina@example.org")

    assert "by mina@example.org in the console" in page_of(console, message).content.decode()
