"""The console's pages for missing, forbidden and failed requests."""

from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.people import browser_of, make_person


def words(answer) -> str:
    return " ".join(answer.content.decode().split())


def test_a_missing_page_keeps_the_navigation(console):
    answer = console.get("/admin/nothing/")

    assert answer.status_code == 404
    assert "Error 404" in words(answer)
    assert 'href="/admin/account/"' in words(answer)  # the frame has the person's own menu


def test_a_forbidden_page_says_whom_to_ask(db):
    answer = browser_of(make_person()).get("/admin/auth/user/")

    assert answer.status_code == 403
    assert "Error 403" in words(answer)
    assert "Ask a manager of your service or an operator for permission" in words(answer)


def test_an_error_shows_anonymous_visitors_nothing_of_the_console(db):
    answer = Client().get("/admin/choose-password/")

    assert answer.status_code == 404
    assert "Dashboard" not in words(answer)


def test_a_broken_page_shows_the_request_id_and_uses_no_database(operator):
    browser = Client(raise_request_exception=False)
    browser.force_login(operator)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE operations_audit_event")

    answer = browser.get(reverse("admin:operations_auditevent_changelist"))

    assert answer.status_code == 500
    assert "500 · Something went wrong" in words(answer)
    assert answer["X-Request-Id"] in words(answer)
    assert "operations_audit_event" not in words(answer)
    assert "mina" not in words(answer)


def test_elsewhere_an_error_is_not_a_console_page(console):
    assert "Error 404" not in words(console.get("/nothing/"))
