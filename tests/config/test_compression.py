"""Pages and static files are compressed, and a first page is light. Source: docs/reference/console.md §1.1."""

import gzip
import re

import pytest
from django.test import Client

from tests import factories

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
STYLES = "/static/unfold/css/styles.css"
FIRST_PAGE, NEXT_PAGE = 150_000, 20_000  # bytes on the line


def size_of(client: Client, place: str) -> int:
    answer = client.get(place, headers=GZIP)
    assert answer.status_code == 200, place
    return len(b"".join(answer) if answer.streaming else answer.content)


@pytest.mark.parametrize(
    "place", ["/admin/", "/admin/notifications/notification/", "/admin/notifications/template/add/"]
)
def test_the_first_page_and_the_next_are_light(console: Client, place: str):
    template = factories.make_template()
    for _ in range(50):
        factories.make_notification(template)
    page = console.get(place).content.decode()
    files = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))
    assert len(files) > 5

    page_size = size_of(console, place)

    assert page_size <= NEXT_PAGE
    assert page_size + sum(size_of(console, file) for file in files) <= FIRST_PAGE
    assert not [file for file in files if file.endswith((".woff2", "chart.js"))]
    assert "woff" not in b"".join(console.get("/static/console/forms.css")).decode()


def test_a_page_is_compressed_for_browsers_that_accept_it(console: Client):
    answer = console.get("/admin/", headers=GZIP)

    assert answer["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer["Vary"]
    assert b"Dashboard" in gzip.decompress(answer.content)
    assert "Content-Encoding" not in console.get("/admin/").headers


def test_a_compressed_file_is_not_sent_again(client: Client, db: None):
    first = client.get(STYLES, headers=GZIP)

    assert first["Content-Encoding"] == "gzip"
    assert int(first["Content-Length"]) == len(first.content)
    assert gzip.decompress(first.content) == b"".join(client.get(STYLES))
    assert client.get(STYLES, headers={**GZIP, "If-None-Match": first["ETag"]}).status_code == 304


def test_answers_of_the_apis_are_not_compressed(client: Client):
    for place in ("/v2/notifications", "/data/pay/volumes", "/_status"):
        assert "Content-Encoding" not in client.get(place, headers=GZIP).headers
