"""No data changes on GET, without the form's token, or from another site.

Source: docs/reference/security.md §5; docs/testing.md, G8.
"""

import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.config.console.test_every_page import rows_of_every_model
from tests.notifications.download.sending import ADDRESS, send_file

OUTSIDE = {"Origin": "https://evil.example"}
READ_ONLY = re.compile(r"_(?:changelist|history|change|delete)\Z")  # the test of every page opens these
FORM = {
    "name": "Forged",
    "username": "forged",
    "email": "forged@example.org",
    "password": "a-forged-password-1",
    "old_password": "a-long-password-1",
    "new_password": "a-forged-password-1",
    "again": "a-forged-password-1",
    "reason": "Forged",
    "step": "begin",
    "service": "all",
}


def patterns(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for one in resolver.url_patterns:
        if isinstance(one, URLResolver):
            yield from patterns(one, prefix + str(one.pattern))
        else:
            yield prefix + str(one.pattern), one


@pytest.fixture
def addresses(db) -> dict[str, str]:
    """Return every URL of the console and the sandbox's pages for an existing row: URL → name."""
    rows = {row._meta.label_lower.replace(".", "_"): row.pk for row in rows_of_every_model().values()}
    found: dict[str, str] = {}
    for route, pattern in patterns(get_resolver()):
        if not route.startswith(("admin/", "sandbox/")) or route.startswith(("sandbox/api/", "admin/^", "admin/(")):
            continue
        name = pattern.name or ""
        pk = next((pk for label, pk in rows.items() if name.startswith(f"{label}_")), UUID(int=0))
        found["/" + re.sub(r"<\w+:\w+>", str(pk), route)] = name
    return found


def everything() -> dict[str, list[str]]:
    """Return all rows of all tables except sessions."""
    models = [model for model in apps.get_models() if model is not Session]
    return {model._meta.label: sorted(repr(row) for row in model._default_manager.values_list()) for model in models}


@pytest.fixture
def browser(operator) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    return client


def token(browser: Client) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get("/admin/account/").content.decode())
    assert found is not None
    return found[1]


def walk(addresses, ask) -> dict[str, int]:
    return {address: ask(address).status_code for address in addresses}


def test_no_form_is_accepted_without_its_token(addresses, browser):
    before = everything()

    answers = walk(addresses, lambda address: browser.post(address, FORM))

    assert len(answers) > 100
    assert {address: status for address, status in answers.items() if status not in {403, 405}} == {}
    assert everything() == before


def test_no_form_is_accepted_from_another_site(addresses, browser):
    form = {**FORM, "csrfmiddlewaretoken": token(browser)}
    before = everything()

    answers = walk(addresses, lambda address: browser.post(address, form, headers=OUTSIDE))

    assert {address: status for address, status in answers.items() if status not in {403, 405}} == {}
    assert everything() == before


def test_a_get_request_changes_nothing(addresses, browser):
    looked_at = [address for address, name in addresses.items() if name and not READ_ONLY.search(name)]
    before = everything()

    answers = walk(looked_at, lambda address: browser.get(address, FORM))

    assert everything() == before
    assert [address for address, status in answers.items() if status >= 500] == []
    posts_only = ("/admin/logout/", "/admin/account/sessions/", "/admin/switch-service/", "/sandbox/empty/")
    assert {address: answers[address] for address in posts_only} == dict.fromkeys(posts_only, 405)


def test_the_same_form_with_its_token_from_this_site_is_accepted(browser):
    """With the token and from this site the same form is accepted, so nothing else was missing in the tests above."""
    form = {**FORM, "csrfmiddlewaretoken": token(browser)}

    taken = browser.post("/admin/account/sessions/", form, headers={"Origin": "http://testserver"})

    assert taken.status_code == 302


@pytest.mark.parametrize("headers", [{}, OUTSIDE], ids=["without a token", "from another site"])
def test_the_recipients_form_is_not_accepted(db, headers):
    file = send_file()
    browser = Client(enforce_csrf_checks=True)
    form: dict[str, str] = {"email_address": ADDRESS}
    page = browser.get(file.path("confirm")).content.decode()
    if headers:
        form["csrfmiddlewaretoken"] = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    before = everything()

    answer: HttpResponse = browser.post(file.path("confirm"), form, headers=headers)

    assert answer.status_code == 403
    assert everything() == before


def test_the_recipients_email_address_is_not_read_from_a_query(db):
    file = send_file()
    before = everything()

    answer = Client().get(file.path("confirm", email_address=ADDRESS))

    assert answer.status_code == 200
    assert everything() == before
