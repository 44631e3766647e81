"""Sign in through a real OpenID Connect provider."""

import json
from collections.abc import Iterator

import pytest
import requests
from django.conf import settings as django_settings
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from config.accounts import second_factor, single_sign_on
from config.accounts.identities import SignOnIdentity
from config.accounts.single_sign_on import OPERATOR
from config.audit.models import AuditEvent
from config.settings import single_sign_on as sign_on_settings
from datasets.admin.access import MANAGE_DATA_SETS
from notifications.models import Role, TeamMember
from tests import factories
from tests.config.accounts.sign_in_provider import CLIENT_ID, CLIENT_SECRET, PersonAtProvider, SignInProvider
from tests.people import browser_of, join, make_person

pytestmark = pytest.mark.django_db
BASE_URL = django_settings.BASE_URL
ANA = {"sub": "ana-1", "email": "ana@example.org", "email_verified": True, "name": "Ana Quay"}
CONSOLE = "/admin/"


@pytest.fixture(scope="module")
def provider() -> Iterator[SignInProvider]:
    provider = SignInProvider(BASE_URL)
    yield provider
    provider.stop()


@pytest.fixture
def on(provider, settings):
    """Single sign-on is on."""
    settings.OIDC_ISSUER = provider.issuer
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT_ID, CLIENT_SECRET
    settings.OIDC_NAME = "Harbour ID"
    single_sign_on._client.cache_clear()
    return settings


@pytest.fixture
def person(on, client) -> PersonAtProvider:
    return PersonAtProvider(client, BASE_URL)


def reasons(client: Client) -> str:
    return client.get(reverse("admin:login")).content.decode()


def test_the_sign_in_page_offers_the_provider_only_if_it_is_configured(client, settings):
    assert "Sign in with" not in reasons(client)
    assert client.get("/admin/login/provider/").status_code == 404

    settings.OIDC_ISSUER, settings.OIDC_NAME = "https://id.example.org", "Harbour ID"

    assert "Sign in with Harbour ID" in reasons(client)


def test_a_person_with_an_account_signs_in_and_returns_to_the_page(person):
    User.objects.create_user("ana", "Ana@example.org", is_staff=True)

    answer = person.sign_in("/admin/login/provider/?next=/admin/account/", **ANA)

    assert (answer.status_code, answer["Location"]) == (302, "/admin/account/")
    assert person.client.get("/admin/account/").status_code == 200
    assert SignOnIdentity.objects.get().subject == "ana-1"
    assert AuditEvent.objects.filter(verb="signed_in", actor_label="ana").exists()


def test_the_account_stays_the_same_after_the_email_address_changed_at_the_provider(person):
    User.objects.create_user("ana", "ana@example.org", is_staff=True)
    person.sign_in(**ANA)

    other = PersonAtProvider(Client(), BASE_URL)
    other.sign_in(**ANA | {"email": "other@example.org"})

    assert other.client.get("/admin/account/").context["user"].get_username() == "ana"


@pytest.mark.parametrize(
    ("claims", "text"),
    [
        ({"email_verified": False}, "has not verified your email address"),
        ({"email": None}, "has not verified your email address"),
        ({}, "You have no account here yet"),
    ],
)
def test_a_person_without_a_usable_account_is_refused_with_the_reason(person, claims, text):
    person.sign_in(**ANA | claims)

    assert text in reasons(person.client)
    assert person.client.get("/admin/account/").status_code == 302
    assert not User.objects.exists()
    event = AuditEvent.objects.get()
    assert event.verb == "refused_sign_on"
    assert text in event.reason


