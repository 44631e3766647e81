"""With FILES_BASE_URL on a separate host, that host serves only recipients' pages and static files."""

import pytest

from tests.notifications.download.sending import ADDRESS, send_file

pytestmark = pytest.mark.django_db

OWN = "files.example.org"


@pytest.fixture(autouse=True)
def own_host(settings):
    settings.BASE_URL = "https://signalbox.example.org"
    settings.FILES_BASE_URL = f"https://{OWN}"
    settings.ALLOWED_HOSTS = [OWN, "signalbox.example.org"]


@pytest.fixture
def visitor(client):
    client.defaults["HTTP_HOST"] = OWN
    return client


def test_the_host_serves_all_recipients_pages(visitor):
    file = send_file()

    assert visitor.get(file.path(), secure=True).status_code == 200
    judged = visitor.post(file.path("confirm"), {"email_address": ADDRESS}, secure=True)
    assert (judged.status_code, judged.cookies.popitem()[1]["domain"]) == (303, "")
    assert visitor.get(file.path("download"), secure=True).status_code == 200
    assert visitor.get("/robots.txt").content == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    "path",
    ["/", "/admin/", "/admin/login/", "/sandbox/", "/_status", "/_status/ready", "/v2/notifications", "/data/a/b",
     "/docs/", "/anything"],
)  # fmt: skip
def test_the_host_serves_nothing_else(visitor, path):
    answer = visitor.get(path)

    assert answer.status_code == 404
    assert answer.content == visitor.get("/d/").content
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "font-src" not in answer["Content-Security-Policy"]


def test_the_host_serves_its_style_sheets(visitor):
    answer = visitor.get("/static/notifications/download.css")

    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/css")


def test_the_host_accepts_no_other_method(visitor):
    assert visitor.post("/v2/notifications/email").status_code == 405


def test_earlier_links_still_work_on_the_old_host(client):
    assert client.get(send_file().path(), HTTP_HOST="signalbox.example.org").status_code == 200


def test_the_console_stays_on_its_host(client):
    assert client.get("/admin/login/", HTTP_HOST="signalbox.example.org").status_code == 200
