"""Requests at the same moment keep the rules of passkeys. And a process loads their library at the first use only."""

import subprocess
import sys

import pytest
from django.contrib.auth.models import User

from config.accounts import passkeys
from config.accounts.models import Passkey
from config.accounts.passkeys import MAX_PASSKEYS, Credential, LastSecondFactor, TooManyPasskeys
from tests.at_once import at_once
from tests.config.accounts.authenticator import ALONE, added, browser, options_of
from tests.config.accounts.codes import is_in
from tests.people import make_person
from tests.servers import ROOT

LOADED = """
import sys
import django

django.setup()
from django.urls import get_resolver

assert get_resolver().url_patterns
print("webauthn" in sys.modules, "config.accounts.passkeys" in sys.modules)
"""


def add(user: User, name: str) -> None:
    credential = Credential(credential_id=name.encode(), public_key=b"key", transports=[], sign_count=0)
    passkeys.add(user, credential, name=name, user_handle=b"handle")


@pytest.mark.django_db(transaction=True)
def test_of_four_passkeys_for_the_last_place_one_is_added():
    user = make_person("jo")
    for number in range(MAX_PASSKEYS - 1):
        add(user, f"Key {number}")

    def act(number: int) -> bool:
        try:
            add(user, f"Late {number}")
        except TooManyPasskeys:
            return False
        return True

    assert sorted(at_once(act, 4)) == [False, False, False, True]
    assert Passkey.objects.count() == MAX_PASSKEYS


@pytest.mark.django_db(transaction=True)
def test_of_two_last_passkeys_one_stays(settings):
    settings.REQUIRE_SECOND_FACTOR = True
    user = make_person("jo")
    for name in ("Laptop", "Phone"):
        add(user, name)
    rows = list(passkeys.of_account(user))

    def act(number: int) -> bool:
        try:
            passkeys.remove(rows[number])
        except LastSecondFactor:
            return False
        return True

    assert sorted(at_once(act, 2)) == [False, True]
    assert Passkey.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_answer_twice_signs_in_once():
    key = added(make_person("jo"), counts=False)
    first = browser()
    answer = key.get(options_of(first, ALONE))

    def act(number: int) -> bool:
        client = browser()
        client.cookies = first.cookies.copy()
        client.post(ALONE, {"credential": answer})
        return is_in(client)

    assert sorted(at_once(act, 4)) == [False, False, False, True]


def test_a_process_loads_the_library_at_the_first_use_only():
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True)

    assert done.stdout == "False True\n", done.stderr