def test_another_subject_with_the_email_address_of_a_bound_account_is_refused_and_in_the_audit(person):
    ana = User.objects.create_user("ana", "ana@example.org", is_staff=True)
    person.sign_in(**ANA)
    other = PersonAtProvider(Client(), BASE_URL)

    other.sign_in(**ANA | {"sub": "ana-2"})

    assert "Ask an operator of this installation." in reasons(other.client)
    assert other.client.get("/admin/account/").status_code == 302
    event = AuditEvent.objects.get(verb="refused_sign_on")
    assert (event.object_id, event.after) == (str(ana.pk), {"username": "ana"})
    assert "belongs to another identity" in event.reason


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "a" * 290 + "@example.org"},
        {"email": "ana\n@example.org"},
        {"email": "ana"},
        {"email": "ﬁnance@example.org"},
        {"email": "ana@example.org\u00a0"},
        {"name": "Ana\0Quay"},
        {"sub": "ana\0"},
    ],
)
def test_claims_that_cannot_be_stored_or_compared_are_refused(person, on, claims):
    on.OIDC_ACCOUNTS = "created"
    User.objects.create_user("finance", "finance@example.org", is_staff=True)
    User.objects.create_user("ana", "ana@example.org", is_staff=True)

    answer = person.sign_in(**ANA | claims)

    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:login"))
    assert "Ask its administrator." in reasons(person.client)
    assert User.objects.count() == 2
    assert not SignOnIdentity.objects.exists()
    assert "Ask its administrator." in AuditEvent.objects.get(verb="refused_sign_on").reason


def test_an_operator_unlinks_an_account_so_that_it_accepts_another_identity(person):
    ana = User.objects.create_user("ana", "ana@example.org", is_staff=True)
    person.sign_in(**ANA)
    operator = browser_of(User.objects.create_superuser("mina", "mina@example.org"))
    page = reverse("admin:auth_user_unlink-provider", args=[ana.pk])

    assert "ana@example.org" in operator.get(page).content.decode()
    operator.post(page)

    assert person.client.get("/admin/account/").status_code == 302
    assert PersonAtProvider(Client(), BASE_URL).sign_in(**ANA | {"sub": "ana-2"})["Location"] == CONSOLE
    assert SignOnIdentity.objects.get(user=ana).subject == "ana-2"
    assert AuditEvent.objects.get(verb="unlinked_sign_on").object_id == str(ana.pk)


def test_an_inactive_account_is_refused(person):
    User.objects.create_user("ana", "ana@example.org", is_staff=True, is_active=False)

    person.sign_in(**ANA)

    assert "Your account is not active" in reasons(person.client)


def test_an_account_is_created_if_the_installation_wants_that(person, on):
    on.OIDC_ACCOUNTS = "created"

    person.sign_in(**ANA)

    user = User.objects.get()
    assert (user.email, user.first_name, user.last_name) == ("ana@example.org", "Ana", "Quay")
    assert not user.has_usable_password()
    assert not user.is_superuser
    assert person.client.get(CONSOLE).status_code == 200


def test_groups_give_and_take_roles(person, on):
    on.OIDC_ACCOUNTS = "created"
    on.OIDC_ROLES = {
        "admins": ["operator"],
        "analysts": ["manage data sets"],
        "pay": ["Pay: see_activity, send_messages", "No such service: see_activity"],
    }
    pay = factories.make_service(name="Pay")
    make_person("mina")
    User.objects.update(is_superuser=True)

    person.sign_in(**ANA, groups=["admins", "analysts", "pay", "unknown"])

    ana = User.objects.get(email="ana@example.org")
    assert ana.is_superuser
    assert ana.user_permissions.get() == Permission.objects.get(codename="manage_data_sets")
    assert TeamMember.objects.get(service=pay, user=ana).roles == [Role.SEE_ACTIVITY, Role.SEND_MESSAGES]

    other = PersonAtProvider(Client(), BASE_URL)
    other.sign_in(**ANA, groups=[])

    ana.refresh_from_db()
    assert not ana.is_superuser
    assert not ana.user_permissions.exists()
    assert TeamMember.objects.get(service=pay, user=ana).roles == []


