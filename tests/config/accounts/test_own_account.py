"""Test how people change their own name and password."""

import pytest
from django.contrib.auth.models import User

from config.audit.models import AuditEvent
from tests.config.accounts.codes import PASSWORD, text_of
from tests.people import browser_of, make_person

NAME = "/admin/account/name/"


def set_name(browser, name: str):
    return browser.post(NAME, {"name": name}, follow=True)


def test_people_set_their_own_name(console, operator):
    before = text_of(console.get("/admin/account/"))

    answer = set_name(console, "  Mina Patel-O’Neill ")

    assert "Your name</dt><dd>Not set" in before
    assert "Your name</dt><dd>Mina Patel-O’Neill" in text_of(answer)
    assert "Mina Patel-O’Neill" in text_of(console.get("/admin/auth/user/"))
    assert 'value="Mina Patel-O’Neill"' in text_of(console.get(NAME))
    event = AuditEvent.objects.get()
    assert (event.verb, event.object_id, event.after) == ("changed_name", str(operator.pk), {"username": "mina"})


def test_a_name_can_be_removed_and_two_old_fields_become_one(console, operator):
    User.objects.filter(pk=operator.pk).update(first_name="Mina", last_name="Patel")
    assert 'value="Mina Patel"' in text_of(console.get(NAME))

    set_name(console, "")

    operator.refresh_from_db()
    assert (operator.first_name, operator.last_name) == ("", "")


@pytest.mark.parametrize("name", ["Mi\u202ena", "Mi\nna", "Mi\x07na", "Mi\u200bna", "x" * 151, "Mi\0na"])
def test_an_invisible_name_is_rejected(console, operator, name):
    answer = set_name(console, name)

    operator.refresh_from_db()
    assert 'class="sb-error"' in text_of(answer)
    assert operator.first_name == ""


def test_a_name_is_text_on_every_page(console):
    answer = set_name(console, "<script>alert(1)</script>")

    assert "&lt;script&gt;alert(1)" in text_of(answer)
    assert "<script>alert(1)" not in text_of(answer) + text_of(console.get("/admin/auth/user/"))


def test_a_changed_password_follows_the_rules_of_a_new_one(db):
    browser = browser_of(make_person("jo"))
    for new, words in (("jo@example.org1", "too similar to the email address"), ("734918265034", "entirely numeric")):
        form = {"old_password": PASSWORD, "new_password": new, "again": new}

        assert words in text_of(browser.post("/admin/password_change/", form))
    assert User.objects.get().check_password(PASSWORD)


def test_a_changed_password_has_no_page_of_django(db):
    assert browser_of(make_person("jo")).get("/admin/password_change/done/").status_code == 404


def test_pages_of_the_account_lead_back_to_it(console):
    page = text_of(console.get("/admin/account/name/"))

    assert '<a class="sb-crumb-text" href="/admin/account/">Your account</a>' in page
