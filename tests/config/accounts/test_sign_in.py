"""Sign in with a second factor, by a code of the app or by a recovery code."""

import pytest
from django.test import Client
from time_machine import travel

from config.accounts import second_factor
from config.accounts.models import RecoveryCode, TotpDevice
from tests.config.accounts.codes import (
    CODE,
    PASSWORD,
    SIGN_IN,
    code_of,
    enrolled,
    is_in,
    password,
    text_of,
    wrong_code_of,
)

WRONG_CODE = "The code is wrong or was used before."

pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def key(operator):
    return enrolled(operator)


def test_the_password_alone_opens_nothing(client, key):
    answer = password(client)

    assert (answer.status_code, answer["Location"]) == (302, f"{CODE}?next=%2Fadmin%2F")
    assert not is_in(client)
    assert client.get(CODE).status_code == 200


def test_the_code_of_the_app_opens_the_console(client, key):
    asked = password(client)["Location"]

    answer = client.post(asked, {"code": code_of(key)})

    assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    assert is_in(client)


@pytest.mark.parametrize("spell", ["{0}{1}", "  {0}{1} ", "{0} {1}", "{0}-{1}"])
def test_spaces_and_hyphens_in_a_code_do_not_matter(client, key, spell):
    password(client)
    code = code_of(key)

    client.post(CODE, {"code": spell.format(code[:3], code[3:])})

    assert is_in(client)


@pytest.mark.fault("G7")
def test_a_code_works_once(client, key):
    code = code_of(key)
    password(client)
    client.post(CODE, {"code": code})
    other = Client()
    password(other)

    again = other.post(CODE, {"code": code})

    assert is_in(client)
    assert WRONG_CODE in text_of(again)
    assert not is_in(other)


