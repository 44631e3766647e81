"""Text message senders and reply-to addresses: there is always one default, and removing one keeps its row."""

import pytest
from django.urls import reverse

from notifications.models import Channel, ReplyToAddress, Role, SmsSender
from notifications.submission import ttl_cache
from tests import factories
from tests.notifications.calling import make_caller
from tests.people import colleague


@pytest.fixture
def service(db):
    return factories.make_service(live=False)


def page_of(row, page):
    return reverse(f"admin:notifications_{row._meta.model_name}_{page}", args=[row.pk])


def add(console, model, service, **fields):
    return console.post(reverse(f"admin:notifications_{model}_add"), {"service": str(service.pk), **fields})


def test_the_first_sender_becomes_the_default(console, service):
    add(console, "smssender", service, sender="HARBOUR")
    add(console, "smssender", service, sender="PIER")

    assert dict(SmsSender.objects.values_list("sender", "is_default")) == {"HARBOUR": True, "PIER": False}


def test_the_page_of_a_sender_has_actions_and_no_form(console, service):
    sender = factories.make_sms_sender(service, "HARBOUR", is_default=False)

    page = console.get(page_of(sender, "change")).content.decode()

    assert "Make default…" in page
    assert 'name="_save"' not in page
    assert 'name="_save"' in console.get(reverse("admin:notifications_smssender_add")).content.decode()


def test_a_new_default_replaces_the_former_one(console, service):
    factories.make_reply_to(service, "old@example.org")

    add(console, "replytoaddress", service, email_address="new@example.org", is_default="on")

    marks = dict(ReplyToAddress.objects.values_list("email_address", "is_default"))
    assert marks == {"old@example.org": False, "new@example.org": True}


def test_make_default_is_a_separate_action(console, service):
    factories.make_sms_sender(service, "OLD")
    new = factories.make_sms_sender(service, "NEW", is_default=False)

    console.get(page_of(new, "make-default"))
    assert not SmsSender.objects.get(pk=new.pk).is_default

    console.post(page_of(new, "make-default"))
    assert dict(SmsSender.objects.values_list("sender", "is_default")) == {"OLD": False, "NEW": True}


@pytest.mark.parametrize(
    ("sender", "reason"),
    [
        ("00441234", "Enter a sender that does not begin with 00"),
        ("AB", "Use 3 to 11 characters, or a valid phone number. You entered 2."),
        ("ABCDEFGHIJKL", "Use 3 to 11 characters, or a valid phone number. You entered 12."),
        ("PIER#1", "# is not allowed here"),
        ("---", "Use at least one letter or digit."),
        ("PIÉR", "É (latin capital letter e with acute) is not allowed here"),
    ],
)
def test_an_invalid_sender_is_rejected_with_a_reason(console, service, sender, reason):
    answer = add(console, "smssender", service, sender=sender)

    assert reason in answer.content.decode()
    assert not SmsSender.objects.exists()


@pytest.mark.parametrize("sender", ["Pier & Co.", "+447700900123", "447700900123", "60006", "A-1_b"])
def test_a_sender_is_a_name_a_number_or_a_short_code(console, service, sender):
    add(console, "smssender", service, sender=sender)

    assert SmsSender.objects.get().sender == sender


def test_a_duplicate_is_rejected_in_every_spelling(console, service):
    factories.make_reply_to(service, "help@example.org")

    answer = add(console, "replytoaddress", service, email_address="Help@Example.org")

    assert "This reply-to address already exists." in answer.content.decode()
    assert ReplyToAddress.objects.count() == 1


def test_an_invalid_email_address_has_the_consoles_error(console, service):
    answer = add(console, "replytoaddress", service, email_address="help@")

    assert "Enter an email address in the correct format, like name@example.com" in answer.content.decode()


def test_removing_keeps_the_row_and_its_id(console, service):
    factories.make_sms_sender(service, "KEPT")
    gone = factories.make_sms_sender(service, "GONE", is_default=False)

    console.post(page_of(gone, "remove"))

    gone.refresh_from_db()
    assert gone.archived_at is not None
    listed = console.get(reverse("admin:notifications_smssender_changelist")).content.decode()
    assert str(gone.pk) not in listed


def test_removing_the_default_asks_for_the_next_one(console, service):
    default = factories.make_sms_sender(service, "OLD")
    follower = factories.make_sms_sender(service, "NEXT", is_default=False)

    refused = console.post(page_of(default, "remove"), {})
    default.refresh_from_db()
    assert "This field is required." in refused.content.decode()
    assert default.archived_at is None

    console.post(page_of(default, "remove"), {"follower": follower.pk})
    follower.refresh_from_db()
    assert follower.is_default


def test_another_services_sender_cannot_become_the_default(console, service):
    default = factories.make_sms_sender(service, "OLD")
    factories.make_sms_sender(service, "NEXT", is_default=False)
    foreign = factories.make_sms_sender(factories.make_service(), "FOREIGN")

    console.post(page_of(default, "remove"), {"follower": foreign.pk})

    default.refresh_from_db()
    assert default.archived_at is None


