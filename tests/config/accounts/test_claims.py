"""The claims of a sign-in provider are checked before they are used."""

import pytest

from config.accounts.claims import NotAllowed, VerifiedClaims

ANA = {"sub": "ana-1", "email": "ana@example.org", "email_verified": True, "name": "Ana Quay"}


@pytest.fixture(autouse=True)
def roles(settings):
    settings.OIDC_ROLES = {"admins": ["operator"]}


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("sub", [None, "", " ", 7, ["ana"], "a\0", "a\nb", "a\x7f", "a\u2028b", "\ud800", "a" * 256]),
        ("email", [7, ["ana@example.org"], "ana", "ana@", "@example.org", "a@b@example.org", "ana@example.org\n"]),
        ("email", ["ana@exam\0ple.org", "ana @example.org", "a" * 250 + "@example.org", "ana@example.org\u00a0"]),
        ("email", ["ﬁnance@example.org", "\u212aim@example.org", "ana@example．org", "ana@exa\u200bmple.org"]),
        ("email", ["ana@example.org\u3000", "ａna@example.org", "ana@ex\u0061\u0308mple.org", "ana\r@example.org"]),
        ("name", [7, ["Ana"], "Ana\0", "Ana\nQuay", "Ana\u2029", "a" * 151]),
        ("groups", ["admins", {"admins": True}, [7], ["admins", None]]),
    ],
)
def test_a_claim_that_cannot_be_stored_or_compared_is_refused_with_whom_to_ask(claim, values):
    for value in values:
        with pytest.raises(NotAllowed, match="administrator"):
            VerifiedClaims.of(ANA | {claim: value})


def test_usable_claims_are_read():
    person = VerifiedClaims.of(ANA | {"groups": ["admins", "other"], "name": "Zoë O’Quay-İnan"})

    assert (person.subject, person.email, person.name) == ("ana-1", "ana@example.org", "Zoë O’Quay-İnan")
    assert person.groups == {"admins", "other"}


@pytest.mark.parametrize("is_verified", [False, None, "true", 1])
def test_an_email_address_that_is_not_verified_is_not_read(is_verified):
    assert VerifiedClaims.of(ANA | {"email": "\0", "email_verified": is_verified}).email == ""


def test_missing_claims_are_blank():
    person = VerifiedClaims.of({"sub": "ana-1"})

    assert (person.email, person.name, person.groups) == ("", "", frozenset())


def test_groups_that_give_no_role_may_have_any_form(settings):
    settings.OIDC_ROLES = {}

    assert VerifiedClaims.of(ANA | {"groups": "admins"}).groups == frozenset()
