"""Ten wrong passwords from one IP address lock the account for that address, also for the right password."""

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from time_machine import travel

from config.audit.models import AuditEvent
from tests.config.accounts.codes import PASSWORD, is_in, password, text_of

WRONG = "wrong-password-1"
WRONG_WORDS = "The email address, user name or password is wrong."


def guess(client, times, name="mina", **extra):
    return [password(client, name, WRONG, **extra).status_code for _ in range(times)]


@pytest.mark.fault("G7", "T14")
def test_after_ten_wrong_passwords_the_right_one_is_rejected_too(client, operator):
    refused = guess(client, 10)
    answer = password(client)

    assert refused == [200] * 9 + [429]
    assert answer.status_code == 429
    assert answer["Retry-After"] == "900"
    assert answer["Cache-Control"] == "no-store" or "no-cache" in answer["Cache-Control"]
    assert "Too many wrong passwords or codes." in text_of(answer)
    assert not is_in(client)


@pytest.mark.fault("T14")
def test_an_account_that_does_not_exist_is_locked_with_the_same_text(client, operator):
    known = [password(client, "mina", WRONG) for _ in range(11)]
    unknown = [password(client, "nobody", WRONG) for _ in range(11)]

    assert [answer.status_code for answer in known] == [answer.status_code for answer in unknown]
    words = WRONG_WORDS
    assert words in text_of(known[0])
    assert words in text_of(unknown[0])
    assert text_of(known[10]) == text_of(unknown[10])


def test_an_inactive_account_and_one_that_is_not_staff_get_the_same_text(client, operator, django_user_model):
    django_user_model.objects.create_user("old", password=PASSWORD, is_staff=True, is_active=False)
    django_user_model.objects.create_user("guest", password=PASSWORD)

    for name in ("old", "guest"):
        answer = password(client, name)
        assert WRONG_WORDS in text_of(answer)
        assert not is_in(client)


@pytest.fixture
def hashed(settings):
    """Count how often a password is hashed, with a hasher from the settings."""
    settings.PASSWORD_HASHERS = ["tests.config.accounts.test_throttling.CountingHasher"]
    CountingHasher.count = 0
    return CountingHasher


class CountingHasher(MD5PasswordHasher):
    count = 0

    def encode(self, *args, **kwargs):
        type(self).count += 1
        return super().encode(*args, **kwargs)


def test_an_unknown_account_causes_the_same_hashing(client, db, hashed, django_user_model):
    django_user_model.objects.create_superuser("mina", "", PASSWORD)
    django_user_model.objects.create_user("old", password=PASSWORD, is_staff=True, is_active=False)
    costs = []
    for name in ("mina", "nobody", "old"):
        before = hashed.count
        password(client, name, WRONG)
        costs.append(hashed.count - before)

    assert costs == [1, 1, 1]


def test_while_the_account_is_locked_nothing_is_hashed(client, db, hashed, django_user_model):
    django_user_model.objects.create_superuser("mina", "", PASSWORD)
    guess(client, 10)
    before = hashed.count

    password(client)

    assert hashed.count == before


def test_another_ip_address_can_still_sign_in(client, operator):
    guess(client, 11)
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")

    password(elsewhere)

    assert is_in(elsewhere)


def test_another_account_can_still_sign_in_from_there(client, operator, django_user_model):
    django_user_model.objects.create_user("jo", password=PASSWORD, is_staff=True)
    guess(client, 11)

    password(client, "jo")

    assert is_in(client)


@pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_CLIENT_IP"])
def test_a_forged_header_does_not_evade_the_lock(client, operator, header):
    answers = [password(client, "mina", WRONG, **{header: f"192.0.2.{number}"}) for number in range(10)]

    assert answers[-1].status_code == 429
    assert password(client, **{header: "192.0.2.99"}).status_code == 429


def test_behind_a_proxy_its_header_counts_and_the_callers_does_not(client, operator, settings):
    settings.TRUSTED_PROXIES = 1
    for number in range(10):
        password(client, "mina", WRONG, HTTP_X_FORWARDED_FOR=f"192.0.2.{number}, 198.51.100.1")

    assert password(client, HTTP_X_FORWARDED_FOR="192.0.2.99, 198.51.100.1").status_code == 429
    assert password(client, HTTP_X_FORWARDED_FOR="198.51.100.2").status_code == 302


def test_a_household_with_ipv6_counts_as_one_address(client, operator):
    answers = [password(client, "mina", WRONG, REMOTE_ADDR=f"2001:db8:1:2::{number}") for number in range(10)]

    assert answers[-1].status_code == 429
    assert password(client, REMOTE_ADDR="2001:db8:1:2:ffff::1").status_code == 429
    assert password(client, REMOTE_ADDR="2001:db8:1:3::1").status_code == 302


def test_ipv4_inside_ipv6_is_the_same_address(client, operator):
    for number in range(10):
        password(client, "mina", WRONG, REMOTE_ADDR=("198.51.100.66", "::ffff:198.51.100.66")[number % 2])

    assert password(client, REMOTE_ADDR="198.51.100.66").status_code == 429


def test_a_proxy_that_writes_ports_does_not_put_all_people_into_one(client, operator, settings):
    settings.TRUSTED_PROXIES = 1
    for number in range(10):
        password(client, "mina", WRONG, HTTP_X_FORWARDED_FOR=f"192.0.2.9:{50000 + number}")

    assert password(client, HTTP_X_FORWARDED_FOR="192.0.2.9:443").status_code == 429
    assert password(client, HTTP_X_FORWARDED_FOR="192.0.2.200:443").status_code == 302


def test_other_user_agents_and_cases_do_not_evade_the_lock(client, operator):
    for number in range(10):
        password(client, ("mina", "MINA", " mina")[number % 3], WRONG, HTTP_USER_AGENT=f"browser {number}")

    assert password(client).status_code == 429


def test_after_fifteen_minutes_the_right_password_is_accepted(client, operator):
    with travel("2026-11-20T12:00:00Z", tick=False) as clock:
        guess(client, 10)
        clock.shift(14 * 60)
        during = password(client).status_code
        clock.shift(61)

        after = password(client).status_code

    assert (during, after) == (429, 302)


def test_a_sign_in_resets_the_count_of_wrong_passwords(client, operator):
    guess(client, 9)
    password(client)
    client.post("/admin/logout/")

    assert guess(client, 9) == [200] * 9


def test_the_second_password_page_counts_wrong_passwords_too(console):
    answers = [console.post("/admin/confirm/", {"password": WRONG}).status_code for _ in range(10)]
    right = console.post("/admin/confirm/", {"password": PASSWORD})

    assert answers == [200] * 9 + [429]
    assert right.status_code == 429


def test_typed_user_names_are_not_stored(client, operator):
    typed = "my-secret-typed-into-the-wrong-field"
    guess(client, 11, typed)

    rows = [str(vars(row)) for row in (*AccessAttempt.objects.all(), *AuditEvent.objects.all())]
    assert len(rows) >= 2
    assert not [row for row in rows if typed in row or WRONG in row]


def test_a_very_long_name_and_one_with_a_null_byte_are_wrong_names(client, operator):
    assert guess(client, 1, "m" * 50_000) == [200]
    assert guess(client, 1, "mi\0na") == [200]
