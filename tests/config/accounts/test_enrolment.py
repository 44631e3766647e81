"""Enrolling an authenticator app: its secret and the recovery codes are each shown once."""

import re

import pytest
from django.test import Client

from config.accounts import second_factor
from config.accounts.models import RecoveryCode, TotpDevice
from config.audit.models import AuditEvent
from tests.config.accounts.codes import (
    CODE,
    PASSWORD,
    code_of,
    enrolled,
    hidden,
    is_in,
    password,
    text_of,
    wrong_code_of,
)

PAGE = "/admin/account/second-factor/"
RENEW = "/admin/account/recovery-codes/"

pytestmark = pytest.mark.usefixtures("noon")


def begin(client):
    page = client.get(PAGE).content.decode()
    return client.post(PAGE, {"step": "begin", "nonce": hidden(page, "nonce")})


def confirm(client, page, code):
    return client.post(PAGE, {"step": "confirm", "nonce": hidden(page, "nonce"), "code": code})


def secret_on(answer):
    return re.search(r'id="copy-secret"[^>]*value="([a-z2-7-]+)"', answer.content.decode())


def test_a_person_scans_the_qr_code_enters_a_code_and_gets_recovery_codes(console, operator):
    shown = begin(console)
    key = TotpDevice.objects.get().key
    done = confirm(console, shown.content.decode(), code_of(key))

    assert secret_on(shown)[1] == second_factor.spelled(TotpDevice.objects.get())
    assert "<svg" in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    assert "no-store" in done["Cache-Control"]
    codes = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", done.content.decode())
    assert len(codes) == 10
    assert second_factor.device_of(operator) is not None
    assert second_factor.prove(operator, codes[0])


def test_opening_the_page_creates_no_secret(console):
    console.get(PAGE)

    assert not TotpDevice.objects.exists()


def test_the_factor_does_not_count_before_its_first_code(console, operator):
    begin(console)
    elsewhere = Client()

    password(elsewhere)

    assert is_in(elsewhere)


def test_a_wrong_code_does_not_show_the_secret_again(console):
    shown = begin(console)

    wrong = confirm(console, shown.content.decode(), wrong_code_of(TotpDevice.objects.get().key))

    assert "The code is wrong" in text_of(wrong)
    assert secret_on(wrong) is None
    assert "<svg class=" not in wrong.content.decode()
    right = confirm(console, wrong.content.decode(), code_of(TotpDevice.objects.get().key))
    assert "Recovery codes" in text_of(right)


def test_a_form_sent_twice_creates_one_secret(console):
    nonce = hidden(console.get(PAGE).content.decode(), "nonce")
    console.post(PAGE, {"step": "begin", "nonce": nonce})
    encrypted = TotpDevice.objects.get().encrypted_key

    again = console.post(PAGE, {"step": "begin", "nonce": nonce})

    assert again.status_code == 409
    assert secret_on(again) is None
    assert TotpDevice.objects.get().encrypted_key == encrypted


def test_reloading_the_recovery_codes_shows_none(console):
    page = begin(console).content.decode()
    code = code_of(TotpDevice.objects.get().key)
    confirm(console, page, code)
    kept = set(RecoveryCode.objects.values_list("code_hash", flat=True))

    again = confirm(console, page, code)

    assert again.status_code == 409
    assert set(RecoveryCode.objects.values_list("code_hash", flat=True)) == kept


@pytest.mark.parametrize("form", [{"step": "begin"}, {"step": "begin", "nonce": "made-up"}, {"step": "confirm"}])
def test_a_forged_form_creates_nothing(console, form):
    assert console.post(PAGE, form).status_code == 409
    assert not TotpDevice.objects.exists()


def test_enrolling_ends_other_sessions(console, operator):
    elsewhere = Client()
    password(elsewhere)

    confirm(console, begin(console).content.decode(), code_of(TotpDevice.objects.get().key))

    assert is_in(console)
    assert not is_in(elsewhere)


