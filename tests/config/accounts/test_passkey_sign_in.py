"""Sign in with a passkey: alone, after the password, and to confirm a sign-in. Each wrong answer opens nothing."""

import json
import random

import pytest
from django.contrib.auth.models import User
from time_machine import travel

from config.accounts import second_factor
from config.accounts.models import Passkey
from config.audit.models import AuditEvent
from config.console.models import SpentNonce
from tests.config.accounts.authenticator import (
    ADD,
    ALONE,
    CONFIRM,
    SECOND_STEP,
    SecurityKey,
    add,
    added,
    browser,
    options_of,
    signed_in,
    use,
)
from tests.config.accounts.codes import CODE, PASSWORD, SIGN_IN, enrolled, is_in, password, text_of, wrong_code_of
from tests.people import make_person

NOT_ACCEPTED = "This passkey was not accepted."
TOO_LATE = "The passkey was not used within 5 minutes."

pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def key(operator):
    return added(operator)


@pytest.fixture
def client(db):
    return browser()


def reason(client) -> str:
    """Return the sign-in page, which shows why the last attempt failed."""
    return text_of(client.get(SIGN_IN))


def age(client, minutes: int) -> None:
    session = client.session
    session["proved_at"] -= minutes * 60
    session.save()


# Alone.


def test_a_passkey_alone_opens_the_console(client, key):
    answer = use(client, ALONE, key)

    assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    assert is_in(client)
    assert Passkey.objects.get().last_used_at is not None


def test_the_options_name_no_account_and_require_verification(client, key):
    options = options_of(client, ALONE)

    assert (options["allowCredentials"], options["userVerification"]) == ([], "required")
    assert (options["rpId"], len(options["challenge"])) == ("localhost", 43)


def test_a_session_with_a_passkey_has_a_second_factor(client, key, settings):
    settings.REQUIRE_SECOND_FACTOR = True

    use(client, ALONE, key)

    assert client.get("/admin/").status_code == 200


def test_the_sign_in_leads_to_the_requested_page_of_this_site(client, key):
    there = use(client, f"{ALONE}?next=/admin/account/", key)
    elsewhere = use(browser(), f"{ALONE}?next=https://evil.example/", key)

    assert (there["Location"], elsewhere["Location"]) == ("/admin/account/", "/admin/")


@pytest.mark.fault("G7")
@pytest.mark.parametrize(
    "changes",
    [
        {"challenge": "AAAA"},
        {"origin": "https://evil.example"},
        {"origin": "http://localhost.evil.example"},
        {"origin": "https://localhost"},
        {"origin": "http://127.0.0.1"},
        {"rp_id": "evil.example"},
        {"rp_id": "127.0.0.1"},
        {"type": "webauthn.create"},
        {"is_verified": False},
        {"user_handle": b"somebody else"},
        {"user_handle": b""},
        {"sign_count": 0},
    ],
    ids=str,
)
def test_a_wrong_answer_opens_nothing(client, key, changes):
    use(browser(), ALONE, key)  # so that the counter is 1

    answer = use(client, ALONE, key, **changes)

    assert (answer.status_code, answer["Location"]) == (302, f"{SIGN_IN}?next=%2Fadmin%2F")
    assert NOT_ACCEPTED in reason(client)
    assert not is_in(client)


def test_a_counter_that_does_not_rise_is_not_accepted(client, key):
    use(browser(), ALONE, key)
    used = Passkey.objects.get().sign_count

    use(client, ALONE, key, sign_count=used)

    assert not is_in(client)
    assert Passkey.objects.get().sign_count == used == 1


def test_a_passkey_without_a_counter_works_again_and_again(client, operator):
    key = added(operator, counts=False)

    for again in (client, browser()):
        use(again, ALONE, key)
        assert is_in(again)


def test_an_answer_works_once(client, key):
    options = options_of(client, ALONE)
    answer = key.get(options)
    before = client.session["passkey_challenge"]
    client.post(ALONE, {"credential": answer})
    client.post("/admin/logout/")
    session = client.session
    session["passkey_challenge"] = before  # as a second request at the same moment finds it
    session.save()

    client.post(ALONE, {"credential": key.get(options)})

    assert TOO_LATE in reason(client)
    assert not is_in(client)
    assert SpentNonce.objects.count() >= 1


def test_a_wrong_answer_uses_up_its_challenge(client, key):
    options = options_of(client, ALONE)
    client.post(ALONE, {"credential": "{}"})

    client.post(ALONE, {"credential": key.get(options)})

    assert TOO_LATE in reason(client)
    assert not is_in(client)


