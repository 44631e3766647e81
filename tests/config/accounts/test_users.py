"""Test how operators create and change accounts."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from time_machine import travel

from config.accounts import second_factor
from config.audit.models import AuditEvent
from notifications.models import Role
from tests import factories
from tests.config.accounts.codes import PASSWORD, code_of, enrolled, hidden, is_in, password, text_of
from tests.people import colleague, join, make_person

LIST = "/admin/auth/user/"
ADD = "/admin/auth/user/add/"
NEW = "another-password-2"


def page_of(user: User, step: str = "change") -> str:
    return f"{LIST}{user.pk}/{step}/"


def change(console, user: User, **values: str):
    """Post the form of an account like a browser: with its original values and these changes."""
    opened = console.get(page_of(user)).content.decode()
    form = {"email": user.email, "started_from": hidden(opened, "started_from"), **values}
    return console.post(page_of(user), {name: value for name, value in form.items() if value != "off"})


def invite(console, email="jo@example.org", name="jo"):
    nonce = hidden(console.get(ADD).content.decode(), "nonce")
    return console.post(ADD, {"email": email, "username": name, "nonce": nonce})


def link_on(answer) -> str:
    found = re.search(r'value="([^"]*/admin/choose-password/\?token=[\w-]+)"', answer.content.decode())
    assert found is not None
    return found[1]


def choose(link: str, new: str = NEW, again: str | None = None, browser: Client | None = None):
    return (browser or Client()).post(link, {"password": new, "again": new if again is None else again})


@pytest.fixture
def jo(db):
    return make_person("jo")


# The list.


def test_the_list_shows_the_permissions_of_each_account(console, jo):
    join(jo, factories.make_service(name="Tides"), Role.SEE_ACTIVITY)
    join(jo, factories.make_service(name="Bins"), Role.SEE_ACTIVITY)
    jo.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))

    page = text_of(console.get(LIST))

    for words in ("jo@example.org", "Bins, Tides", "Yes, as operator", "Never", "Manages data sets", "Last sign-in"):
        assert words in page, words


def test_the_list_reads_all_services_with_one_query(console, django_assert_max_num_queries, jo):
    for number in range(20):
        join(make_person(f"person-{number}"), factories.make_service(), Role.SEE_ACTIVITY)

    with django_assert_max_num_queries(20):
        console.get(LIST)


def test_the_page_of_an_account_needs_few_statements(console, django_assert_max_num_queries, jo):
    with django_assert_max_num_queries(25):
        console.get(page_of(jo))


@pytest.mark.parametrize(
    ("query", "shown"),
    [("is_active__exact=0", "gone"), ("is_superuser__exact=1", "mina"), ("is_active__exact=1", "jo")],
)
def test_the_list_is_filtered(console, jo, query, shown):
    User.objects.create_user("gone", is_active=False)

    page = text_of(console.get(f"{LIST}?{query}"))

    assert f">{shown}<" in page
    others = {"gone", "mina", "jo"} - {shown} - ({"mina"} if "active__exact=1" in query else set())
    assert not [name for name in others if f'/change/">{name}<' in page]


@pytest.mark.parametrize("address", [LIST, ADD, "{jo}", "{jo}link/", "{jo}end-sessions/", "{jo}reset-second-factor/"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_only_operators_may_see_accounts(jo, address, method):
    manager = colleague(factories.make_service(), *Role)
    User.objects.get(username__startswith="person").user_permissions.set(Permission.objects.all())
    place = address.replace("{jo}", f"{LIST}{jo.pk}/" if address != "{jo}" else page_of(jo))

    assert getattr(manager, method)(place).status_code in {403, 404}
    jo.refresh_from_db()
    assert jo.is_active


def test_accounts_are_not_deleted(console, jo):
    assert console.post(page_of(jo, "delete"), {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=jo.pk).exists()


# Creating an account.


def test_the_invited_person_chooses_a_password_and_is_signed_in(console):
    link = link_on(invite(console))
    before = User.objects.get(username="jo")
    browser, elsewhere = Client(), Client()
    shown = browser.get(link)
    chosen = choose(link, browser=browser)
    password(elsewhere, "jo", NEW)

    assert not before.has_usable_password()
    assert "Your user name is <strong>jo</strong>. Sign in with it or with jo@example.org." in text_of(shown)
    assert (chosen.status_code, chosen["Location"]) == (302, "/admin/")
    assert is_in(browser)
    assert is_in(elsewhere)


def test_after_a_new_password_the_second_factor_is_asked_for(console, jo):
    key = enrolled(jo)
    nonce = hidden(console.get(page_of(jo, "link")).content.decode(), "nonce")
    browser = Client()

    chosen = choose(link_on(console.post(page_of(jo, "link"), {"nonce": nonce})), browser=browser)
    was_in = is_in(browser)
    browser.post(chosen["Location"], {"code": code_of(key)})

    assert chosen["Location"].startswith("/admin/login/code/")
    assert not was_in
    assert is_in(browser)


def test_a_link_works_once(console):
    link = link_on(invite(console))
    choose(link)

    again = choose(link, "a-third-password-3")

    assert again.status_code == 404
    assert "This link does not work" in text_of(again)
    assert User.objects.get(username="jo").check_password(NEW)


def test_a_link_is_valid_for_seven_days(console):
    link = link_on(invite(console))
    made = User.objects.get(username="jo").date_joined.timestamp()

    with travel(made + 7 * 86400 - 60, tick=False):
        open_still = Client().get(link).status_code
    with travel(made + 7 * 86400 + 60, tick=False):
        over = choose(link).status_code

    assert (open_still, over) == (200, 404)


@pytest.mark.parametrize(
    ("new", "again", "words"),
    [
        ("tiny-1", "tiny-1", "This password is too short"),
        ("password1234", "password1234", "This password is too common."),
        ("734918265034", "734918265034", "This password is entirely numeric."),
        ("jo@example.org1", "jo@example.org1", "The password is too similar to the email address."),
        ("aaaaaaaaaaaa", "aaaaaaaaaaaa", "This password uses too few different characters."),
        ("            ", "            ", "This password uses too few different characters."),
        ("x1" * 501, "x1" * 501, "Ensure this value has at most 1000 characters"),
        (NEW, "something-else-3", "The two passwords are different."),
        ("", "", "This field is required."),
    ],
)
def test_an_invalid_password_does_not_use_up_the_link(console, new, again, words):
    link = link_on(invite(console))

    refused = choose(link, new, again)

    assert words in text_of(refused)
    assert not new.strip() or new not in refused.content.decode()
    assert choose(link).status_code == 302


def test_pages_with_a_token_in_their_query_keep_it_out_of_the_referer(console):
    link = link_on(invite(console))
    pages = [link, "/admin/login/?next=/x", "/admin/notifications/teammember/join/?token=x"]

    assert {Client().get(page)["Referrer-Policy"] for page in pages} == {"strict-origin"}
    assert choose(link)["Referrer-Policy"] == "strict-origin"


@pytest.mark.parametrize("token", ["", "x", "\0", "é" * 50, "x" * 5000])
def test_a_forged_link_opens_nothing(db, token):
    answer = Client().get("/admin/choose-password/", {"token": token})

    assert answer.status_code == 404


def test_the_link_of_an_account_made_inactive_does_not_work(console):
    link = link_on(invite(console))
    User.objects.filter(username="jo").update(is_active=False)

    assert choose(link).status_code == 404


@pytest.mark.parametrize("email", ["jo@example.org", "JO@Example.org"])
def test_an_email_address_in_use_is_rejected(console, jo, email):
    refused = invite(console, email, "somebody-else")

    assert "Another account already uses this email address." in text_of(refused)
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("email", "name", "words"),
    [
        ("new@example.org", "JO", "This user name is already in use. Enter another one."),
        ("new@example.org", "with blank", "Enter a user name of letters, digits and @ . + - _ without spaces."),
        ("new@example.org", "", "This field is required."),
        ("no address", "new", "Enter a valid email address."),
        ("", "new", "This field is required."),
    ],
)
def test_an_error_is_shown_beside_its_field(console, jo, email, name, words):
    refused = invite(console, email, name)

    assert words in text_of(refused)
    assert User.objects.count() == 2


def test_a_form_sent_twice_creates_one_account(console):
    nonce = hidden(console.get(ADD).content.decode(), "nonce")
    form = {"email": "jo@example.org", "username": "jo", "nonce": nonce}
    console.post(ADD, form)

    again = console.post(ADD, form)

    assert again.status_code == 409
    assert "token=" not in again.content.decode()


def test_session_and_audit_do_not_contain_the_link(console):
    token = link_on(invite(console)).partition("token=")[2]

    kept = f"{dict(console.session)}{[vars(event) for event in AuditEvent.objects.all()]}"
    assert token not in kept
    assert "jo@example.org" not in kept


def test_a_new_link_ends_the_earlier_one(console):
    first = link_on(invite(console))
    jo = User.objects.get(username="jo")
    nonce = hidden(console.get(page_of(jo, "link")).content.decode(), "nonce")

    second = link_on(console.post(page_of(jo, "link"), {"nonce": nonce}))

    assert choose(first).status_code == 404
    assert choose(second).status_code == 302


def test_an_inactive_account_gets_no_link(console, jo):
    jo.is_active = False
    jo.save()

    assert "This account is not active." in text_of(console.post(page_of(jo, "link")))


def test_choosing_a_password_ends_earlier_sessions(console, jo):
    browser = Client()
    browser.force_login(jo)
    nonce = hidden(console.get(page_of(jo, "link")).content.decode(), "nonce")

    choose(link_on(console.post(page_of(jo, "link"), {"nonce": nonce})))

    assert not is_in(browser)


# Changing an account.


def rights_of(user: User) -> tuple[bool, bool]:
    """Return whether the account is an operator, and whether it manages data sets."""
    stored = User.objects.get(pk=user.pk)
    return stored.is_superuser, stored.user_permissions.filter(codename="manage_data_sets").exists()


def test_an_operator_gives_and_removes_permissions(console, jo):
    change(console, jo, is_active="on", is_superuser="on", manages_data_sets="on")
    given = rights_of(jo)
    change(console, jo, is_active="on")

    assert (given, rights_of(jo)) == ((True, True), (False, False))
    changed = AuditEvent.objects.filter(object_kind="user", object_id=str(jo.pk), verb="changed")
    assert changed.count() == 4


def test_a_person_with_the_permission_manages_data_sets(console, jo):
    change(console, jo, is_active="on", manages_data_sets="on")
    browser = Client()
    browser.force_login(User.objects.get(pk=jo.pk))

    assert browser.get(reverse("admin:datasets_dataset_add")).status_code in {200, 302}
    assert browser.get(reverse("admin:datasets_datagroup_changelist")).status_code == 200


@pytest.mark.parametrize(
    "rights",
    [{"is_active": "on", "is_superuser": "on"}, {"is_active": "on", "manages_data_sets": "on"}, {"is_active": "off"}],
    ids=["operator", "data sets", "inactive"],
)
def test_a_change_of_permissions_ends_the_sessions(console, jo, rights):
    browser = Client()
    browser.force_login(jo)

    change(console, jo, **rights)

    assert not is_in(browser)
    assert is_in(console)


def test_a_save_without_changed_permissions_ends_no_session(console, jo):
    browser = Client()
    browser.force_login(jo)

    change(console, jo, is_active="on", email="new@example.org")

    assert is_in(browser)
    assert User.objects.get(pk=jo.pk).email == "new@example.org"


@pytest.mark.parametrize(
    "rights", [{"is_active": "on"}, {"is_superuser": "on"}, {}], ids=["demoted", "inactive", "both"]
)
def test_the_last_active_operator_stays(console, operator, rights):
    User.objects.create_superuser("asleep", is_active=False)

    refused = change(console, operator, **rights)

    operator.refresh_from_db()
    assert "This is the last active operator." in text_of(refused)
    assert (operator.is_active, operator.is_superuser) == (True, True)


def test_with_another_operator_one_may_step_down(console, operator):
    User.objects.create_superuser("ana")

    change(console, operator, is_active="on")

    operator.refresh_from_db()
    assert not operator.is_superuser


def test_another_accounts_email_address_is_rejected_in_a_change_too(console, jo):
    refused = change(console, jo, is_active="on", email="MINA@example.org")

    assert "Another account already uses this email address." in text_of(refused)


def test_changing_permissions_needs_a_recent_sign_in(console, jo):
    session = console.session
    session["proved_at"] -= 31 * 60
    session.save()

    for step in ("change", "link", "end-sessions", "reset-second-factor"):
        answer = console.post(page_of(jo, step), {"is_superuser": "on"})
        assert answer["Location"].startswith("/admin/confirm/"), step
    jo.refresh_from_db()
    assert not jo.is_superuser


# Actions.


def test_an_operator_ends_the_sessions_of_a_person(console, jo):
    browser = Client()
    browser.force_login(jo)
    looked = console.get(page_of(jo, "end-sessions"))
    still_in = is_in(browser)

    console.post(page_of(jo, "end-sessions"))

    assert "signed out on all devices" in text_of(looked)
    assert still_in
    assert not is_in(browser)
    assert is_in(console)


def test_an_operator_resets_the_second_factor_of_a_person(console, jo):
    enrolled(jo)
    second_factor.new_recovery_codes(jo)
    browser = Client()
    browser.force_login(jo)

    console.post(page_of(jo, "reset-second-factor"))

    assert second_factor.device_of(jo) is None
    assert second_factor.recovery_codes_left(jo) == 0
    assert not is_in(browser)
    assert AuditEvent.objects.filter(verb="reset_second_factor", object_id=str(jo.pk)).exists()
    password(browser, "jo", PASSWORD)
    assert is_in(browser)


def test_without_a_second_factor_there_is_nothing_to_reset(console, jo):
    answer = console.post(page_of(jo, "reset-second-factor"))

    assert "This account has no second factor." in text_of(answer)
    assert not AuditEvent.objects.filter(verb="reset_second_factor").exists()
