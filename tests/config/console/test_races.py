"""Of concurrent requests for one unique value, one stores it. The others get the ordinary error."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from config.accounts import invites
from notifications.models import (
    CallbackEndpoint,
    ProtectedName,
    ReplyToAddress,
    Role,
    Service,
    SmsSender,
    TeamMember,
)
from notifications.validation import protected
from tests import factories
from tests.at_once import at_once
from tests.people import browser_of, join, make_person

TIMES = 4


@pytest.fixture
def service(transactional_db):
    return factories.make_service(name="Tides")


@pytest.fixture
def operators(transactional_db) -> list[Client]:
    names = [f"op-{number}" for number in range(TIMES)]
    return [browser_of(User.objects.create_superuser(name, f"{name}@example.org")) for name in names]


def _sms_sender(service: Service, number: int) -> SmsSender:
    return factories.make_sms_sender(service, f"PIGEON{number}", is_default=number == 0)


def _reply_to(service: Service, number: int) -> ReplyToAddress:
    return factories.make_reply_to(service, f"box{number}@example.org", is_default=number == 0)


def posted(operators: list[Client], page: str, form: dict[str, object]) -> list[int]:
    return sorted(at_once(lambda number: operators[number].post(page, form).status_code, TIMES))


def test_an_account_that_accepts_several_invites_at_once_is_in_the_team_once(service):
    jo = make_person("jo")
    members = [factories.make_team_member(service, f"jo{number}@example.org") for number in range(TIMES)]
    tokens = [invites.make(by="mo", member_id=member.pk) for member in members]
    clients = [browser_of(jo) for _ in members]

    def accept(number: int) -> int:
        return clients[number].post(reverse("admin:accept_invite", query={"token": tokens[number]})).status_code

    assert sorted(at_once(accept, TIMES)) == [200, 200, 200, 302]
    assert TeamMember.objects.filter(service=service, user=jo).count() == 1


@pytest.mark.parametrize("spelling", ["Tides at sea", "TIDES at sea"])
def test_a_service_name_exists_once_in_any_case(operators, spelling):
    forms = [{"name": "Tides at sea", "permissions": ["sms"]}, {"name": spelling, "permissions": ["sms"]}]
    page = reverse("admin:notifications_service_add")

    found = at_once(lambda number: operators[number].post(page, forms[number % 2]).status_code, TIMES)

    assert sorted(found) == [200, 200, 200, 302]
    assert Service.objects.filter(name__iexact="Tides at sea").count() == 1


def test_a_team_has_an_email_address_once(service, operators):
    page = reverse("admin:notifications_teammember_add")
    form = {"service": service.pk, "email_address": "ana@example.org"}
    nonces = [operator.get(page).context["nonce"] for operator in operators]

    at_once(lambda number: operators[number].post(page, {"nonce": nonces[number], **form}), TIMES)

    assert TeamMember.objects.filter(service=service).count() == 1


@pytest.mark.parametrize(
    ("model", "page", "form"),
    [
        (SmsSender, "smssender", {"sender": "PIGEON"}),
        (ReplyToAddress, "replytoaddress", {"email_address": "box@example.org"}),
    ],
)
def test_a_sender_exists_once_and_one_is_the_default(service, operators, model, page, form):
    found = posted(operators, reverse(f"admin:notifications_{page}_add"), {"service": service.pk, **form})

    assert found == [200, 200, 200, 302]
    assert model.objects.get(service=service).is_default


@pytest.mark.parametrize(("make", "page"), [(_sms_sender, "smssender"), (_reply_to, "replytoaddress")])
def test_people_who_set_defaults_at_once_wait_for_each_other(service, operators, make, page):
    rows = [make(service, number) for number in range(TIMES)]
    pages = [reverse(f"admin:notifications_{page}_change", args=[row.pk]) for row in rows]

    def act(number: int) -> int:
        return operators[number].post(pages[number], {"is_default": "on"}).status_code

    for _ in range(3):
        assert at_once(act, TIMES) == [302] * TIMES
        assert type(rows[0]).objects.filter(service=service, is_default=True).count() == 1


def test_a_protected_name_exists_once(operators):
    page, names = reverse("admin:notifications_protectedname_add"), ["Quay hut", "QUAY HUT", "Quay-hut", "Qüay hut"]

    def protect(number: int) -> int:
        return operators[number].post(page, {"name": names[number], "rule": "operators_only"}).status_code

    assert sorted(at_once(protect, TIMES)) == [200, 200, 200, 302]
    assert ProtectedName.objects.filter(likeness=protected.likeness("Quay hut")).count() == 1


def test_an_email_address_belongs_to_one_account(operators):
    page = reverse("admin:auth_user_add")
    nonces = [operator.get(page).context["nonce"] for operator in operators]
    hosts = ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example", "bu\u0308cher.example"]

    def invite(number: int) -> str:
        form = {"nonce": nonces[number], "email": f"ana@{hosts[number]}", "username": f"ana{number}"}
        return operators[number].post(page, form).content.decode()

    refused = [page for page in at_once(invite, TIMES) if "Another account already uses this email address" in page]

    assert len(refused) == TIMES - 1
    assert User.objects.filter(username__startswith="ana").count() == 1


def test_a_user_name_belongs_to_one_account_in_any_case(operators):
    page = reverse("admin:auth_user_add")
    nonces = [operator.get(page).context["nonce"] for operator in operators]
    names = ["ana", "ANA", "Ana", "aNa"]

    def invite(number: int) -> str:
        form = {"nonce": nonces[number], "email": f"ana{number}@example.org", "username": names[number]}
        return operators[number].post(page, form).content.decode()

    refused = [page for page in at_once(invite, TIMES) if "This user name is already in use" in page]

    assert len(refused) == TIMES - 1
    assert User.objects.filter(username__iexact="ana").count() == 1


def test_two_new_members_choose_one_user_name_once(service):
    members = [factories.make_team_member(service, f"jo{number}@example.org") for number in range(TIMES)]
    tokens = [invites.make(by="mo", member_id=member.pk) for member in members]
    form = {"username": "jo", "password": "a-long-password-1", "again": "a-long-password-1"}

    def accept(number: int) -> int:
        return Client().post(reverse("admin:accept_invite", query={"token": tokens[number]}), form).status_code

    assert sorted(at_once(accept, TIMES)) == [200, 200, 200, 302]
    assert User.objects.get(username="jo").email in {member.email_address for member in members}


def test_documents_at_once_make_a_service_once(transactional_db, tmp_path):
    place = tmp_path / "services.json"
    for name in ("Tides", "Storms", "Fog", "Ice"):  # one round alone does not always meet the race
        place.write_text(json.dumps({"services": [{"name": name, "daily_limits": {"sms": 1}}]}))

        at_once(lambda number: call_command("provision", str(place)), TIMES)

        assert Service.objects.filter(name=name).count() == 1


@pytest.mark.django_db
def test_the_database_stores_each_only_one_once():
    service, jo = factories.make_service(name="Tides", has_own_name=True), make_person("jo")
    join(jo, service)
    second = {"user": jo, "email_address": "x@example.org", "normalised_email": "x@example.org"}
    callback = {"service": service, "name": "log", "kind": "delivery_status", "url": "https://example.org"}
    CallbackEndpoint.objects.create(**callback)
    refused = [
        lambda: TeamMember.objects.create(service=service, **second),
        lambda: factories.make_service(name="tides", has_own_name=True),
        lambda: CallbackEndpoint.objects.create(**callback),
    ]

    for act in refused:
        with pytest.raises(IntegrityError), transaction.atomic():
            act()
    factories.make_service(name="Tides")  # as a document with ids may do
    blank = {"email_address": "", "normalised_email": "", "roles": [Role.SEE_ACTIVITY.value]}
    for name in ("mo", "bo"):  # accounts without an email address
        TeamMember.objects.create(service=service, user=make_person(name), **blank)
