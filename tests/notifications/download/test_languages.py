"""The recipient's pages in Welsh, and their previews for staff. Source: docs/reference/console.md §3.21."""

import gettext
import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from notifications.download.previews import PREVIEWS
from notifications.models import Attachment, Role
from notifications.submission import public_pages
from notifications.validation.services import PAGE_LANGUAGES
from tests import factories
from tests.notifications.download.sending import send_file
from tests.people import colleague

FOLDER = Path(settings.LOCALE_PATHS[0]) / "cy" / "LC_MESSAGES"
PAIR = re.compile(r'^msgid "(.+)"\nmsgstr "(.*)"$', re.MULTILINE)
NOT_TRANSLATED = {"Parks and Gardens", "Permit 4711.pdf", "245 KB", "help@parks.example"}
PLACE = re.compile(r"%\(\w+\)s")
BANNER = re.compile(r'<p class="notice">.*?</p>', re.DOTALL)  # for staff

pytestmark = pytest.mark.django_db


@pytest.fixture
def service():
    return factories.make_service(name="Parks and Gardens", file_contact="help@parks.example")


def preview(client, service, page):
    return client.get(f"/d/preview/{public_pages.write_token(service)}/{page}")


def pieces(answer):
    """Return the texts between the tags of a page."""
    page = BANNER.sub("", answer.content.decode())
    texts = (" ".join(unescape(text).split()) for text in re.split(r"<[^>]+>", page))
    return {text for text in texts if re.search(r"\w", text)}


@pytest.mark.parametrize("page", PREVIEWS)
def test_a_welsh_page_has_no_english_text(client, service, page):
    english = pieces(preview(client, service, page))
    service.page_language = "cy"
    service.save()

    answer = preview(client, service, page)

    assert pieces(answer) & english <= NOT_TRANSLATED
    assert '<html lang="cy">' in answer.content.decode()
    assert len(english) > 3


def test_a_sent_link_opens_the_page_in_the_language_of_the_service(client):
    file = send_file()
    type(file.row.service).objects.update(page_language="cy")

    page = client.get(file.path()).content.decode()

    assert "Mae gennych ffeil i’w lawrlwytho" in page
    assert re.search(r"tan <strong>Dydd \w+ \d+ \w+ \d{4}</strong>", page)


def test_the_compiled_catalogue_is_that_of_the_texts():
    pairs = dict(PAIR.findall((FOLDER / "django.po").read_text()))
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)

    assert len(pairs) > 60
    for text, translation in pairs.items():
        plain, wanted = (one.replace('\\"', '"') for one in (text, translation))
        assert translation, f"{text!r} is not translated"
        assert compiled.gettext(plain) == wanted, f"run compilemessages: {text!r}"
        assert sorted(PLACE.findall(plain)) == sorted(PLACE.findall(wanted)), text


@pytest.mark.parametrize("page", PREVIEWS)
def test_each_preview_says_that_it_is_one(client, service, page):
    assert "This is a preview." in preview(client, service, page).content.decode()


def test_a_preview_stores_nothing_and_leads_to_the_next_page(client, service):
    page = preview(client, service, "landing").content.decode()

    (following,) = re.findall(r'class="button" href="([^"]+)"', page)
    assert following.endswith("/confirm")
    assert "This is a preview." in page
    assert " disabled" in preview(client, service, "confirm").content.decode()
    assert not Attachment.objects.exists()


def test_services_choose_from_the_languages_of_the_pages():
    assert dict(settings.LANGUAGES) == PAGE_LANGUAGES


def test_every_page_has_a_title_in_the_list():
    assert list(PREVIEWS) == list(public_pages.PAGES)


@pytest.mark.parametrize("page", ["landing", "nothing"])
def test_a_preview_with_a_wrong_or_old_token_shows_the_page_of_a_broken_link(client, service, page):
    token = public_pages.write_token(service)
    with time_machine.travel(timezone.now() + timedelta(hours=1, seconds=1)):
        answers = [client.get(f"/d/preview/{written}/{page}") for written in (token, f"{token}x")]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert client.get(f"/d/preview/{token}/nothing").content == answers[0].content


def test_a_preview_takes_no_post(client, service):
    assert client.post(f"/d/preview/{public_pages.write_token(service)}/confirm").status_code == 405


def test_staff_find_the_previews_and_choose_the_language(service):
    place = f"/admin/notifications/service/{service.pk}"
    manager, reader = colleague(service, Role.MANAGE_SERVICE), colleague(service, Role.SEE_ACTIVITY)

    assert f"{place}/previews/" in manager.get(f"{place}/change/").content.decode()
    links = re.findall(r'href="([^"]+/d/preview/[^"]+)"', reader.get(f"{place}/previews/").content.decode())
    assert len(links) == len(PREVIEWS)
    assert reader.get(f"{place}/public-pages/").status_code == 403

    refused = manager.post(f"{place}/public-pages/", {"page_language": "fr"})
    assert "page_language" in refused.context["form"].errors
    assert manager.post(f"{place}/public-pages/", {"page_language": "cy"}).status_code == 302
    service.refresh_from_db()
    assert service.page_language == "cy"


def test_a_member_of_another_service_finds_no_previews(service):
    stranger = colleague(factories.make_service(), Role.MANAGE_SERVICE)
    assert stranger.get(f"/admin/notifications/service/{service.pk}/previews/").status_code == 404