@pytest.mark.parametrize(("seconds", "opens"), [(299, True), (300, False)])
def test_a_challenge_is_valid_for_five_minutes(client, operator, seconds, opens):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        key = added(operator)
        options = options_of(client, ALONE)
        clock.shift(seconds)

        client.post(ALONE, {"credential": key.get(options)})

        assert is_in(client) is opens
        assert (TOO_LATE in reason(client)) is not opens


def test_the_challenge_of_another_session_is_not_accepted(client, key):
    options = options_of(browser(), ALONE)
    options_of(client, ALONE)

    client.post(ALONE, {"credential": key.get(options)})

    assert NOT_ACCEPTED in reason(client)


def test_a_challenge_serves_one_purpose(operator, key):
    client = signed_in(operator)
    options = options_of(client, CONFIRM)

    answer = client.post(ALONE, {"credential": key.get(options)})

    assert answer["Location"].startswith(SIGN_IN)


def test_a_removed_passkey_opens_nothing(client, key):
    Passkey.objects.all().delete()

    use(client, ALONE, key)

    assert NOT_ACCEPTED in reason(client)
    assert not is_in(client)


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_staff": False}], ids=str)
def test_an_inactive_person_stays_outside_and_reads_the_same_text(client, key, operator, change):
    User.objects.filter(pk=operator.pk).update(**change)

    use(client, ALONE, key)

    assert NOT_ACCEPTED in reason(client)
    assert not is_in(client)


def test_another_key_pair_cannot_use_the_id_of_a_passkey(client, key):
    other = SecurityKey(credential_id=key.credential_id, user_handle=key.user_handle, sign_count=9)

    use(client, ALONE, other)

    assert not is_in(client)


def test_a_person_who_must_use_the_provider_cannot_sign_in_with_a_passkey_alone(client, key, operator, settings):
    settings.OIDC_ISSUER, settings.OIDC_NAME = "https://id.example.org", "Harbour ID"
    operator.set_unusable_password()
    operator.save()

    use(client, ALONE, key)

    assert "Sign in with Harbour ID." in reason(client)
    assert not is_in(client)


def test_wrong_answers_lock_the_account_like_wrong_passwords(client, key):
    answers = [use(client, ALONE, key, challenge="AAAA").status_code for _ in range(10)]

    assert answers[-1] == 429
    assert use(client, ALONE, key).status_code == 429
    assert password(client).status_code == 429
    assert not is_in(client)
    elsewhere = browser()
    elsewhere.defaults["REMOTE_ADDR"] = "192.0.2.9"
    use(elsewhere, ALONE, key)
    assert is_in(elsewhere)


def test_unknown_passkeys_do_not_lock_anybody_else_out(client, key):
    for _ in range(12):
        use(client, ALONE, SecurityKey(user_handle=b"x"))

    use(client, ALONE, key)

    assert is_in(client)


def test_answers_that_are_not_well_formed_get_the_same_text(client, key):
    """Each mutation gives one answer, and none an error of the server."""
    chance = random.Random(7)  # noqa: S311  invented mistakes
    whole = key.get(options_of(client, ALONE))
    texts = ["", "null", "[]", "5", "{" * 20_000, "[" * 30_000, '{"id": 5}', whole[:-9], whole * 90, "\0", "\ud800"]
    response = json.loads(whole)["response"]
    for name, value in response.items():
        for _ in range(8):
            place = chance.randrange(len(value))
            spoiled = value[:place] + chance.choice("A_=é9") + value[place + 1 :]
            texts.append(json.dumps({**json.loads(whole), "response": {**response, name: spoiled}}))
        for wrong in (None, 5, [], "", "AAAA", "~~~"):
            texts.append(json.dumps({**json.loads(whole), "response": {**response, name: wrong}}))
    for number, text in enumerate(texts):
        one = browser()
        one.defaults["REMOTE_ADDR"] = f"198.51.100.{number}"
        options_of(one, ALONE)

        answer = one.post(ALONE, {"credential": text.encode(errors="replace").decode()})

        assert answer.status_code == 302, text[:200]
        assert not is_in(one)


# After the password.


def test_an_account_with_a_passkey_needs_it_after_the_password(client, key):
    answer = password(client)

    assert answer["Location"].startswith(CODE)
    assert not is_in(client)
    page = text_of(client.get(CODE))
    assert "Use your passkey" in page
    assert "One of your recovery codes." in page

    use(client, SECOND_STEP, key, is_verified=False)

    assert is_in(client)


def test_an_account_with_an_app_may_use_either(client, operator, key):
    enrolled(operator)
    password(client)

    page = text_of(client.get(CODE))
    answer = use(client, f"{SECOND_STEP}?next=/admin/account/", key)

    assert "Six digits from your authenticator app" in page
    assert "Use a passkey" in page
    assert answer["Location"] == "/admin/account/"
    assert is_in(client)


