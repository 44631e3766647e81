"""A person who forgot the password gets a link by email that works once, for 30 minutes, and reveals no accounts."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from time_machine import travel

from config.accounts.invite import Invite
from config.audit.models import AuditEvent
from notifications import tasks
from tests.config.accounts.codes import PASSWORD, code_of, enrolled, is_in, password, text_of
from tests.people import browser_of, make_person

PAGE = "/admin/forgot-password/"
LINK = re.compile(r"/admin/choose-password/\?token=[\w-]{40,}")
NEW = "another-password-2"
SENT = "If you have an account, a link is on its way to its email address."


@pytest.fixture
def sink(smtp_sink, settings):
    settings.PROVIDERS = [f"mail=smtp://127.0.0.1:{smtp_sink.port}"]
    return smtp_sink


@pytest.fixture
def jo(db) -> User:
    return make_person("jo")


def ask(typed: str = "jo@example.org", browser: Client | None = None, **extra: str):
    return (browser or Client()).post(PAGE, {"username": typed}, follow=True, **extra)


def mail_all() -> None:
    for pk in Invite.objects.values_list("pk", flat=True):
        tasks.mail_invite(str(pk))


def link_in(message) -> str:
    return LINK.search(message.get_body(("plain",)).get_content()).group()


def choose(link: str, new: str = NEW, browser: Client | None = None):
    return (browser or Client()).post(link, {"password": new, "again": new})


@pytest.mark.parametrize("typed", ["jo", "JO@Example.org", " jo@example.org "])
def test_the_link_goes_to_the_email_address_of_the_account_and_signs_in(sink, jo, typed):
    browser, old = Client(), browser_of(jo)

    answer = ask(typed)
    mail_all()
    chosen = choose(link_in(sink.messages[0]), browser=browser)

    [message] = sink.messages
    assert SENT in text_of(answer)
    assert (message["To"], message["Subject"]) == ("jo@example.org", "Choose a new password")
    assert "your Signalbox account jo." in message.get_body(("plain",)).get_content()
    assert chosen["Location"] == "/admin/"
    assert is_in(browser)
    assert not is_in(old)
    assert [event.verb for event in AuditEvent.objects.order_by("at")] == [
        "asked_for_password",
        "chose_password",
        "signed_in",
    ]


@pytest.mark.parametrize(
    "typed", ["nobody@example.org", "nobody", "inactive", "no-address", "@", "é" * 200, "ａｄｍｉｎ"]
)
def test_a_name_without_an_account_gets_the_same_answer_and_no_mail(sink, jo, typed):
    User.objects.create_user("inactive", "inactive@example.org", PASSWORD, is_active=False)
    User.objects.create_user("no-address", "", PASSWORD)

    known, unknown = ask(), ask(typed)
    mail_all()

    assert text_of(known) == text_of(unknown)
    assert [message["To"] for message in sink.messages] == ["jo@example.org"]
    assert not Invite.objects.to_mail().exists()


def test_an_unknown_name_causes_the_same_statements(sink, jo):
    statements = []
    for typed in ("jo@example.org", "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            Client().post(PAGE, {"username": typed})
        statements.append([re.sub(r"'[^']*'|\d+", "", query["sql"])[:60] for query in queries])

    assert statements[0] == statements[1]


@pytest.mark.parametrize("typed", ["", "jo\0", "x" * 255])
def test_an_invalid_name_is_rejected_beside_the_field(sink, jo, typed):
    answer = ask(typed)

    assert "sb-error" in text_of(answer)
    assert not Invite.objects.exists()


def test_the_link_works_once_and_for_thirty_minutes(sink, jo):
    ask()
    mail_all()
    link, made = link_in(sink.messages[0]), Invite.objects.get().created_at.timestamp()

    with travel(made + 29 * 60, tick=False):
        shown = Client().get(link).status_code
    with travel(made + 31 * 60, tick=False):
        over = Client().get(link).status_code
    first, second = choose(link), choose(link, "a-third-password-3")

    assert (shown, over, first.status_code, second.status_code) == (200, 404, 302, 404)
    assert "Request new link" in text_of(second)
    assert User.objects.get().check_password(NEW)


def test_a_newer_link_ends_the_earlier_one_but_not_an_operators(sink, jo, console):
    nonce = re.search(r'name="nonce" value="([^"]+)"', console.get(f"/admin/auth/user/{jo.pk}/link/").content.decode())
    made = console.post(f"/admin/auth/user/{jo.pk}/link/", {"nonce": nonce[1]}).content.decode()
    assert f"A link for {jo.username} to choose a password is created." in made
    ask()
    ask()
    mail_all()

    [message] = sink.messages
    assert Client().get(LINK.search(made).group()).status_code == 200
    assert choose(link_in(message)).status_code == 302
    assert Client().get(LINK.search(made).group()).status_code == 404


def test_an_account_gets_three_emails_an_hour_and_its_last_link_still_works(sink, jo):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        for number in range(5):
            assert SENT in text_of(ask(REMOTE_ADDR=f"192.0.2.{number}"))
            mail_all()
        assert len(sink.messages) == 3
        assert Client().get(link_in(sink.messages[-1])).status_code == 200
        clock.shift(3601)
        ask()
        mail_all()

    assert len(sink.messages) == 4


def test_a_network_may_request_ten_links_in_15_minutes(sink, jo):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        answers = [ask(f"x{number}", REMOTE_ADDR=f"2001:db8::{number}") for number in range(11)]
        other = ask(REMOTE_ADDR="2001:db8:0:1::1")
        clock.shift(15 * 60 + 1)
        later = ask(REMOTE_ADDR="2001:db8::1")

    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert answers[-1]["Retry-After"] == "900"
    assert "Try again in 15 minutes." in text_of(answers[-1])
    assert (other.status_code, later.status_code) == (200, 200)


def test_the_second_factor_is_asked_for_after_a_new_password(sink, jo):
    key, browser = enrolled(jo), Client()
    ask()
    mail_all()

    chosen = choose(link_in(sink.messages[0]), browser=browser)

    assert not is_in(browser)
    browser.post(chosen["Location"], {"code": code_of(key)})
    assert is_in(browser)


@pytest.mark.parametrize("how", ["email", "inactive", "password", "own password"])
def test_a_link_ends_when_the_account_changes(sink, jo, console, how):
    ask()
    mail_all()
    link = link_in(sink.messages[0])
    page = f"/admin/auth/user/{jo.pk}/change/"
    started = re.search(r'name="started_from" value="([^"]+)"', console.get(page).content.decode())[1]
    match how:
        case "email":
            console.post(page, {"email": "new@example.org", "is_active": "on", "started_from": started})
        case "inactive":
            console.post(page, {"email": jo.email, "started_from": started})
        case "password":
            choose(link)
        case "own password":
            form = {"old_password": PASSWORD, "new_password": NEW, "again": NEW}
            assert browser_of(jo).post("/admin/password_change/", form).status_code == 302

    assert Client().get(link).status_code == 404
    assert choose(link).status_code == 404


def test_after_a_change_of_the_email_address_no_waiting_link_is_mailed(sink, jo):
    ask()
    User.objects.filter(pk=jo.pk).update(email="new@example.org")
    mail_all()

    assert [message["To"] for message in sink.messages] == ["new@example.org"]


@pytest.mark.parametrize("providers", [["sandbox"], ["texts=http://127.0.0.1:9/send", "sandbox"]])
def test_without_email_the_page_says_whom_to_ask(settings, jo, providers):
    settings.PROVIDERS = providers

    assert "Ask an operator for a link" in text_of(Client().get(PAGE))
    assert "Ask an operator for a link" in text_of(ask())
    assert not Invite.objects.exists()


def test_typed_names_are_not_stored(sink, jo):
    typed = "my-secret-typed-into-the-wrong-field"
    ask(typed)

    kept = [str(vars(row)) for row in (*AuditEvent.objects.all(), *Invite.objects.all())]
    assert len(kept) == 2
    assert not [row for row in kept if typed in row]


@pytest.mark.django_db(transaction=True)
def test_two_people_who_use_a_link_at_once_do_not_both_choose_a_password(sink, jo):
    ask()
    mail_all()
    link = link_in(sink.messages[0])

    def use(number: int) -> int:
        try:
            return choose(link, f"password-number-{number}-x").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(use, range(4)))

    assert sorted(answers) == [302, 404, 404, 404]
    assert password(Client(), "jo", f"password-number-{answers.index(302)}-x").status_code == 302
