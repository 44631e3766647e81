"""Test how long a session lives and which actions end it."""

import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.test import Client
from time_machine import travel

from config.accounts import sessions, user_agents
from config.audit.models import AuditEvent
from tests.config.accounts.codes import PASSWORD, is_in, password
from tests.people import browser_of, make_person
from tests.servers import ROOT

NOON = "2026-11-20T12:00:00Z"
MINUTE = 60


@pytest.fixture
def clock():
    with travel(NOON, tick=False) as clock:
        yield clock


@pytest.mark.fault("G7")
def test_thirty_minutes_without_activity_end_a_session(clock, client, operator):
    password(client)
    clock.shift(30 * MINUTE - 1)
    in_time = is_in(client)
    clock.shift(31 * MINUTE)

    assert in_time
    assert not is_in(client)


def test_activity_keeps_a_session_alive_for_at_most_twelve_hours(clock, client, operator):
    password(client)
    for _ in range(24):  # to 23:36
        clock.shift(29 * MINUTE)
        client.post("/admin/switch-service/")
    clock.move_to("2026-11-20T23:59:59Z")
    at_the_end = is_in(client)
    clock.shift(1)

    assert at_the_end
    assert not is_in(client)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/sandbox/", {}),
        ("/admin/operations/clean-up/", {}),
        ("/sandbox/hooks/mine", {}),
        ("/admin/operations/jobs/6f1f1f1c-0000-4000-8000-000000000000/change/", {}),
        ("/admin/account/", {"X-Requested-With": "fetch"}),
        ("/admin/", {"Sec-Fetch-Mode": "cors"}),
        ("/admin/", {"Sec-Fetch-Mode": "same-origin"}),
    ],
    ids=[
        "the sandbox reloads itself",
        "clean-up reloads itself",
        "a webhook reloads itself",
        "a step's progress reloads itself",
        "a script of ours",
        "fetch()",
        "fetch() of this origin",
    ],
)
def test_a_page_that_refreshes_itself_does_not_keep_a_session_alive(clock, client, operator, path, headers):
    password(client)
    for _ in range(3):
        clock.shift(10 * MINUTE)
        client.get(path, headers=headers)

    assert not is_in(client)


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Mode": "navigate"}], ids=["an old browser", "a browser"])
def test_opening_pages_keeps_a_session_alive(clock, client, operator, headers):
    password(client)
    for _ in range(3):
        clock.shift(20 * MINUTE)
        client.get("/admin/", headers=headers)

    assert is_in(client)


def test_typing_into_a_preview_keeps_a_session_alive(clock, client, operator):
    password(client)
    for _ in range(3):
        clock.shift(20 * MINUTE)
        client.post("/admin/notifications/template/preview/", {}, headers={"Sec-Fetch-Mode": "same-origin"})

    assert is_in(client)


def test_a_sign_in_gets_a_new_session_id(client, operator):
    planted = "a" * 32
    Session.objects.create(session_key=sessions.hash_id(planted), session_data="", expire_date="2099-01-01T00:00:00Z")
    client.cookies["sessionid"] = planted

    password(client)
    first = client.cookies["sessionid"].value
    password(client)
    second = client.cookies["sessionid"].value

    assert len({planted, first, second}) == 3
    assert [session.session_key for session in Session.objects.all()] == [sessions.hash_id(second)]
    assert is_in(client)


def test_a_copy_of_the_database_opens_no_session(client, operator):
    password(client)
    (stored,) = Session.objects.all()
    thief = Client()

    thief.cookies["sessionid"] = stored.session_key

    assert client.cookies["sessionid"].value not in stored.session_key
    assert is_in(client)
    assert not is_in(thief)


def test_a_session_of_an_older_version_is_not_found_by_its_plain_id(client, operator):
    password(client)
    session_id = client.cookies["sessionid"].value
    Session.objects.update(session_key=session_id)

    assert not is_in(client)