def test_the_options_of_the_second_step_name_the_persons_passkeys(client, key):
    password(client)

    options = options_of(client, SECOND_STEP)

    assert len(options["allowCredentials"]) == 1
    assert options["allowCredentials"][0]["transports"] == ["usb"]
    assert options["userVerification"] == "preferred"


def test_another_persons_passkey_is_wrong_in_the_second_step(client, key):
    theirs = added(make_person("jo"))
    password(client)

    answer = use(client, SECOND_STEP, theirs)

    assert answer["Location"].startswith(CODE)
    assert NOT_ACCEPTED in text_of(client.get(CODE))
    assert not is_in(client)


@pytest.mark.parametrize("changes", [{"challenge": "AAAA"}, {"origin": "https://evil.example"}, {"rp_id": "x"}])
def test_a_wrong_answer_in_the_second_step_opens_nothing(client, key, changes):
    password(client)

    use(client, SECOND_STEP, key, **changes)

    assert NOT_ACCEPTED in text_of(client.get(CODE))
    assert not is_in(client)


def test_without_the_password_there_is_no_second_step(client, key):
    answer = client.post(SECOND_STEP, {"credential": "{}"})

    assert answer["Location"].startswith(SIGN_IN)


def test_ten_wrong_codes_lock_the_second_step(client, operator, key):
    app = enrolled(operator)
    password(client)
    for _ in range(10):
        client.post(CODE, {"code": wrong_code_of(app)})

    assert client.post(SECOND_STEP, {"credential": "{}"}).status_code == 429


def test_a_recovery_code_replaces_a_passkey_once(client, operator, key):
    code = second_factor.new_recovery_codes(operator)[0]
    for opens in (True, False):
        one = browser()
        password(one)
        one.post(CODE, {"code": code})
        assert is_in(one) is opens


def test_six_digits_are_no_code_of_an_account_without_an_app(client, key):
    password(client)

    answer = client.post(CODE, {"code": "123456"})

    assert "The code is wrong" in text_of(answer)


# Confirming a sign-in.


def test_a_passkey_confirms_a_sign_in(client, key):
    use(client, ALONE, key)
    age(client, 31)
    asked = client.get("/admin/account/second-factor/")["Location"]
    page = text_of(client.get(asked))

    answer = use(client, f"{CONFIRM}?next=/admin/account/second-factor/", key)

    assert "Use your passkey" in page
    assert answer["Location"] == "/admin/account/second-factor/"
    assert client.get("/admin/account/second-factor/").status_code == 200


@pytest.mark.parametrize("changes", [{"is_verified": False}, {"challenge": "AAAA"}, {"sign_count": 0}], ids=str)
def test_a_wrong_answer_confirms_nothing(client, key, changes):
    use(client, ALONE, key)
    age(client, 31)

    use(client, CONFIRM, key, **changes)

    assert client.get("/admin/account/second-factor/").status_code == 302
    assert NOT_ACCEPTED in text_of(client.get("/admin/confirm/"))


def test_another_persons_passkey_confirms_nothing(client, key):
    theirs = added(make_person("jo"))
    use(client, ALONE, key)
    age(client, 31)

    use(client, CONFIRM, theirs)

    assert client.get("/admin/account/second-factor/").status_code == 302


def test_a_password_alone_confirms_nothing_for_an_account_with_a_passkey(client, operator, key):
    code = second_factor.new_recovery_codes(operator)[0]
    use(client, ALONE, key)
    age(client, 31)

    alone = client.post("/admin/confirm/", {"password": PASSWORD})
    both = client.post("/admin/confirm/", {"password": PASSWORD, "code": code})

    assert "This field is required." in text_of(alone)
    assert both.status_code == 302


# Audit.


def test_the_audit_names_the_way(client, operator, key):
    use(client, ALONE, key)
    other = browser()
    password(other)
    use(other, SECOND_STEP, key)

    events = AuditEvent.objects.filter(verb="signed_in")
    assert {event.after["second_factor"] for event in events} == {"passkey alone", "passkey"}


def test_a_wrong_answer_is_a_refused_sign_in(client, operator, key):
    use(client, ALONE, key, challenge="AAAA")
    use(client, ALONE, SecurityKey(user_handle=b"x"))

    events = AuditEvent.objects.filter(verb="refused_sign_in")
    assert {event.object_id for event in events} == {str(operator.pk), ""}


def test_a_new_passkey_has_another_challenge_than_a_sign_in(operator):
    client = signed_in(operator)
    key = SecurityKey()
    options = options_of(client, ADD, name="Laptop")
    options_of(client, ALONE)

    answer = client.post(ADD, {"name": "Laptop", "nonce": "", "credential": key.create(options)})

    assert answer.status_code == 409
    assert add(client, key).status_code == 200