def test_another_app_replaces_the_first_one_after_its_first_code(client, operator):
    old = enrolled(operator)
    password(client)
    client.post(CODE, {"code": code_of(old)})
    page = begin(client).content.decode()
    new = second_factor.pending_device_of(operator).key
    kept = second_factor.device_of(operator).key
    confirm(client, page, code_of(new))

    assert kept == old
    assert second_factor.device_of(operator).key == new
    assert TotpDevice.objects.count() == 1
    assert is_in(client)


def test_new_recovery_codes_end_the_old_ones(client, operator):
    key = enrolled(operator)
    old = second_factor.new_recovery_codes(operator)[0]
    password(client)
    client.post(CODE, {"code": code_of(key)})
    nonce = hidden(client.get(RENEW).content.decode(), "nonce")

    shown = client.post(RENEW, {"nonce": nonce})
    again = client.post(RENEW, {"nonce": nonce})

    codes = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", shown.content.decode())
    assert len(codes) == 10
    assert again.status_code == 409
    assert second_factor.prove(operator, old) is None
    assert second_factor.prove(operator, codes[0])


def test_recovery_codes_need_an_app(console):
    console.post(RENEW, {})

    assert not RecoveryCode.objects.exists()


def test_session_and_audit_contain_no_secret(console, operator):
    shown = begin(console)
    key = TotpDevice.objects.get().key
    done = confirm(console, shown.content.decode(), code_of(key))

    kept = f"{dict(console.session)}{[vars(event) for event in AuditEvent.objects.all()]}"
    codes = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", done.content.decode())
    spelled = secret_on(shown)[1]
    assert not [one for one in (*codes, spelled, spelled.replace("-", ""), key.hex()) if one in kept.lower()]


# Where a second factor is demanded.


@pytest.fixture
def demanded(settings):
    settings.REQUIRE_SECOND_FACTOR = True


OTHER_PAGES = ("/admin/", "/admin/account/", "/admin/auth/user/", RENEW, "/admin/password_change/", "/admin/nothing/")


@pytest.mark.parametrize("address", OTHER_PAGES)
def test_without_a_second_factor_only_the_enrolment_page_opens(demanded, client, operator, address):
    password(client)

    answer = client.get(address)

    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert "Set up a second factor to continue." in text_of(client.get(PAGE))


def test_nothing_can_be_posted_past_the_enrolment(demanded, client, operator, django_user_model):
    password(client)

    client.post("/admin/auth/user/add/", {"email": "new@example.org"})
    client.post("/admin/account/sessions/")

    assert django_user_model.objects.count() == 1


@pytest.mark.parametrize("address", ["/sandbox/", "/_status/deep"])
def test_outside_the_console_such_an_account_is_anonymous(demanded, client, operator, address, settings):
    password(client)
    abroad = {"REMOTE_ADDR": "192.0.2.1"}

    assert client.get(address, **abroad).status_code == Client(**abroad).get(address).status_code


def test_after_enrolling_everything_opens(demanded, client, operator):
    password(client)

    confirm(client, begin(client).content.decode(), code_of(TotpDevice.objects.get().key))

    assert client.get("/admin/").status_code == 200
    assert client.get("/sandbox/", REMOTE_ADDR="192.0.2.1").status_code == 200


def test_an_older_session_ends_when_the_account_is_enrolled_elsewhere(demanded, client, operator):
    password(client)
    enrolled(operator)

    answer = client.get(PAGE)

    assert answer["Location"].startswith("/admin/login/")
    assert not is_in(client)


def test_a_person_can_sign_out_without_enrolling(demanded, client, operator):
    password(client)

    client.post("/admin/logout/")

    assert client.get(PAGE)["Location"].startswith("/admin/login/")


def test_a_person_with_a_second_factor_signs_in_as_before(demanded, client, operator):
    key = enrolled(operator)

    password(client, typed=PASSWORD)
    client.post(CODE, {"code": code_of(key)})

    assert is_in(client)
