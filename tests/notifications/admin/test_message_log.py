"""The message log: read-only, masked, and without a box that puts recipients into addresses."""

import pytest
from django.contrib import admin
from django.urls import reverse

from notifications.models import Channel, Notification, Status
from tests import factories

LOG = "/admin/notifications/notification/"


@pytest.fixture
def message(db):
    return factories.make_notification(recipient="ana@example.org", reference="case-7", body="Dear Ana **now**")


def page_of(message, page="change"):
    return reverse(f"admin:notifications_notification_{page}", args=[message.pk])


def test_the_list_shows_recipients_masked(console, message):
    page = console.get(LOG).content.decode()

    assert "a…@example.org" in page
    assert "ana@" not in page


def test_one_message_shows_its_text_in_a_frame_without_scripts(console, message):
    page = console.get(page_of(message)).content.decode()

    assert "sandbox srcdoc=" in page
    assert "case-7" in page
    assert "ana@example.org" not in page


def test_a_text_message_is_escaped(console):
    template = factories.make_template(channel=Channel.SMS)
    message = factories.make_notification(template, body="<script>alert(1)</script> see pier.example")

    page = console.get(page_of(message)).content.decode()

    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_there_is_no_search_box_and_no_lookup_by_recipient(console, message):
    assert not admin.site.get_model_admin(Notification).search_fields
    assert console.get(f"{LOG}?recipient__startswith=a").status_code == 400
    assert console.get(f"{LOG}?service__name__startswith=a").status_code == 400


@pytest.mark.parametrize(
    ("group", "found"),
    [("delivering", {"created"}), ("delivered", {"delivered"}), ("failed", {"permanent-failure", "technical-failure"})],
)
def test_three_answers_filter_the_list(console, group, found):
    template = factories.make_template()
    for status in (Status.CREATED, Status.DELIVERED, Status.PERMANENT_FAILURE, Status.TECHNICAL_FAILURE):
        factories.make_notification(template, status=status)

    rows = console.get(f"{LOG}?status={group}").context["cl"].result_list

    assert {row.status for row in rows} == found


@pytest.mark.parametrize(
    ("status", "channel", "words"),
    [
        (Status.PENDING, Channel.SMS, "Delivering"),
        (Status.SENT, Channel.SMS, "Sent, no receipt expected"),
        (Status.PERMANENT_FAILURE, Channel.EMAIL, "Address does not exist"),
        (Status.PERMANENT_FAILURE, Channel.SMS, "Not delivered"),
        (Status.TEMPORARY_FAILURE, Channel.EMAIL, "Not accepted for now"),
        (Status.TECHNICAL_FAILURE, Channel.EMAIL, "Our fault: could not be handed over"),
    ],
)
def test_statuses_are_told_in_words_with_the_apis_word_below(console, status, channel, words):
    factories.make_notification(factories.make_template(channel=channel), status=status)

    page = console.get(LOG).content.decode()

    assert words in page
    assert status.value in page


@pytest.mark.parametrize("page", ["change", "delete"])
def test_nobody_changes_or_deletes_a_message(console, message, page):
    answer = console.post(page_of(message, page), {"post": "yes", "body": "other"})

    message.refresh_from_db()
    assert answer.status_code == 403
    assert message.body == "Dear Ana **now**"
