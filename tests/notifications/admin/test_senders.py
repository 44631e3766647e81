"""Text message senders and reply-to addresses: always one default, removed without losing the row."""

import pytest
from django.urls import reverse

from notifications.models import ReplyToAddress, SmsSender
from tests import factories


@pytest.fixture
def service(db):
    return factories.make_service(live=False)


def page_of(row, page):
    return reverse(f"admin:notifications_{row._meta.model_name}_{page}", args=[row.pk])


def add(console, model, service, **fields):
    return console.post(reverse(f"admin:notifications_{model}_add"), {"service": str(service.pk), **fields})


def test_the_first_becomes_the_default_by_itself(console, service):
    add(console, "smssender", service, sender="HARBOUR")
    add(console, "smssender", service, sender="PIER")

    assert dict(SmsSender.objects.values_list("sender", "is_default")) == {"HARBOUR": True, "PIER": False}


def test_a_new_default_takes_the_mark_from_the_former(console, service):
    factories.make_reply_to(service, "old@example.org")

    add(console, "replytoaddress", service, email_address="new@example.org", is_default="on")

    marks = dict(ReplyToAddress.objects.values_list("email_address", "is_default"))
    assert marks == {"old@example.org": False, "new@example.org": True}


def test_make_default_is_a_step_of_its_own(console, service):
    factories.make_sms_sender(service, "OLD")
    new = factories.make_sms_sender(service, "NEW", is_default=False)

    console.get(page_of(new, "make-default"))
    assert not SmsSender.objects.get(pk=new.pk).is_default

    console.post(page_of(new, "make-default"))
    assert dict(SmsSender.objects.values_list("sender", "is_default")) == {"OLD": False, "NEW": True}


@pytest.mark.parametrize(
    ("sender", "reason"),
    [
        ("00441234", "A sender cannot begin with 00"),
        ("AB", "Use 3 to 11 characters; this has 2."),
        ("ABCDEFGHIJKL", "Use 3 to 11 characters; this has 12."),
        ("PIER#1", "# is not allowed here"),
        ("---", "Use at least one letter or digit."),
        ("PIÉR", "É is not allowed here"),
    ],
)
def test_a_wrong_sender_is_refused_with_its_reason(console, service, sender, reason):
    answer = add(console, "smssender", service, sender=sender)

    assert reason in answer.content.decode()
    assert not SmsSender.objects.exists()


@pytest.mark.parametrize("sender", ["Pier & Co.", "+447700900123", "447700900123", "60006", "A-1_b"])
def test_a_sender_is_a_name_a_number_or_a_short_code(console, service, sender):
    add(console, "smssender", service, sender=sender)

    assert SmsSender.objects.get().sender == sender


def test_a_double_is_refused_however_it_is_written(console, service):
    factories.make_reply_to(service, "help@example.org")

    answer = add(console, "replytoaddress", service, email_address="Help@Example.org")

    assert "There is this address already." in answer.content.decode()
    assert ReplyToAddress.objects.count() == 1


def test_a_wrong_address_is_refused_in_the_consoles_words(console, service):
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


def test_removing_the_default_asks_which_one_follows(console, service):
    default = factories.make_sms_sender(service, "OLD")
    follower = factories.make_sms_sender(service, "NEXT", is_default=False)

    refused = console.post(page_of(default, "remove"), {})
    default.refresh_from_db()
    assert "This field is required." in refused.content.decode()
    assert default.archived_at is None

    console.post(page_of(default, "remove"), {"follower": follower.pk})
    follower.refresh_from_db()
    assert follower.is_default


def test_anothers_sender_cannot_follow(console, service):
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


def test_the_only_reply_to_of_a_trial_can_go(console, service):
    only = factories.make_reply_to(service)

    console.post(page_of(only, "remove"), {})

    only.refresh_from_db()
    assert only.archived_at is not None
