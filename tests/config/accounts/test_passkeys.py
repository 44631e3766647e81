"""Add, rename and remove passkeys, as a person and as an operator."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from time_machine import travel

from config.accounts import passkeys, second_factor
from config.accounts.models import Passkey, RecoveryCode
from config.accounts.passkeys import MAX_PASSKEYS, TooManyPasskeys
from config.audit.models import AuditEvent
from config.console import audit_sentences
from tests.config.accounts.authenticator import (
    ADD,
    ALONE,
    HOST,
    SCRIPT,
    SecurityKey,
    add,
    added,
    browser,
    options_of,
    signed_in,
    use,
)
from tests.config.accounts.codes import enrolled, is_in, password, text_of
from tests.people import make_person

ACCOUNT = "/admin/account/"
NOT_ACCEPTED = "This passkey was not accepted."

pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def client(operator) -> Client:
    return signed_in(operator)


def page_of(passkey: Passkey, step: str) -> str:
    return f"{ACCOUNT}passkeys/{passkey.pk}/{step}/"


def sentences() -> set[str]:
    return {audit_sentences.sentence(event) for event in AuditEvent.objects.all()}


# Adding.


def test_the_first_passkey_shows_recovery_codes(client, operator):
    answer = add(client, SecurityKey())

    passkey = Passkey.objects.get()
    assert (answer.status_code, passkey.name, passkey.transports) == (200, "Work laptop", ["usb"])
    assert "Your recovery codes" in text_of(answer)
    assert second_factor.recovery_codes_left(operator) == 10
    assert sentences() == {"mina added a passkey"}
    assert AuditEvent.objects.get().after == {"username": "mina", "passkey": "Work laptop"}


def test_a_further_passkey_leaves_the_recovery_codes_alone(client, operator):
    add(client, SecurityKey())
    codes = set(RecoveryCode.objects.values_list("code_hash", flat=True))

    answer = add(client, SecurityKey(), "Phone")

    assert (answer.status_code, answer["Location"]) == (302, ACCOUNT)
    assert set(RecoveryCode.objects.values_list("code_hash", flat=True)) == codes
    handles = {bytes(one.user_handle) for one in Passkey.objects.all()}
    assert len(handles) == 1
    assert str(operator.pk).encode() not in handles


def test_the_options_follow_the_rules(client):
    key = SecurityKey()
    add(client, key)

    options = options_of(client, ADD, name="Phone")

    assert options["rp"] == {"name": "Signalbox", "id": "localhost"}
    assert options["attestation"] == "none"
    assert options["authenticatorSelection"]["residentKey"] == "preferred"
    assert options["authenticatorSelection"]["userVerification"] == "preferred"
    assert len(options["excludeCredentials"]) == 1
    assert options["user"]["name"] == "mina"


def test_the_account_lists_its_passkeys_with_their_use(client, operator):
    key = SecurityKey()
    add(client, key, "<b>Laptop</b>")
    before = text_of(client.get(ACCOUNT))

    use(browser(), ALONE, key)

    after = text_of(client.get(ACCOUNT))
    assert "&lt;b&gt;Laptop&lt;/b&gt;" in before
    assert 'data-label="Last used">Never' in before
    assert 'data-label="Last used">Never' not in after
    assert "After your password you need a passkey." in after


@pytest.mark.parametrize(
    "changes",
    [
        {"challenge": "AAAA"},
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1"},
        {"rp_id": "evil.example"},
        {"type": "webauthn.get"},
    ],
    ids=str,
)
def test_a_wrong_answer_adds_nothing(client, changes):
    answer = add(client, SecurityKey(), **changes)

    assert NOT_ACCEPTED in text_of(answer)
    assert not Passkey.objects.exists()
    assert not RecoveryCode.objects.exists()


@pytest.mark.parametrize("credential", ["null", "{}", "[]", "{" * 999, '{"id": "x"}', "x" * 40_000])
def test_an_answer_that_is_not_well_formed_adds_nothing(client, credential):
    options_of(client, ADD, name="Laptop")
    nonce = client.get(ADD).context["nonce"]

    answer = client.post(ADD, {"name": "Laptop", "nonce": nonce, "credential": credential})

    assert NOT_ACCEPTED in text_of(answer)


def test_a_form_without_an_answer_says_what_to_do(client):
    options_of(client, ADD, name="Laptop")
    nonce = client.get(ADD).context["nonce"]

    answer = client.post(ADD, {"name": "Laptop", "nonce": nonce})

    assert "Turn on JavaScript and try again." in text_of(answer)


@pytest.mark.parametrize(("seconds", "number"), [(299, 1), (300, 0)])
def test_a_challenge_is_valid_for_five_minutes(operator, seconds, number):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        client = signed_in(operator)
        options, nonce = options_of(client, ADD, name="Laptop"), client.get(ADD).context["nonce"]
        clock.shift(seconds)
        answer = SecurityKey().create(options)

        client.post(ADD, {"name": "Laptop", "nonce": nonce, "credential": answer})

    assert Passkey.objects.count() == number


def test_the_same_form_adds_one_passkey(client):
    nonce = client.get(ADD).context["nonce"]
    form = {
        "name": "Laptop",
        "nonce": nonce,
        "credential": SecurityKey().create(options_of(client, ADD, name="Laptop")),
    }

    statuses = [client.post(ADD, form).status_code for _ in range(2)]

    assert statuses == [200, 409]
    assert Passkey.objects.count() == 1


def test_a_passkey_belongs_to_one_account(client, operator):
    key = SecurityKey()
    add(client, key)

    again = add(signed_in(make_person("jo")), key)

    assert "This passkey was added before." in text_of(again)
    assert Passkey.objects.get().user == operator


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "Enter a name for the passkey."),
        ("x" * 65, "at most 64 characters"),
        ("Lap\u202etop", "invisible characters"),
        ("Lap\0top", "Null characters are not allowed."),
    ],
)
def test_a_wrong_name_is_refused_before_the_device_makes_a_key(client, name, words):
    answer = client.post(ADD, {"name": name}, headers=SCRIPT)

    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert "passkey_challenge" not in client.session


def test_a_wrong_name_adds_nothing(client):
    nonce, options = client.get(ADD).context["nonce"], options_of(client, ADD, name="Laptop")

    answer = client.post(ADD, {"name": "x" * 65, "nonce": nonce, "credential": SecurityKey().create(options)})

    assert "at most 64 characters" in text_of(answer)
    assert not Passkey.objects.exists()


def test_an_account_has_at_most_ten_passkeys(client, operator):
    for number in range(MAX_PASSKEYS - 1):
        add(client, SecurityKey(), f"Key {number}")
    options, nonce = options_of(client, ADD, name="Late"), client.get(ADD).context["nonce"]
    late = {"name": "Late", "nonce": nonce, "credential": SecurityKey().create(options)}
    add(signed_in(operator), SecurityKey(), "Tenth")
    client = signed_in(operator)

    page = text_of(client.get(ADD))
    posted = client.post(ADD, late)

    assert "You have 10 passkeys, which is the most an account can have." in page
    assert "which is the most" in text_of(posted)
    assert "which is the most" in text_of(client.get(ACCOUNT))
    assert Passkey.objects.count() == MAX_PASSKEYS
    new = passkeys.Credential(credential_id=b"new", public_key=b"key", transports=[], sign_count=0)
    with pytest.raises(TooManyPasskeys):
        passkeys.add(operator, new, name="Eleventh", user_handle=b"x")


def test_adding_needs_a_recent_sign_in(client):
    session = client.session
    session["proved_at"] -= 31 * 60
    session.save()

    for answer in (client.get(ADD), client.post(ADD, {"name": "Laptop"}, headers=SCRIPT)):
        assert answer["Location"].startswith("/admin/confirm/")


def test_adding_and_removing_end_the_other_sessions(client, operator):
    for act in (
        lambda: add(client, SecurityKey()),
        lambda: client.post(page_of(Passkey.objects.get(), "remove")),
    ):
        other = signed_in(operator)
        act()

        assert is_in(client)
        assert not is_in(other)


def test_at_an_ip_address_the_page_leads_to_localhost(operator):
    client = signed_in(operator)
    client.defaults["HTTP_HOST"] = "127.0.0.1:8000"

    page = text_of(client.get(ADD))

    assert "Passkeys do not work at an IP address." in page
    assert 'href="http://localhost:8000/admin/account/passkeys/add/"' in page
    assert "disabled" not in page


@pytest.mark.parametrize(
    ("base_url", "origin", "host"),
    [
        ("https://signalbox.example.org", "https://signalbox.example.org", "signalbox.example.org"),
        ("https://Signalbox.example.org:443/", "https://signalbox.example.org", "signalbox.example.org"),
        ("https://signalbox.example.org:8443/notify", "https://signalbox.example.org:8443", "signalbox.example.org"),
        ("http://127.0.0.1:8000", "http://localhost", "localhost"),
        ("http://[::1]:8000", "http://localhost", "localhost"),
    ],
)
def test_the_relying_party_is_the_host_of_base_url(client, settings, base_url, origin, host):
    settings.BASE_URL = base_url

    page = client.get(ADD).content.decode()

    assert f'data-origin="{origin}"' in page
    assert options_of(client, ADD, name="Laptop")["rp"]["id"] == host


@pytest.mark.parametrize("base_url", ["http://signalbox.example.org", "https://192.0.2.7"])
def test_without_https_or_a_host_name_the_page_says_so(client, settings, base_url):
    settings.BASE_URL = base_url

    assert "Passkeys need a host name and https." in text_of(client.get(ADD))
    assert "Sign in with a passkey" not in text_of(browser().get("/admin/login/"))


# A second factor that is required.


def test_a_passkey_is_enough_where_a_second_factor_is_required(operator, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    client = browser()
    password(client)
    asked = client.get("/admin/")["Location"]
    page = text_of(client.get(asked))

    add(client, SecurityKey())

    assert asked == "/admin/account/second-factor/"
    assert "Or use a passkey" in page
    assert client.get("/admin/").status_code == 200


def test_the_last_required_second_factor_stays(client, operator, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    client = browser()
    password(client)
    add(client, SecurityKey())
    place = page_of(Passkey.objects.get(), "remove")

    answers = [text_of(client.get(place)), text_of(client.post(place))]

    assert all("This is your only second factor" in one for one in answers)
    assert Passkey.objects.count() == 1
    add(client, SecurityKey(), "Phone")
    client.post(place)
    assert Passkey.objects.get().name == "Phone"
    assert client.get("/admin/").status_code == 200


def test_a_passkey_beside_an_app_can_be_removed(operator, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    key = added(operator)
    enrolled(operator)
    client = browser()
    use(client, ALONE, key)

    client.post(page_of(Passkey.objects.get(), "remove"))

    assert not Passkey.objects.exists()
    assert client.get("/admin/").status_code == 200


# Renaming and removing.


def test_a_passkey_gets_another_name(client):
    add(client, SecurityKey())
    place = page_of(Passkey.objects.get(), "rename")

    wrong = client.post(place, {"name": "x" * 65})
    client.post(place, {"name": "  Blue key "})

    assert "at most 64 characters" in text_of(wrong)
    assert 'value="Blue key"' in text_of(client.get(place))
    event = AuditEvent.objects.get(verb="renamed_passkey")
    assert event.after == {"username": "mina", "passkey": "Blue key", "former_name": "Work laptop"}


def test_removing_explains_the_consequences_and_asks_first(client, operator):
    key = SecurityKey()
    add(client, key)
    place = page_of(Passkey.objects.get(), "remove")

    page = text_of(client.get(place))
    client.post(place)

    assert "Afterwards your password alone opens your account" in page
    assert not Passkey.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert "mina removed a passkey" in sentences()
    other = browser()
    password(other)
    assert is_in(other)


def test_removing_needs_a_recent_sign_in(client):
    add(client, SecurityKey())
    session = client.session
    session["proved_at"] -= 31 * 60
    session.save()

    answer = client.post(page_of(Passkey.objects.get(), "remove"))

    assert answer["Location"].startswith("/admin/confirm/")
    assert Passkey.objects.exists()


@pytest.mark.parametrize("step", ["rename", "remove"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_another_persons_passkey_does_not_exist(client, step, method):
    added(make_person("jo"))
    theirs = Passkey.objects.get()

    answer = getattr(client, method)(page_of(theirs, step), {"name": "mine"})

    assert answer.status_code == 404
    assert Passkey.objects.get().name == "Work laptop"


# Operators.


def test_an_operator_removes_the_passkeys_of_a_person(client, operator):
    jo = make_person("jo")
    key = added(jo)
    theirs = browser()
    use(theirs, ALONE, key)
    place = reverse("admin:auth_user_remove-passkeys", args=[jo.pk])
    row = text_of(client.get(reverse("admin:auth_user_change", args=[jo.pk])))

    page = text_of(client.get(place))
    client.post(place)

    assert "On</span> 1 passkey" in row
    assert "Remove passkeys…" in row
    assert "1 passkey of jo will stop working." in page
    assert not Passkey.objects.exists()
    assert not is_in(theirs)
    assert "mina removed the passkeys of “jo”" in sentences()
    assert "This account has no passkeys." in text_of(client.get(place))


def test_only_operators_remove_other_peoples_passkeys(operator):
    added(operator)
    place = reverse("admin:auth_user_remove-passkeys", args=[operator.pk])

    assert signed_in(make_person("jo")).post(place).status_code == 403
    assert Passkey.objects.exists()


def test_a_reset_of_the_second_factor_removes_passkeys_too(client, operator):
    jo = make_person("jo")
    added(jo)
    enrolled(jo)

    client.post(reverse("admin:auth_user_reset-second-factor", args=[jo.pk]))

    assert second_factor.of_account(jo) is None
    assert not RecoveryCode.objects.exists()


def test_the_reset_command_removes_passkeys_too(operator):
    added(operator)

    call_command("reset_second_factor", "mina")

    other = Client(**HOST)
    password(other)
    assert is_in(other)