def test_the_last_operator_and_the_last_manager_keep_their_roles(person, on):
    on.OIDC_ROLES = {"admins": ["operator"], "pay": ["Pay: manage_service"]}
    pay = factories.make_service(name="Pay")
    ana = User.objects.create_superuser("ana", "ana@example.org")
    join(ana, pay, Role.MANAGE_SERVICE)

    person.sign_in(**ANA, groups=[])

    ana.refresh_from_db()
    assert ana.is_superuser
    assert TeamMember.objects.get(service=pay, user=ana).roles == [Role.MANAGE_SERVICE]


def test_a_second_factor_of_the_account_is_asked_for_unless_the_provider_checks_one(person, on):
    on.REQUIRE_SECOND_FACTOR = True
    ana = User.objects.create_user("ana", "ana@example.org", is_staff=True)
    device = second_factor.begin(ana)
    type(device).objects.filter(pk=device.pk).update(confirmed=True)

    answer = person.sign_in(**ANA)
    assert answer["Location"].startswith("/admin/login/code/")

    on.OIDC_CHECKS_SECOND_FACTOR = True
    answer = PersonAtProvider(person.client, BASE_URL).sign_in(**ANA)
    assert answer["Location"] == CONSOLE
    assert person.client.get("/admin/account/").status_code == 200


def test_a_protected_page_asks_the_provider_for_a_new_sign_in(person, on):
    User.objects.create_superuser("ana", "ana@example.org")
    person.sign_in(**ANA)
    session = person.client.session
    session["proved_at"] = 0
    session.save()
    users = reverse("admin:auth_user_add")

    answer = person.client.get(users)
    assert answer["Location"].startswith("/admin/login/provider/?")
    url = person.begin(answer["Location"])
    assert "prompt=login" in url
    answer = person.come_back(url, **ANA)

    assert answer["Location"] == users
    assert person.client.get(users).status_code == 200


def test_signing_out_ends_the_session_here_and_leads_to_the_provider(person, on, provider):
    User.objects.create_user("ana", "ana@example.org", is_staff=True)
    person.sign_in(**ANA)

    answer = person.client.post("/admin/logout/")

    assert answer["Location"].startswith(f"{provider.issuer}/session/end?id_token_hint=")
    assert requests.get(answer["Location"], timeout=20).status_code == 200
    assert person.client.get("/admin/account/").status_code == 302


@pytest.mark.parametrize("query", ["", "?code=made-up", "?code=made-up&state=forged", "?error=access_denied"])
def test_a_forged_callback_signs_nobody_in(person, query):
    User.objects.create_user("ana", "ana@example.org", is_staff=True)
    person.begin()

    person.client.get(f"/admin/login/provider/callback/{query}")

    assert "The sign-in did not work. Try again." in reasons(person.client)
    assert person.client.get("/admin/account/").status_code == 302


def test_a_callback_of_another_browser_signs_nobody_in(person):
    User.objects.create_user("ana", "ana@example.org", is_staff=True)
    back = person.approve(person.begin(), **ANA)
    stranger = Client()

    stranger.get(back.removeprefix(BASE_URL))

    assert stranger.get("/admin/account/").status_code == 302


def test_a_page_of_another_site_is_not_the_next_page(person):
    User.objects.create_user("ana", "ana@example.org", is_staff=True)

    answer = person.sign_in("/admin/login/provider/?next=https://evil.example/", **ANA)

    assert answer["Location"] == CONSOLE


def test_an_unreachable_provider_is_an_explained_error(client, settings):
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    single_sign_on._client.cache_clear()

    assert client.get("/admin/login/provider/")["Location"] == reverse("admin:login")
    assert "The sign-in provider cannot be reached." in reasons(client)


def test_no_token_of_the_provider_is_in_the_audit(person):
    User.objects.create_user("ana", "ana@example.org", is_staff=True)
    person.sign_in(**ANA)

    stored = json.dumps(list(AuditEvent.objects.values("after", "before", "reason")))
    assert "eyJ" not in stored


def test_the_start_accepts_exactly_the_roles_that_exist() -> None:
    assert set(Role.values) == sign_on_settings._ROLES
    assert {OPERATOR, MANAGE_DATA_SETS} == sign_on_settings._GRANTS
