"""The inbox's pages: a GET changes nothing, searches and removals are POSTs."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from notifications.models import Channel, SandboxMessage
from tests.notifications.sandbox.test_inbox_api import arrive

INBOX = "/sandbox/"


def test_an_empty_inbox_shows_how_to_fill_it(console):
    page = console.get(INBOX).content.decode()

    assert "No messages yet" in page
    assert "curl http" in page


def test_messages_are_listed_with_their_first_words(console):
    arrive("ana@example.org", subject="Tide tables")
    arrive("447700900123", channel=Channel.SMS, subject=None, html=None, text="High\n tide")

    page = console.get(INBOX).content.decode()

    assert "Tide tables" in page
    assert "High tide" in page


def test_a_search_is_posted(console):
    arrive("ana@example.org")
    arrive("bo@example.org")

    page = console.post(INBOX, {"term": "BO@EXAMPLE"}).content.decode()

    assert "bo@example.org" in page
    assert "ana@example.org" not in page
    assert "No message contains “nobody”." in console.post(INBOX, {"term": "nobody"}).content.decode()


def test_a_phone_number_is_found_in_any_spelling(console):
    arrive("447700900123", channel=Channel.SMS, subject=None, html=None)

    assert "07700 900123" in console.post(INBOX, {"term": "07700 900 123"}).content.decode()


def test_the_list_refreshes_itself_and_the_result_of_a_search_does_not(console):
    arrive()

    assert 'id="inbox" data-refresh="2"' in console.get(INBOX).content.decode()
    assert "data-refresh" not in console.post(INBOX, {"term": "ana"}).content.decode()


def test_the_email_is_in_a_frame_without_scripts(console):
    html = "<html><head></head><body><script>alert(1)</script>"
    arrived = arrive(html=html, headers={"List-Unsubscribe": "<https://example.org/u>"})

    page = console.get(f"/sandbox/messages/{arrived.pk}/").content.decode()

    assert "<script>alert" not in page
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc=' in page
    assert "default-src &#x27;none&#x27;" in page


def test_a_text_message_shows_what_it_costs(console):
    arrived = arrive("447700900123", channel=Channel.SMS, subject=None, html=None, text="x" * 161, sender="TIDES")

    page = console.get(f"/sandbox/messages/{arrived.pk}/").content.decode()

    assert "2 parts · standard alphabet · 161 of 306 characters" in page
    assert "TIDES" in page


@pytest.mark.parametrize("address", ["/sandbox/empty/", "/sandbox/messages/{id}/remove/"])
def test_a_get_removes_nothing(console, address):
    arrived = arrive()

    assert console.get(address.format(id=arrived.pk)).status_code == 405
    assert SandboxMessage.objects.exists()

    console.post(address.format(id=arrived.pk))
    assert not SandboxMessage.objects.exists()


def test_removing_needs_the_forms_token(operator):
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(operator)

    assert careful.post("/sandbox/empty/").status_code == 403


def test_anonymous_visitors_are_redirected_to_the_sign_in(client, db):
    answer = client.get(INBOX, REMOTE_ADDR="198.51.100.1")

    assert (answer.status_code, answer["Location"]) == (302, "/admin/login/?next=/sandbox/")


def test_on_this_machine_the_inbox_needs_no_sign_in(client, db):
    page = client.get(INBOX, SERVER_NAME="127.0.0.1", REMOTE_ADDR="127.0.0.1").content.decode()

    assert "No messages yet" in page
    assert "Message log" not in page


def test_the_page_of_a_message_names_its_recipient_and_leads_back(console):
    message = arrive("ana@example.org")

    page = console.get(reverse("sandbox-message", args=[message.pk])).content.decode()

    head = re.search(r"<h1.*?</h1>", page, re.DOTALL)[0]
    assert f'href="{INBOX}">Sandbox inbox</a>' in head
    assert "Email to ana@example.org" in head
    assert "Email to ana@example.org | Signalbox</title>" in page
