"""The headers of pages and files equal the contract's table. Case F11."""

from email.message import Message

import pytest

from tests.notifications.download.sending import ADDRESS, send_file

pytestmark = pytest.mark.django_db

BOTH = {
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "X-Content-Type-Options": "nosniff",
}
PAGES = BOTH | {
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
BYTES = BOTH | {
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Accept-Ranges": "none",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def headers_like(answer, expected: dict[str, str]) -> dict[str, str]:
    return {name: answer.headers.get(name) for name in expected}


@pytest.mark.parametrize("path", ["", "file", "download"])
@pytest.mark.fault("F11")
def test_pages_and_redirects_have_their_headers(client, path):
    answer = client.get(send_file().path(path))

    assert headers_like(answer, PAGES) == PAGES


@pytest.mark.parametrize("path", ["/d/", "/d/x/confirm", "/services/1/documents/test-document", "/robots.txt"])
def test_pages_of_unknown_files_have_their_headers(client, path):
    assert headers_like(client.get(path), PAGES) == PAGES


@pytest.mark.parametrize("typed", [None, "", "bo@example.org", ADDRESS])
def test_the_form_sends_its_own_origin(client, typed):
    """With no-referrer, a browser sends `Origin: null`, and every form would be rejected."""
    file = send_file()

    answer = client.get(file.path("confirm")) if typed is None else client.post(
        file.path("confirm"), {"email_address": typed}
    )  # fmt: skip

    assert headers_like(answer, PAGES) == PAGES | {"Referrer-Policy": "strict-origin"}


def test_browser_features_are_off_on_every_page(client):
    for path in ("", "confirm"):
        policy = client.get(send_file().path(path))["Permissions-Policy"]
        assert all(feature.strip().endswith("=()") for feature in policy.split(","))


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.csv", "text/csv"),
        ("a.doc", "application/msword"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.JPEG", "image/jpeg"),
        ("a.jpg", "image/jpeg"),
        ("a.json", "application/json"),
        ("a.odt", "application/vnd.oasis.opendocument.text"),
        ("a.pdf", "application/pdf"),
        ("a.png", "image/png"),
        ("a.rtf", "application/rtf"),
        ("a.txt", "text/plain"),
        ("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ],
)
@pytest.mark.fault("F11")
def test_files_of_every_type_have_their_headers(client, name, media_type):
    file = send_file(address=None, name=name, content=b"x" * 70_000)

    answer = client.get(file.path("download"))

    assert headers_like(answer, BYTES) == BYTES
    assert (answer["Content-Type"], answer["Content-Length"]) == (media_type, "70000")
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert not answer.cookies
    assert b"".join(answer.streaming_content) == file.content


@pytest.mark.parametrize("content", [b"<svg onload='alert(1)'/>", b"<!doctype html><script>alert(1)</script>"])
def test_a_page_in_a_text_stays_an_attachment(client, content):
    answer = client.get(send_file(address=None, name="a.txt", content=content).path("download"))

    assert (answer["Content-Type"], answer["Content-Disposition"]) == ("text/plain", 'attachment; filename="a.txt"')
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("name", "served"),
    [
        ("../../x.pdf", "..-..-x.pdf"),
        ("..\\x.pdf", "..-x.pdf"),
        ("my \"best\" 'file'.pdf", "my \"best\" 'file'.pdf"),
        ("naïve – ключ 🦊.pdf", "naïve – ключ 🦊.pdf"),
        (".pdf", ".pdf"),
        ("CON.pdf", "CON.pdf"),
        ("a; filename=b.exe.pdf", "a; filename=b.exe.pdf"),
        ("a%00%0d%0ab.pdf", "a%00%0d%0ab.pdf"),
        ("x" * 96 + ".pdf", "x" * 96 + ".pdf"),
    ],
)
@pytest.mark.fault("F3")
def test_a_name_stays_one_header_that_reads_back(client, name, served):
    answer = client.get(send_file(address=None, name=name).path("download"))

    parsed = Message()
    parsed["Content-Disposition"] = answer["Content-Disposition"]
    assert parsed.get_filename().replace("\\", "") == served
    assert parsed.get_content_disposition() == "attachment"
    assert "\n" not in answer["Content-Disposition"]


def test_recipients_pages_do_not_use_a_console_session(console, settings):
    """Every request with a session extends it. These requests do not, and set only their own cookie."""
    file = send_file(address=None)

    answers = [console.get(file.path(step)) for step in ("", "file", "download")]

    assert settings.SESSION_COOKIE_NAME in console.cookies
    assert [set(answer.cookies) for answer in answers] == [set()] * 3
    assert all("mina" not in answer.content.decode() for answer in answers[:2])
