"""Signing in, and the accounts that may."""

import pytest
from django.urls import reverse

from config.console.models import AuditEvent
from tests import factories

PASSWORD = "a-long-password-1"


@pytest.mark.parametrize(
    ("name", "password"), [("mina", "wrong-password-1"), ("nobody", PASSWORD)], ids=["wrong password", "unknown user"]
)
def test_a_refused_sign_in_does_not_say_which_half_was_wrong(client, operator, name, password):
    answer = client.post("/admin/login/", {"username": name, "password": password})

    assert "Please enter the correct username and password for a staff account." in answer.content.decode()


@pytest.mark.parametrize(
    ("wish", "place"),
    [
        ("", "/admin/"),
        ("/admin/operations/auditevent/", "/admin/operations/auditevent/"),
        ("https://evil.example/", "/admin/"),
        ("//evil.example/", "/admin/"),
        ("/\\evil.example/", "/admin/"),
        ("javascript:alert(1)", "/admin/"),
    ],
)
def test_signing_in_stays_on_this_site(client, operator, wish, place):
    answer = client.post(f"/admin/login/?next={wish}", {"username": "mina", "password": PASSWORD})

    assert (answer.status_code, answer["Location"]) == (302, place)


def test_the_last_operator_keeps_the_rights(console, operator):
    form = {"username": "mina", "email": "mina@example.org", "is_active": "on", "is_staff": "on"}
    answer = console.post(reverse("admin:auth_user_change", args=[operator.pk]), form)

    operator.refresh_from_db()
    assert "This is the last active operator." in answer.content.decode()
    assert operator.is_superuser


def test_setting_somebodys_password_is_in_the_audit_without_it(console, django_user_model):
    jo = django_user_model.objects.create_user("jo", password="a-long-password-2", is_staff=True)

    form = {"password1": "quite-another-3", "password2": "quite-another-3", "usable_password": "true"}
    console.post(reverse("admin:auth_user_password_change", args=[jo.pk]), form)

    event = AuditEvent.objects.get(verb="set_password_of")
    assert event.object_id == str(jo.pk)
    assert "quite-another-3" not in f"{event.before}{event.after}"
    assert event.before != event.after


def test_accounts_are_not_deleted(console, operator):
    assert console.get(reverse("admin:auth_user_delete", args=[operator.pk])).status_code == 403


def age_sign_in(console, minutes):
    session = console.session
    session["proved_at"] -= minutes * 60
    session.save()


@pytest.mark.parametrize("address", ["/admin/notifications/apikey/add/", "/admin/notifications/service/{id}/archive/"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_grave_step_wants_a_recent_sign_in(console, address, method):
    service = factories.make_service(name="Tides")
    place = address.format(id=service.pk)
    age_sign_in(console, minutes=31)

    answer = getattr(console, method)(place, {"name": "Tides"} if method == "post" else {})

    service.refresh_from_db()
    assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/admin/confirm/")
    assert service.active


def test_the_password_once_more_leads_back_to_the_step(console):
    age_sign_in(console, minutes=31)
    asked = console.get("/admin/notifications/apikey/add/")["Location"]

    wrong = console.post(asked, {"password": "wrong-password-1"})
    right = console.post(asked, {"password": PASSWORD})

    assert "This is not your password." in wrong.content.decode()
    assert (right.status_code, right["Location"]) == (302, "/admin/notifications/apikey/add/")
    assert console.get("/admin/notifications/apikey/add/").status_code == 200


@pytest.mark.parametrize("wish", ["https://evil.example/", "//evil.example/", "/\\evil.example", "evil"])
def test_the_password_leads_nowhere_else(console, wish):
    answer = console.post(f"/admin/confirm/?next={wish}", {"password": PASSWORD})

    assert answer["Location"] == "/admin/"


def test_a_young_sign_in_is_enough(console):
    age_sign_in(console, minutes=29)

    assert console.get("/admin/notifications/apikey/add/").status_code == 200
