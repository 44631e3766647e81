"""Which account a person from the sign-in provider gets."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from config.accounts import identities, single_sign_on
from config.accounts.claims import NotAllowed, VerifiedClaims
from config.accounts.identities import SignOnIdentity
from config.audit.models import AuditEvent
from tests.at_once import at_once

pytestmark = pytest.mark.django_db
ISSUER = "https://id.example.org"


@pytest.fixture(autouse=True)
def on(settings):
    settings.OIDC_ISSUER, settings.OIDC_ROLES, settings.OIDC_ACCOUNTS = ISSUER, {}, "known"
    return settings


def sign_in(subject: str, email: str, name: str = "") -> User:
    claims = {"sub": subject, "email": email, "email_verified": True, "name": name}
    return single_sign_on.account_for(VerifiedClaims.of(claims))


def make(name: str, email: str) -> User:
    return User.objects.create_user(name, email, is_staff=True)


def test_a_second_subject_with_the_same_email_address_does_not_get_a_bound_account():
    ana = make("ana", "ana@example.org")
    assert sign_in("ana-1", "ana@example.org") == ana

    with pytest.raises(NotAllowed, match="Ask an operator") as refused:
        sign_in("ana-2", "ana@example.org")

    assert refused.value.account == ana
    assert sign_in("ana-1", "other@example.org") == ana
    assert SignOnIdentity.objects.get().subject == "ana-1"
    assert AuditEvent.objects.get(verb="linked_sign_on").object_id == str(ana.pk)


def test_an_account_of_another_issuer_is_found_by_its_email_address(on):
    ana = make("ana", "ana@example.org")
    sign_in("ana-1", "ana@example.org")

    on.OIDC_ISSUER = "https://new.example.org"

    assert sign_in("7", "ana@example.org") == ana


def test_an_account_accepts_another_subject_after_it_was_unlinked():
    ana = make("ana", "ana@example.org")
    sign_in("ana-1", "ana@example.org")

    assert identities.remove_all(ana) == 1

    assert sign_in("ana-2", "ana@example.org") == ana


def test_a_subject_is_compared_exactly():
    make("ana", "ana@example.org")
    sign_in("ana-1", "ana@example.org")

    for subject in ("ANA-1", "ana-1 ", " ana-1", "ana\u20111"):
        with pytest.raises(NotAllowed):
            sign_in(subject, "ana@example.org")


@pytest.mark.parametrize("email", ["ANA@Example.org", "ana@EXAMPLE.ORG"])
def test_the_case_of_an_email_address_does_not_matter(email):
    ana = make("ana", "ana@example.org")

    assert sign_in("1", email) == ana


@pytest.mark.parametrize("email", ["kay@bücher.example", "kay@xn--bcher-kva.example"])
def test_the_spelling_of_a_host_does_not_matter(email):
    kay = make("kay", "Kay@Bücher.example")

    assert sign_in("1", email) == kay


@pytest.mark.parametrize(
    "email",
    ["ana@strasse.example", "an@straße.example", "a_a@straße.example", "%@straße.example", "ana@straße.example.org"],
)
def test_another_email_address_finds_no_account(email):
    make("ana", "ana@straße.example")

    with pytest.raises(NotAllowed, match="no account here yet"):
        sign_in("1", email)


def test_two_accounts_with_one_mailbox_are_both_refused():
    make("ana", "ana@example.org")
    make("bo", "ANA@example.org")

    with pytest.raises(NotAllowed, match="Several accounts"):
        sign_in("1", "ana@example.org")


def test_a_user_name_that_is_an_email_address_is_nobodys_email_address(on):
    make("ana@example.org", "other@example.org")
    on.OIDC_ACCOUNTS = "created"

    with pytest.raises(NotAllowed, match="Ask an operator"):
        sign_in("1", "ana@example.org")


def test_a_long_email_address_whose_start_is_a_user_name_is_refused(on):
    on.OIDC_ACCOUNTS = "created"
    host = ".".join(["b" * 60] * 3) + ".example"
    first, second = f"{'a' * 40}@{host}", f"{'a' * 40}@{host}.org"
    assert first[:150] == second[:150]

    assert sign_in("1", first).email == first
    with pytest.raises(NotAllowed, match="Ask an operator"):
        sign_in("2", second)
    assert User.objects.count() == 1


def test_the_database_stores_one_identity_of_an_issuer_for_an_account():
    ana = make("ana", "ana@example.org")
    identities.bind(ana, ISSUER, "1")

    with pytest.raises(IntegrityError), transaction.atomic():
        identities.bind(ana, ISSUER, "2")
    identities.bind(ana, "https://other.example.org", "2")


@pytest.mark.django_db(transaction=True)
def test_concurrent_first_sign_ins_of_one_person_make_one_account(on):
    on.OIDC_ACCOUNTS = "created"
    found = at_once(lambda number: sign_in("ana-1", "ana@example.org"))

    assert len({user.pk for user in found}) == 1
    assert User.objects.count() == SignOnIdentity.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_concurrent_sign_ins_with_one_email_address_one_gets_the_account():
    make("ana", "ana@example.org")

    def act(number: int) -> bool:
        try:
            sign_in(f"ana-{number}", "ana@example.org")
        except NotAllowed:
            return False
        return True

    assert sorted(at_once(act)) == [False, False, False, True]
    assert SignOnIdentity.objects.count() == 1
