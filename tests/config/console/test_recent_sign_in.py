"""Sensitive actions need a recent sign-in."""

import pytest

from tests import factories

PASSWORD = "a-long-password-1"


def age_sign_in(console, minutes):
    session = console.session
    session["proved_at"] -= minutes * 60
    session.save()


@pytest.mark.parametrize("address", ["/admin/notifications/apikey/add/", "/admin/notifications/service/{id}/archive/"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_sensitive_action_needs_a_recent_sign_in(console, address, method):
    service = factories.make_service(name="Tides")
    place = address.format(id=service.pk)
    age_sign_in(console, minutes=31)

    answer = getattr(console, method)(place, {"name": "Tides"} if method == "post" else {})

    service.refresh_from_db()
    assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/admin/confirm/")
    assert service.active


def test_the_password_page_leads_back_to_the_action(console):
    age_sign_in(console, minutes=31)
    asked = console.get("/admin/notifications/apikey/add/")["Location"]

    wrong = console.post(asked, {"password": "wrong-password-1"})
    right = console.post(asked, {"password": PASSWORD})

    assert "The password is wrong." in wrong.content.decode()
    assert (right.status_code, right["Location"]) == (302, "/admin/notifications/apikey/add/")
    assert console.get("/admin/notifications/apikey/add/").status_code == 200


def test_a_recent_sign_in_is_enough(console):
    age_sign_in(console, minutes=29)

    assert console.get("/admin/notifications/apikey/add/").status_code == 200
