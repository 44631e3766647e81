"""Every row of the contract's table of cases, and properties of all pages. Source: docs/reference/files.md §9."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.contrib.staticfiles import finders
from django.db import OperationalError, connection
from django.http import HttpResponseBase
from django.test import Client
from django.utils import timezone

from notifications.attachments import links
from notifications.models import DownloadEvent
from tests.notifications.download.sending import ADDRESS, CONTENT, SentFile, send_file

NOON = datetime(2026, 3, 25, 12, tzinfo=ZoneInfo("Europe/London"))
LAST_MOMENT = datetime(2026, 4, 2, tzinfo=ZoneInfo("Europe/London"))  # the first moment at which the file is not served

LINK = "This link does not work"
GONE = "This file is no longer available"
FORM = "Confirm your email address"
LOCKED = "Too many attempts"
MALFORMED = "Enter an email address in the correct format, like name@example.com"
STRANGER = (
    "This is not the email address the file was sent to. Enter the email address that Parks and Gardens sent it to."
)

pytestmark = pytest.mark.django_db

Ask = Callable[[Client, SentFile], HttpResponseBase]


@pytest.fixture(autouse=True)
def noon():
    with time_machine.travel(NOON, tick=False) as clock:
        yield clock


def get(step: str, **further: str) -> Ask:
    return lambda client, file: client.get(file.path(step, **further))


def post(typed: str) -> Ask:
    return lambda client, file: client.post(file.path("confirm"), {"email_address": typed})


def confirmed(client: Client, file: SentFile) -> None:
    assert client.post(file.path("confirm"), {"email_address": ADDRESS}).status_code == 303


def heading(answer: Any) -> str:
    (found,) = re.findall(r"<h1>(.*?)</h1>", answer.content.decode())
    return found


def words(answer: Any) -> str:
    """Return the text of a page without tags and line ends."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def case(name: str, ask: Ask, status: int, title: str, *says: str, **fields: Any) -> Any:
    return pytest.param(ask, status, title, says, fields, id=name)


@pytest.mark.parametrize(
    ("ask", "status", "title", "says", "fields"),
    [
        case("unknown id", lambda client, file: client.get(f"/d/{'A' * 22}?key={file.written_key}"), 404, LINK),
        case("no key", lambda client, file: client.get(f"/d/{file.written_id}"), 404, LINK),
        case("misspelt key", lambda client, file: client.get(file.path()[:-1]), 404, LINK),
        case("key twice", lambda client, file: client.get(f"{file.path()}&key={file.written_key}"), 404, LINK),
        case("any other path", lambda client, file: client.get("/d/a/b/c"), 404, LINK),
        case("landing", get(""), 200, "You have a file to download", "Parks and Gardens has sent you a file",
             "we ask for the email address", "Wednesday 1 April 2026", "Continue", "help@parks.example"),
        case("landing without a question", get(""), 200, "You have a file to download",
             "we do not ask for your email address", address=None),
        case("last day passed", get(""), 410, GONE, "Parks and Gardens sent it to you.", "Sunday 1 March 2026",
             "help@parks.example", expires_at=datetime(2026, 3, 2, tzinfo=ZoneInfo("Europe/London"))),
        case("removed", get("file"), 410, GONE, "It has been removed", deleted_at=NOON),
        case("withdrawn", get("download"), 410, GONE, "Parks and Gardens has withdrawn this file",
             "help@parks.example", withdrawn_at=NOON),
        case("confirm", get("confirm"), 200, FORM, "makes sure that nobody else can open it", "Continue",
             "help@parks.example"),
        case("empty address", post(""), 400, FORM, "There is a problem", MALFORMED),
        case("no address", post("ana at example"), 400, FORM, MALFORMED),
        case("longer than any address", post("a" * 400 + "@example.org"), 400, FORM, MALFORMED),
        case("a NUL in it", post("a\0@example.org"), 400, FORM, MALFORMED),
        case("other address", post("bo@example.org"), 400, FORM, STRANGER),
        case("locked", post("bo@example.org"), 429, LOCKED, "after 12:10pm (GMT)", "Back to the beginning",
             "help@parks.example", locked_until=NOON + timedelta(minutes=10)),
        case("locked, the right one", post(ADDRESS), 429, LOCKED, locked_until=NOON + timedelta(minutes=10)),
        case("locked, nothing typed", post(""), 429, LOCKED, locked_until=NOON + timedelta(minutes=10)),
        case("locked until tomorrow", post(ADDRESS), 429, LOCKED, "after 11:30am (GMT) on Thursday 26 March 2026",
             locked_until=NOON + timedelta(hours=23, minutes=30)),
        case("cookie not kept", get("confirm", lost="1"), 200, FORM, "Your browser did not accept the cookie"),
        case("file", get("file"), 200, "Your file is ready", "Permit 4711.pdf", "PDF document", "1 KB",
             "Wednesday 1 April 2026", "Download PDF (1 KB)", "help@parks.example", address=None),
        case("test document", lambda client, file: client.get(
            links.for_simulation(file.row.service_id).partition("8000")[2]), 404, LINK),
    ],
)  # fmt: skip
def test_each_case_of_the_table_has_its_page(client, ask, status, title, says, fields):
    file = send_file(**{"expires_at": LAST_MOMENT} | fields)

    answer = ask(client, file)

    assert (answer.status_code, heading(answer)) == (status, title)
    for sentence in says:
        assert sentence in words(answer)


