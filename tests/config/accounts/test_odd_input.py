"""Odd input on the account pages gets an answer without an error, and signs in nobody."""

import pytest
from django.test import Client

from config.accounts import invites
from tests.config.accounts.codes import PASSWORD, enrolled, is_in, password
from tests.factories import make_service, make_team_member
from tests.people import browser_of, make_person

ODD = {
    "empty": "",
    "blank": "   ",
    "NUL": "jo\0",
    "long": "x" * 60_000,
    "accents": "a" + "\u0301\u0327" * 10_000,
    "line break": "jo\r\nX-Header: 1",
    "override": "jo\u202egro",
    "full width": "ｊｏ",
    "broken": b"jo\xff\xfe",
    "surrogate": b"jo\xed\xa0\x80",
    "pattern": "%_%",
    "quote": "' OR 1=1 --",
    "markup": "<script>alert(1)</script>",
    "emoji": "👩‍👩‍👧" * 50,
    "list": ["jo", "mina"],
}
odd = pytest.mark.parametrize("typed", ODD.values(), ids=ODD)


@pytest.fixture
def jo(db):
    return make_person("jo")


@odd
def test_odd_input_at_the_sign_in_is_rejected(client, jo, typed):
    for form in ({"username": typed, "password": "wrong"}, {"username": "jo", "password": typed}):
        answer = client.post("/admin/login/", form)

        assert answer.status_code == 200
        assert b"<script>alert(1)" not in answer.content
    assert not is_in(client)


@odd
def test_odd_input_on_the_page_for_forgotten_passwords_is_rejected(client, jo, settings, typed):
    settings.PROVIDERS = ["mail=smtp://127.0.0.1:1"]

    assert client.post("/admin/forgot-password/", {"username": typed}).status_code in {200, 302}
    assert client.get("/admin/forgot-password/", {"sent": typed}).status_code == 200


@odd
def test_odd_input_as_a_new_password_is_answered(client, jo, typed):
    link = invites.link_to("choose-password", invites.make(by="mina", user_id=jo.pk))

    assert client.get("/admin/choose-password/", {"token": typed}).status_code == 404
    assert client.post(link, {"password": typed, "again": "another-password-2"}).status_code == 200
    assert not is_in(client)
    jo.refresh_from_db()
    assert jo.check_password(PASSWORD)


@odd
def test_odd_input_on_the_page_of_an_invite_is_answered(client, db, typed):
    member = make_team_member(make_service(), "ana@example.org")
    link = invites.link_to("admin:accept_invite", invites.make(by="mina", member_id=member.pk))
    form = {"username": "ana", "password": "a-long-password-3", "again": "a-long-password-3"}

    assert client.post(link, {**form, "again": typed}).status_code == 200
    assert client.post(link, {**form, "password": typed}).status_code == 200
    assert client.post(link, {**form, "username": typed}).status_code in {200, 302}


@odd
def test_odd_input_as_a_code_and_on_the_own_account_is_rejected(client, jo, typed):
    enrolled(jo)
    password(client, "jo")
    browser = browser_of(make_person("bo"))

    assert client.post("/admin/login/code/", {"code": typed}).status_code == 200
    assert not is_in(client)
    assert browser.post("/admin/account/name/", {"name": typed}).status_code in {200, 302}
    old = {"old_password": typed, "new_password": "another-password-2", "again": "another-password-2"}
    assert browser.post("/admin/password_change/", old).status_code == 200
    assert browser.post("/admin/confirm/", {"password": typed}).status_code == 200


@odd
def test_odd_redirect_targets_are_not_followed(jo, typed):
    browser = Client()
    answer = browser.post("/admin/login/", {"username": "jo", "password": PASSWORD}, query_params={"next": typed})

    assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    assert is_in(browser)


def test_a_form_of_a_megabyte_is_rejected(client, jo):
    for page in ("/admin/login/", "/admin/forgot-password/", "/admin/choose-password/"):
        assert client.post(page, {"username": "x" * 1_000_000}).status_code == 400


@pytest.mark.parametrize("name", ["ana\u0301x", "ｍｉｎａ", "Mina", " mina ", "mina@example.org", "bo@example.com"])
def test_a_user_name_that_looks_like_another_persons_is_rejected(client, operator, name):
    make_person("an\u00e1x")
    member = make_team_member(make_service(), "ana@example.org")
    link = invites.link_to("admin:accept_invite", invites.make(by="mina", member_id=member.pk))

    answer = client.post(link, {"username": name, "password": "a-long-password-3", "again": "a-long-password-3"})

    assert answer.status_code == 200
    assert not is_in(client)


def test_the_own_email_address_may_be_the_user_name(client, db):
    member = make_team_member(make_service(), "ana@example.org")
    link = invites.link_to("admin:accept_invite", invites.make(by="mina", member_id=member.pk))
    form = {"username": "Ana@example.org", "password": "a-long-password-3", "again": "a-long-password-3"}

    assert client.post(link, form).status_code == 302
    assert is_in(client)
