"""Clients that tests sign in without a sign-in."""

from django.conf import settings
from django.test import Client

from tests.people import browser_of, make_person


def test_a_signed_in_client_has_the_session_of_a_sign_in(db, noon):
    person = make_person()
    client = Client()
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[-1])

    assert dict(browser_of(person).session) == dict(client.session)
