"""Only the exact link opens a file, and all wrong links look the same. Case F8."""

import sys
from types import FrameType
from typing import Any

import pytest
from django.test import Client

from notifications.attachments.encryption import FileKey
from tests.notifications.download.sending import SentFile, send_file

pytestmark = pytest.mark.django_db

STEPS = ("", "/confirm", "/file", "/download")


@pytest.fixture
def file() -> SentFile:
    return send_file()


def wrong_links(file: SentFile) -> dict[str, str]:
    """Return links that almost equal the right one."""
    identifier, key, other = file.written_id, file.written_key, send_file()
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    same_bytes = last[last.index(key[-1]) ^ 1]  # the last two bits after the 32 bytes: another spelling of one secret
    return {
        "unknown id": f"{'B' * 21}A?key={key}",
        "other file's key": f"{identifier}?key={other.written_key}",
        "other file's id": f"{other.written_id}?key={key}",
        "id with one character less": f"{identifier[:-1]}?key={key}",
        "id with one character more": f"{identifier}A?key={key}",
        "id with padding": f"{identifier}==?key={key}",
        "id as a UUID": f"{file.row.id}?key={key}",
        "id in capitals": f"{identifier.swapcase()}?key={key}",
        "key with one character less": f"{identifier}?key={key[:-1]}",
        "key with one character more": f"{identifier}?key={key}A",
        "key with padding": f"{identifier}?key={key}%3D",
        "key in another spelling": f"{identifier}?key={key[:-1]}{same_bytes}",
        "key with a blank": f"{identifier}?key={key}%20",
        "key in other letters": f"{identifier}?key={'é' * 43}",
        "two keys": f"{identifier}?key={key}&key={key}",
        "two keys, one of them wrong": f"{identifier}?key={key}&key=A",
        "empty key": f"{identifier}?key=",
        "no key": identifier,
        "another name": f"{identifier}?KEY={key}",
        "key with a NUL": f"{identifier}?key={key[:-1]}%00",
        "rubbish": "%00%ff?key=%ff",
        "nothing at all": "",
    }


@pytest.mark.fault("F8")
def test_all_wrong_links_look_the_same(client, file):
    answers = {
        (name, step): client.get(f"/d/{link.partition('?')[0]}{step}?{link.partition('?')[2]}")
        for name, link in wrong_links(file).items()
        for step in STEPS
    }
    answers["any other path", ""] = client.get("/d/some/other/path")
    answers["a line end in the path", ""] = client.get("/d/some%0Aother/path")
    answers["no path", ""] = client.get("/d")
    answers["a test document", ""] = client.get(f"/services/{file.row.service_id}/documents/test-document")

    unlike = {case for case, answer in answers.items() if answer.status_code != 404}
    assert unlike == set()
    assert len({answer.content for answer in answers.values()}) == 1
    (page,) = {answer.content for answer in answers.values()}
    assert file.row.service.name.encode() not in page
    assert all(_said(answer) == _said(answers["no path", ""]) for answer in answers.values())


def test_a_form_sent_to_a_wrong_link_is_ignored(file):
    answer = Client(enforce_csrf_checks=True).post(f"/d/{file.written_id}/confirm?key=A", {"email_address": "a@b.cc"})

    assert answer.status_code == 404


def test_the_page_names_the_help_line_of_the_installation(client, settings):
    assert b"Call" not in client.get("/d/").content

    settings.FILES_HELP_CONTACT = "020 7946 0000"

    assert b"020 7946 0000" in client.get("/d/").content


@pytest.mark.fault("F8")
def test_an_unknown_id_causes_the_same_work_as_a_wrong_key(client, file, django_assert_num_queries):
    links = wrong_links(file)
    work = {}
    for name, link in links.items():
        if name in {"rubbish", "nothing at all"}:
            continue
        with django_assert_num_queries(1), Derivations() as done:
            client.get(f"/d/{link}")
        work[name] = done.count

    assert set(work.values()) == {1}


def test_a_right_link_opens_without_counting(client, file):
    with Derivations() as done:
        assert client.get(file.path()).status_code == 200

    assert done.count == 1


class Derivations:
    """Count how often a key is derived."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> "Derivations":
        sys.setprofile(self._see)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is FileKey.derive.__code__:
            self.count += 1


def _said(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