@pytest.mark.parametrize(
    ("ask", "fields", "leads_to"),
    [
        pytest.param(get("confirm"), {"address": None}, "file", id="nothing to confirm"),
        pytest.param(post("anything"), {"address": None}, "file", id="nothing to judge"),
        pytest.param(get("file"), {}, "confirm", id="file without the cookie"),
        pytest.param(get("download"), {}, "confirm", id="bytes without the cookie"),
    ],
)
def test_each_page_leads_to_the_next(client, ask, fields, leads_to):
    file = send_file(**fields)

    answer = ask(client, file)

    assert (answer.status_code, answer["Location"]) == (303, file.path(leads_to))


@pytest.mark.parametrize(
    "typed",
    [ADDRESS, f"  {ADDRESS.upper()} ", "ana@ example.org", "ana@example.org\u200b", "\tana\u00a0@example.org\r\n"],
)
def test_the_right_email_address_opens_the_file(client, typed):
    file = send_file()

    judged = client.post(file.path("confirm"), {"email_address": typed})
    shown = client.get(judged["Location"])
    again = client.get(file.path("confirm"))
    fetched = client.get(file.path("download"))

    assert judged.status_code == 303
    assert (shown.status_code, heading(shown)) == (200, "Your file is ready")
    assert (again.status_code, again["Location"]) == (303, file.path("file"))
    assert b"".join(fetched.streaming_content) == CONTENT
    assert file.now().wrong_tries == 0


@pytest.mark.parametrize(
    ("sent_to", "typed"),
    [
        ("Fern@Bücher.example", "fern@xn--bcher-kva.example"),
        ("fern@xn--bcher-kva.example", "FERN@BÜCHER.EXAMPLE"),
        ("o'neill+tag@example.org", "O'Neill+Tag@Example.ORG"),
    ],
)
def test_another_spelling_of_the_email_address_is_right_too(client, sent_to, typed):
    file = send_file(address=sent_to)

    assert client.post(file.path("confirm"), {"email_address": typed}).status_code == 303


@pytest.mark.parametrize("typed", ["ana+x@example.org", "an.a@example.org", "ana@example.org.uk", "аna@example.org"])
def test_a_similar_email_address_is_wrong(client, typed):
    assert client.post(send_file().path("confirm"), {"email_address": typed}).status_code == 400


def test_a_browser_without_cookies_gets_an_explanation(client):
    file = send_file()
    judged = client.post(file.path("confirm"), {"email_address": ADDRESS})
    client.cookies.clear()

    shown = client.get(judged["Location"], follow=True)

    assert shown.redirect_chain[0][1] == 303
    assert "Your browser did not accept the cookie" in words(shown)
    assert "<title>Error: Confirm your email address" in shown.content.decode()


@pytest.mark.parametrize("step", ["", "confirm", "file"])
def test_a_get_changes_nothing(client, step):
    """Mail scanners follow links."""
    file = send_file()
    before = file.now().__dict__

    client.get(file.path(step))

    unlike = {name for name, value in file.now().__dict__.items() if before[name] != value} - {"_state"}
    assert unlike == set()
    assert not DownloadEvent.objects.exists()


def test_only_a_complete_get_counts_as_a_download(client):
    file = send_file(address=None)

    looked = client.head(file.path("download"))
    begun = client.get(file.path("download"), headers={"Range": "bytes=0-9"})
    next(iter(begun.streaming_content))
    assert file.now().download_count == 0
    whole = b"".join(client.get(file.path("download"), headers={"Range": "bytes=0-9"}).streaming_content)

    assert (looked.status_code, looked["Content-Length"]) == (200, str(len(CONTENT)))
    assert b"".join(looked.streaming_content) == b""
    assert whole == CONTENT
    assert (file.now().download_count, file.now().last_download_at) == (1, timezone.now())