def test_the_last_sender_stays(console, service):
    only = factories.make_sms_sender(service)

    page = console.get(page_of(only, "remove")).content.decode()
    console.post(page_of(only, "remove"), {})

    only.refresh_from_db()
    assert "A service always has one text message sender." in page
    assert only.archived_at is None


@pytest.mark.parametrize(("live", "stays"), [(True, True), (False, False)], ids=["live", "trial"])
def test_the_last_reply_to_of_a_live_service_that_sends_email_stays(console, live, stays):
    only = factories.make_reply_to(factories.make_service(live=live))

    page = console.get(page_of(only, "remove")).content.decode()

    assert ("A live service that sends email needs one." in page) == stays


def test_the_only_reply_to_address_of_a_trial_can_be_removed(console, service):
    only = factories.make_reply_to(service)

    console.post(page_of(only, "remove"), {})

    only.refresh_from_db()
    assert only.archived_at is not None


@pytest.mark.parametrize(
    ("model", "empty"),
    [
        ("smssender", "No text message sender. Every service has one that its messages come from."),
        ("replytoaddress", "No reply-to address. One is needed before this service goes live."),
    ],
)
def test_an_empty_list_says_what_belongs_there(console, db, model, empty):
    assert empty in console.get(reverse(f"admin:notifications_{model}_changelist")).content.decode()


def test_the_list_shows_author_last_use_and_id(console, service):
    add(console, "smssender", service, sender="HARBOUR")
    sender = SmsSender.objects.get()
    listed = reverse("admin:notifications_smssender_changelist")

    page = console.get(listed).content.decode()
    assert "mina@example.org" in page
    assert ">Never<" in page
    assert f'data-copy="copy-row-{sender.pk}"' in page

    SmsSender.objects.update(last_used_at=sender.created_at)
    assert ">Never<" not in console.get(listed).content.decode()


@pytest.mark.parametrize("channel", list(Channel))
def test_removing_a_sender_names_the_keys_that_used_it(console, channel):
    caller = make_caller(live=False)
    row = SmsSender.objects.get() if channel is Channel.SMS else ReplyToAddress.objects.get()
    used = {"sms_sender": row} if channel is Channel.SMS else {"reply_to": row}
    if channel is Channel.SMS:
        factories.make_sms_sender(caller.service, "NEXT", is_default=False)
    assert "No key used it in the stored messages." in console.get(page_of(row, "remove")).content.decode()

    factories.make_notification(factories.make_template(caller.service, channel), api_key=caller.key, **used)

    page = console.get(page_of(row, "remove")).content.decode()
    assert f"In the stored messages it was used by the key {caller.key.name}." in page
    assert "Last used: never." in page


def test_a_removed_id_is_rejected_like_an_unknown_one(console):
    caller = make_caller()
    gone = factories.make_sms_sender(caller.service, "GONE", is_default=False)
    template = factories.make_template(caller.service, Channel.SMS, content="Hi")
    assert caller.send_sms(template, sms_sender_id=str(gone.pk)).status_code == 201

    console.post(page_of(gone, "remove"), {})
    ttl_cache.clear()

    answer = caller.send_sms(template, sms_sender_id=str(gone.pk))
    refusal = f"sms_sender_id {gone.pk} does not exist in database for service id {caller.service.pk}"
    assert (answer.status_code, answer.json()["errors"][0]["message"]) == (400, refusal)
    assert SmsSender.objects.filter(pk=gone.pk).exists()


def test_a_removed_sender_has_no_page(console, service):
    factories.make_sms_sender(service, "KEPT")
    gone = factories.make_sms_sender(service, "GONE", is_default=False)
    console.post(page_of(gone, "remove"), {})

    assert console.post(page_of(gone, "make-default")).status_code == 404


def test_a_sender_shows_on_a_phone(console, service):
    sender = factories.make_sms_sender(service, "HARBOUR")

    shown = '<p class="nf-sender" data-sender-shown>{}</p>'
    assert shown.format("HARBOUR") in console.get(page_of(sender, "change")).content.decode()
    assert shown.format("PIER#1") in add(console, "smssender", service, sender="PIER#1").content.decode()
    assert "nf-phone" not in console.get(reverse("admin:notifications_replytoaddress_add")).content.decode()


@pytest.mark.parametrize("page", ["change", "make-default", "remove"])
def test_only_managers_of_the_service_or_its_api_change_senders(service, page):
    row = factories.make_reply_to(service)

    for role in (Role.MANAGE_SERVICE, Role.MANAGE_API):
        assert colleague(service, role).get(page_of(row, page)).status_code == 200
    assert colleague(service, Role.SEE_ACTIVITY).get(page_of(row, page)).status_code == 403
    assert colleague(factories.make_service(), Role.MANAGE_API).get(page_of(row, page)).status_code == 404
