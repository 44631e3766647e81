"""The form for the email address works from its own page only. Case G8."""

import re

import pytest
from django.test import Client

from notifications.models import DownloadEvent
from tests.notifications.download.sending import ADDRESS, SentFile, send_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def form(browser: Client, file: SentFile) -> dict[str, str]:
    page = browser.get(file.path("confirm"), secure=True).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    return {"csrfmiddlewaretoken": token[1], "email_address": ADDRESS}


def post(browser: Client, file: SentFile, data: dict[str, str], **headers: str):
    return browser.post(file.path("confirm"), data, secure=True, headers=headers)


def test_the_services_own_form_is_accepted(browser):
    file = send_file()

    answer = post(browser, file, form(browser, file), Origin="https://testserver")

    assert answer.status_code == 303


@pytest.mark.parametrize(
    ("change", "origin"),
    [
        pytest.param(lambda data: data.pop("csrfmiddlewaretoken"), "https://testserver", id="no token"),
        pytest.param(
            lambda data: data.update(csrfmiddlewaretoken="A" * 64), "https://testserver", id="a token of nobody"
        ),
        pytest.param(lambda data: None, "https://elsewhere.example", id="from elsewhere"),
        pytest.param(lambda data: None, "null", id="from nowhere, as with no-referrer"),
        pytest.param(lambda data: None, "http://testserver", id="from plain http"),
        pytest.param(lambda data: None, "", id="neither origin nor referrer"),
    ],
)
@pytest.mark.fault("G8")
def test_every_other_form_is_ignored(browser, change, origin):
    file = send_file()
    data = form(browser, file)
    change(data)

    answer = post(browser, file, data, **({"Origin": origin} if origin else {}))

    page = answer.content.decode()
    assert answer.status_code == 403
    assert "<h1>Go back and try again</h1>" in page
    assert "help@parks.example" in page
    assert not [name for name in answer.cookies if "f-" in name]
    assert file.now().wrong_tries == 0
    assert not DownloadEvent.objects.exists()


def test_a_form_without_its_cookie_is_ignored(browser):
    file = send_file()
    data = form(browser, file)
    browser.cookies.clear()

    answer = post(browser, file, data, Origin="https://testserver")

    assert answer.status_code == 403
    assert "Allow cookies for this site" in answer.content.decode()


def test_an_email_address_in_a_link_confirms_nothing(browser):
    file = send_file()

    answer = browser.get(file.path("confirm", email_address=ADDRESS))

    assert answer.status_code == 200
    assert b"Confirm your email address" in answer.content
