"""Test which account belongs to the name that a person types at the sign-in."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client

from config.accounts import account_name, lookup
from config.accounts.account_name import AccountName
from config.audit.models import AuditEvent
from tests.config.accounts.codes import PASSWORD, is_in, password, text_of

pytestmark = pytest.mark.django_db


def make(name: str, email: str = "") -> User:
    return User.objects.create_user(name, email, PASSWORD, is_staff=True)


@pytest.mark.parametrize(
    "typed", ["jo", "JO", " jo ", "jo@example.org", "Jo@Example.ORG", "\tjo@example.org\n", "ｊｏ@example.org"]
)
def test_an_account_is_found_by_name_and_email_address_in_any_case(client, typed):
    make("jo", "Jo@example.org")

    password(client, typed)

    assert is_in(client)


@pytest.mark.parametrize("typed", ["", " ", "j", "jo@", "jo@example.com", "%", "_o", "jo\0", "j" * 255, "😀"])
def test_an_unknown_name_finds_no_account(typed):
    make("jo", "jo@example.org")

    assert lookup.find(typed) is None


def test_the_exact_user_name_comes_before_email_addresses_and_other_cases():
    jo, upper, other = make("jo"), make("JO"), make("other", "third@example.org")
    named = make("third@example.org")

    assert [lookup.find(typed) for typed in ("jo", "JO", "third@example.org")] == [jo, upper, named]
    assert lookup.find("Third@example.org") == other
    assert lookup.find("Jo") is None  # two accounts match without case, so none is chosen


def test_an_email_address_of_two_accounts_opens_neither(client):
    make("jo", "team@example.org")
    make("bo", "TEAM@example.org")
    elsewhere = Client()

    refused = password(client, "team@example.org")
    password(elsewhere, "bo")

    assert "password is wrong" in text_of(refused)
    assert is_in(elsewhere)


def test_an_empty_email_address_finds_no_account(client):
    make("jo", "")

    assert lookup.find("") is None


def test_wrong_passwords_for_user_name_and_email_address_count_together(client):
    make("jo", "jo@example.org")
    for number in range(10):
        password(client, ("jo", "JO@example.org")[number % 2], "wrong-password-1")

    assert password(client, "jo@example.org").status_code == 429
    assert password(client, "jo").status_code == 429
    about = AuditEvent.objects.filter(verb="refused_sign_in").values_list("after__username", flat=True)
    assert set(about) == {"jo"}


@pytest.mark.parametrize("typed", ["ｊｏ@example.org", "jo@example．org", "ﬁn", "ﬁn@example.org"])
def test_a_name_that_is_only_typed_finds_no_account_after_a_normalisation(typed):
    jo, fin = make("jo", "jo@example.org"), make("fin", "fin@example.org")

    assert lookup.find(typed) in (jo, fin)
    assert lookup.named(typed) is None
    assert [lookup.named(one) for one in ("JO", " fin@example.org ")] == [jo, fin]


@pytest.mark.parametrize("typed", ["kay@bücher.example", "KAY@xn--bcher-kva.example", "kay@bu\u0308cher.example"])
def test_an_email_address_is_taken_in_every_spelling_of_its_host(typed):
    kay = make("kay", "kay@bücher.example")

    assert lookup.is_taken(typed)
    assert not lookup.is_taken(typed, but=kay.pk)
    assert not lookup.is_taken("kay@buecher.example")


def test_the_names_of_an_account_follow_its_changes():
    jo, bo = make("jo", "jo@bücher.example"), make("bo", "bo@example.org")
    account_name.claim(jo)
    with pytest.raises(IntegrityError), transaction.atomic():
        account_name.claim(make("kay", "JO@xn--bcher-kva.example"))
    with pytest.raises(IntegrityError), transaction.atomic():
        account_name.claim(make("JO", "kay@example.org"))

    User.objects.filter(pk=jo.pk).update(email="jo@example.org")  # as a command does
    bo.email = "jo@bücher.example"
    bo.save()
    account_name.claim(bo)

    assert set(AccountName.objects.values_list("user__username", "name")) == {
        ("jo", "jo"),
        ("bo", "bo"),
        ("bo", "jo@xn--bcher-kva.example"),
    }