def test_signing_out_removes_the_row(client, operator):
    password(client)

    client.post("/admin/logout/")

    assert Session.objects.count() == 0


def test_a_change_of_password_ends_all_other_sessions(client, operator):
    password(client)
    elsewhere = Client()
    password(elsewhere)
    before = client.cookies["sessionid"].value

    form = {"old_password": PASSWORD, "new_password": "another-password-2", "again": "another-password-2"}
    client.post("/admin/password_change/", form)

    assert is_in(client)
    assert not is_in(elsewhere)
    assert client.cookies["sessionid"].value != before
    assert Session.objects.count() == 1


def test_ending_other_sessions_keeps_this_one_and_those_of_other_people(client, operator, django_user_model):
    django_user_model.objects.create_user("jo", password=PASSWORD, is_staff=True)
    elsewhere, of_jo = Client(), Client()
    for browser, name in ((client, "mina"), (elsewhere, "mina"), (of_jo, "jo")):
        password(browser, name)

    client.post("/admin/account/sessions/")

    assert [is_in(browser) for browser in (client, elsewhere, of_jo)] == [True, False, True]


def test_a_session_that_ends_during_a_request_is_not_stored_again(rf, client, operator):
    password(client)
    store = sessions.SessionStore(client.cookies["sessionid"].value)
    store["page"] = 1

    sessions.end_all(operator.pk)

    with pytest.raises(UpdateError):
        store.save()
    assert not is_in(client)


def test_a_visitor_without_a_cookie_gets_no_session(client, db):
    client.get("/admin/login/")
    client.get("/docs/")

    assert Session.objects.count() == 0
    assert "sessionid" not in client.cookies


def test_every_page_that_reloads_itself_is_listed_in_sessions():
    """Pages are found by their meta element, so that a page added later must be in the list of `sessions`."""
    reloading = {
        path.name for path in (ROOT / "templates").rglob("*.html") if 'http-equiv="refresh"' in path.read_text()
    }

    assert reloading == {
        "hook.html",
        "inbox.html",
        "bulk_check.html",
        "bulk_columns.html",
        "bulk_send.html",
        "clean_up.html",
        "health.html",
        "import.html",
        "job.html",
        "provider.html",
        "queue.html",
    }


def test_people_see_their_sessions_and_end_one(db):
    person = make_person("jo")
    agent = "Mozilla/5.0 (Windows NT 10.0; rv:144.0) Gecko/20100101 Firefox/144.0"
    here, elsewhere = Client(headers={"User-Agent": agent}), Client(headers={"User-Agent": "curl/8"})
    browser_of(make_person("mina"))
    for browser in (here, elsewhere):
        browser.post("/admin/login/", {"username": "jo", "password": PASSWORD})

    shown = here.get("/admin/account/").context["open_sessions"]

    assert [(one.browser, one.is_current) for one in shown] == [
        ("Firefox on Windows", True),
        ("Unknown browser", False),
    ]
    assert {one.ip_address for one in shown} == {"127.0.0.1"}
    here.post("/admin/account/sessions/end/", {"session": shown[1].session_hash})
    assert elsewhere.get("/admin/account/").status_code == 302
    assert here.get("/admin/account/").status_code == 200
    assert AuditEvent.objects.filter(verb="ended_sessions", actor_label=person.username).count() == 1


def test_nobody_ends_a_session_of_another_person(db):
    jo, mina = browser_of(make_person("jo")), browser_of(make_person("mina"))
    session_hash = jo.get("/admin/account/").context["open_sessions"][0].session_hash

    page = mina.post("/admin/account/sessions/end/", {"session": session_hash}, follow=True)

    assert "That session had already ended." in page.content.decode()
    assert jo.get("/admin/account/").status_code == 200


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36 Edg/142.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/142.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/18 Safari/605.1", "Safari on macOS"),
        ("", "Unknown browser"),
    ],
)
def test_browsers_are_described_by_name_and_system(agent, text):
    assert user_agents.describe(agent) == text
