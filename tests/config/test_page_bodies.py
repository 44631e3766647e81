"""The size limits of page requests, checked before a body is read. Source: docs/reference/security.md §3."""

import socket

import pytest
from django.test import Client
from django.urls import reverse

from config.web.body_limits import MIB, PAGE_BYTES, PAGE_WITH_FILES_BYTES
from tests.people import browser_of, make_person

FORM = "application/x-www-form-urlencoded"
PAGES = ["/admin/login/", "/admin/choose-password/", "/d/nothing", "/docs/", "/"]


def post(browser: Client, path: str, size: int, kind: str = FORM, **headers: str):
    return browser.generic("POST", path, b"a" * size, content_type=kind, headers=headers)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("kind", [FORM, "multipart/form-data; boundary=b", "application/json", "text/plain"])
@pytest.mark.fault("E9")
def test_a_body_over_4_mib_is_rejected(db, path, kind):
    answer = post(Client(), path, PAGE_BYTES + 1, kind)

    assert answer.status_code == 413
    assert "The request is larger than 4 MiB. Send less at a time." in answer.content.decode()
    assert "Check the address" not in answer.content.decode()


def test_a_body_of_4_mib_is_accepted(db):
    assert post(Client(), "/admin/login/", PAGE_BYTES).status_code != 413


def test_a_rejected_body_is_not_read(db):
    class Unreadable:
        def read(self, *size: int) -> bytes:
            raise AssertionError

        readline = read

    answer = Client().generic("POST", "/admin/login/", **{"wsgi.input": Unreadable(), "CONTENT_LENGTH": str(10**12)})

    assert answer.status_code == 413


def test_without_a_sign_in_a_form_has_at_most_64_kib(db):
    assert post(Client(), "/admin/login/", 64 * 1024).status_code == 200
    assert post(Client(), "/admin/login/", 64 * 1024 + 1).status_code == 400


def test_a_forged_session_is_not_a_sign_in(db):
    browser = Client()
    browser.cookies["sessionid"] = "a" * 32

    assert post(browser, "/admin/login/", 64 * 1024 + 1).status_code == 400


def test_signed_in_people_may_send_forms_of_4_mib(console):
    assert post(console, "/admin/account/", PAGE_BYTES).status_code != 413
    assert post(console, "/admin/account/", PAGE_BYTES + 1).status_code == 413


def test_only_pages_with_files_accept_25_mib_and_only_from_signed_in_people(console):
    send, multipart = reverse("admin:notifications_notification_send"), "multipart/form-data; boundary=b"

    assert post(console, send, PAGE_WITH_FILES_BYTES, multipart).status_code != 413
    assert post(console, send, PAGE_WITH_FILES_BYTES + 1, multipart).status_code == 413
    assert post(Client(), send, PAGE_BYTES + 1, multipart).status_code == 413
    assert post(console, "/admin/account/", PAGE_BYTES + 1, multipart).status_code == 413


def test_a_page_without_permission_shows_no_more(db):
    assert post(browser_of(make_person()), "/admin/auth/user/", PAGE_BYTES + 1).status_code == 413


def chunks(size: int, first: bytes = b"") -> bytes:
    blocks = [first, *[b"a" * MIB] * (size // MIB), b"a" * (size % MIB)]
    return b"".join(b"%x\r\n%s\r\n" % (len(block), block) for block in blocks if block) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("body", "status"),
    [(chunks(10), 403), (chunks(65_537), 400), (chunks(PAGE_BYTES), 400), (chunks(PAGE_BYTES + 1), 413)],
    ids=["small", "over 64 KiB", "4 MiB", "over 4 MiB"],
)
def test_a_body_in_chunks_is_counted_while_it_is_read(service, body, status):
    head = (
        f"POST /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: {FORM}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", service.port), 30) as connection:
        connection.sendall(head.encode() + body)

        assert int(connection.makefile("rb").readline().split()[1]) == status


def test_a_form_in_chunks_is_read_like_any_other(service):
    token = "a" * 32
    body = chunks(0, f"csrfmiddlewaretoken={token}&username=nobody&password=wrong".encode())
    head = (
        f"POST /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: {FORM}\r\n"
        f"Cookie: csrftoken={token}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", service.port), 30) as connection:
        connection.sendall(head.encode() + body)
        answer = connection.makefile("rb").read().decode()

    assert answer.startswith("HTTP/1.1 200")
    assert "Please enter the correct" in answer or "password" in answer