@pytest.mark.parametrize(
    ("step", "method", "allowed"),
    [
        *((step, method, "GET, HEAD") for step in ("", "file", "download") for method in ("post", "put", "delete")),
        ("confirm", "put", "GET, HEAD, POST"),
        ("confirm", "options", "GET, HEAD, POST"),
    ],
)
def test_other_methods_are_rejected(step, method, allowed):
    client = Client(enforce_csrf_checks=True)

    answer = getattr(client, method)(send_file(address=None).path(step))

    assert (answer.status_code, answer["Allow"]) == (405, allowed)


def test_robots_are_asked_to_stay_away(client):
    answer = client.get("/robots.txt")

    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain")
    assert answer.content.decode().splitlines() == ["User-agent: *", "Disallow: /"]


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        ("https://parks.example/ask?a=1&b=2",
         '<a href="https://parks.example/ask?a=1&amp;b=2" rel="noreferrer">https://parks.example/ask?a=1&amp;b=2</a>'),
        ("help@parks.example", '<a href="mailto:help@parks.example">help@parks.example</a>'),
        ("020 7946 0000", 'Call <a href="tel:02079460000">020 7946 0000</a>'),
        ("the town hall, extension 7", "Call the town hall, extension 7"),
        ("javascript:alert(1)", "Call javascript:alert(1)"),
    ],
)  # fmt: skip
def test_the_contact_is_shown_by_its_kind(client, contact, shown):
    file = send_file()
    file.row.service.file_contact = contact
    file.row.service.save()

    assert shown in client.get(file.path()).content.decode()


@pytest.mark.parametrize("step", ["", "confirm", "file"])
def test_a_page_is_small_and_loads_nothing_else(client, step):
    file = send_file(address=ADDRESS if step == "confirm" else None)

    page = client.get(file.path(step)).content.decode()

    sheets = re.findall(r'<link rel="stylesheet" href="/static/([^"]+)">', page)
    style = "".join(Path(finders.find(sheet)).read_text() for sheet in sheets)
    assert len((page + style).encode()) < 20_000
    assert len(sheets) == 2
    assert not re.search(r"<script|<img|<iframe|\son\w+=|style=", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert not re.search(r"url\(|@import", style)


def test_the_download_link_would_not_save_a_form_as_the_file(client):
    """With the attribute `download`, a browser would save the page that a redirect leads to."""
    page = client.get(send_file(address=None).path("file")).content.decode()

    assert " download" not in page.partition("<main>")[2].replace(" download?", "")


def test_the_invalid_field_is_marked_for_everyone(client):
    page = post("nobody")(client, send_file()).content.decode()

    assert '<html lang="en-gb">' in page
    assert "<title>Error: Confirm your email address" in page
    assert 'class="summary" role="alert" tabindex="-1" autofocus' in page
    assert f'<a href="#email-address">{MALFORMED}</a>' in page
    (field,) = re.findall(r"<input id=[^>]+>", page)
    for said in ('value="nobody"', 'autocomplete="email"', 'inputmode="email"', 'spellcheck="false"',
                 'aria-invalid="true"', 'aria-describedby="error"'):  # fmt: skip
        assert said in field
    assert " novalidate>" in page


@pytest.mark.parametrize("step", ["", "confirm", "file", "download"])
def test_without_the_database_no_file_opens(client, step):
    """No cache may open the file, and the error page sends no Referer with the key."""
    file = send_file(address=None)
    client.raise_request_exception = False

    def away(*call: Any) -> None:
        raise OperationalError

    with connection.execute_wrapper(away):
        answer = client.get(file.path(step))

    assert answer.status_code == 503
    assert answer["Referrer-Policy"] == "no-referrer"
    assert answer["Cache-Control"] == "private, no-store"
    assert "Parks and Gardens" not in words(answer)


@pytest.mark.fault("A13")
def test_no_file_is_sent_while_the_store_is_unavailable(client, settings, tmp_path):
    file = send_file(address=None)
    (tmp_path / "no-folder").touch()
    folder = {**settings.STORAGES["attachments"], "OPTIONS": {"location": tmp_path / "no-folder" / "files"}}
    settings.STORAGES = {**settings.STORAGES, "attachments": folder}

    answer = client.get(file.path("download"))

    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert heading(answer) == "Try again in a few minutes"
    assert file.now().download_count == 0