@pytest.mark.parametrize(("steps", "opens"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_the_clock_of_the_phone_may_be_one_step_off(client, operator, steps, opens):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        key = enrolled(operator)
        clock.shift(3600)
        password(client)

        client.post(CODE, {"code": code_of(key, steps=steps)})

        assert is_in(client) is opens


@pytest.mark.parametrize(
    "typed", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "12.456", "-12345", "0x1234", "\0", "9" * 41]
)
def test_an_invalid_code_opens_nothing(client, key, typed):
    password(client)

    answer = client.post(CODE, {"code": typed})

    assert answer.status_code == 200
    assert not is_in(client)


@pytest.mark.fault("T13")
def test_a_wrong_code_is_not_shown_again(client, key):
    password(client)

    page = client.post(CODE, {"code": "nearly-right-code"}).content.decode()

    assert "nearly-right-code" not in page


def test_without_the_password_there_is_no_second_page(client, key):
    answer = client.post(CODE, {"code": code_of(key)})

    assert (answer.status_code, answer["Location"]) == (302, f"{SIGN_IN}?next=%2Fadmin%2F")
    assert not is_in(client)


def test_the_second_page_closes_after_ten_minutes(client, operator):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        key = enrolled(operator)
        clock.shift(3600)
        password(client)
        clock.shift(10 * 60)

        answer = client.post(CODE, {"code": code_of(key)})

    assert answer["Location"].startswith(SIGN_IN)
    assert not is_in(client)


def test_a_password_changed_meanwhile_closes_the_second_page(client, key, operator):
    password(client)
    operator.set_password("another-password-2")
    operator.save()

    answer = client.post(CODE, {"code": code_of(key)})

    assert answer["Location"].startswith(SIGN_IN)


def test_an_account_deactivated_meanwhile_cannot_sign_in(client, key, operator):
    password(client)
    operator.is_active = False
    operator.save()

    client.post(CODE, {"code": code_of(key)})

    assert not is_in(client)


def test_ten_wrong_codes_lock_like_ten_wrong_passwords(client, key):
    password(client)

    answers = [client.post(CODE, {"code": wrong_code_of(key)}).status_code for _ in range(10)]

    assert answers[-1] == 429
    assert client.post(CODE, {"code": code_of(key)}).status_code == 429
    assert password(client).status_code == 429


def test_ten_wrong_codes_from_ten_ip_addresses_lock_the_second_factor(key):
    for number in range(10):
        browser = Client(REMOTE_ADDR=f"192.0.2.{number}")
        password(browser)
        browser.post(CODE, {"code": wrong_code_of(key) if number % 2 else "abcd-efgh-abcd-efgh"})
    elsewhere = Client(REMOTE_ADDR="192.0.2.99")
    password(elsewhere)

    answer = elsewhere.post(CODE, {"code": code_of(key)})

    assert answer.status_code == 429
    assert not is_in(elsewhere)


def test_the_lock_of_the_second_factor_opens_by_itself(client, operator):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        key = enrolled(operator)
        TotpDevice.objects.update(wrong_codes=10, wrong_since="2026-11-20T12:00:00Z")
        clock.shift(15 * 60 + 1)
        password(client)

        client.post(CODE, {"code": code_of(key)})

        assert is_in(client)


def test_a_recovery_code_works_once(client, key, operator):
    code, other = second_factor.new_recovery_codes(operator)[:2]
    password(client)
    client.post(CODE, {"code": f" {code.upper()} "})
    second = Client()
    password(second)
    again = second.post(CODE, {"code": code})

    assert is_in(client)
    assert WRONG_CODE in text_of(again)
    second.post(CODE, {"code": other})
    assert is_in(second)


def test_recovery_codes_are_stored_as_hashes(operator, key):
    codes = second_factor.new_recovery_codes(operator)

    kept = str([vars(row) for row in RecoveryCode.objects.all()])
    assert len(set(codes)) == 10
    assert not [code for code in codes if code in kept or code.replace("-", "").upper() in kept]


def test_another_persons_recovery_code_is_wrong(client, key, django_user_model):
    jo = django_user_model.objects.create_user("jo", password=PASSWORD, is_staff=True)
    enrolled(jo)
    code = second_factor.new_recovery_codes(jo)[0]
    password(client)

    client.post(CODE, {"code": code})

    assert not is_in(client)


def test_the_secret_is_encrypted_in_its_row_and_bound_to_it(operator, key, django_user_model):
    row = TotpDevice.objects.get()

    assert key.hex().encode() not in bytes(row.encrypted_key)
    assert row.key == key


NEXT = {
    "": "/admin/",
    "/admin/account/": "/admin/account/",
    "https://evil.example/": "/admin/",
    "//evil.example/": "/admin/",
    "///evil.example/": "/admin/",
    "/\\evil.example/": "/admin/",
    "\\\\evil.example/": "/admin/",
    "http:evil.example": "/admin/",
    "javascript:alert(1)": "/admin/",
    "\thttps://evil.example/": "/admin/",
    "https:///evil.example/": "/admin/",
    "/%09/evil.example/": "/%09/evil.example/",  # a page of this site that does not exist
}


@pytest.mark.parametrize(("wish", "place"), NEXT.items(), ids=repr)
def test_signing_in_stays_on_this_site(client, operator, wish, place):
    answer = client.post(SIGN_IN, {"username": "mina", "password": PASSWORD}, query_params={"next": wish})

    assert (answer.status_code, answer["Location"]) == (302, place)


@pytest.mark.parametrize(("wish", "place"), NEXT.items(), ids=repr)
def test_the_code_page_stays_on_this_site(client, key, wish, place):
    client.post(SIGN_IN, {"username": "mina", "password": PASSWORD}, query_params={"next": wish})

    answer = client.post(CODE, {"code": code_of(key)}, query_params={"next": wish})

    assert (answer.status_code, answer["Location"]) == (302, place)


@pytest.mark.parametrize(("wish", "place"), NEXT.items(), ids=repr)
def test_the_second_password_page_stays_on_this_site(console, wish, place):
    answer = console.post("/admin/confirm/", {"password": PASSWORD}, query_params={"next": wish})

    assert (answer.status_code, answer["Location"]) == (302, place)


@pytest.mark.parametrize("field", ["next", "redirect", "url"])
def test_a_posted_redirect_to_another_site_is_not_followed(client, operator, field):
    form = {"username": "mina", "password": PASSWORD, field: "https://evil.example/"}

    assert client.post(SIGN_IN, form)["Location"] == "/admin/"


def test_the_second_password_page_asks_for_a_code_too(client, key):
    password(client)
    client.post(CODE, {"code": code_of(key)})
    session = client.session
    session["proved_at"] -= 31 * 60
    session.save()
    asked = client.get("/admin/account/second-factor/")["Location"]

    without = client.post(asked, {"password": PASSWORD})
    wrong = client.post(asked, {"password": PASSWORD, "code": wrong_code_of(key)})
    right = client.post(asked, {"password": PASSWORD, "code": code_of(key, steps=1)})

    assert "This field is required." in text_of(without)
    assert WRONG_CODE in text_of(wrong)
    assert (right.status_code, right["Location"]) == (302, "/admin/account/second-factor/")


def test_signing_out_ends_the_session(client, operator):
    password(client)

    answer = client.post("/admin/logout/")

    assert "You are signed out in this browser." in text_of(answer)
    assert not is_in(client)
    assert client.get("/admin/logout/").status_code == 405
