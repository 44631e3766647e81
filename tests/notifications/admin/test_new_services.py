"""A new service: how to create it, its page, its lists, and the checks before it goes live."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from notifications.models import Role, Service
from tests import factories
from tests.people import colleague

ADD = "/admin/notifications/service/add/"


def page_of(service, page):
    return reverse(f"admin:notifications_service_{page}", args=[service.pk])


def test_after_creating_a_service_its_page_opens_and_it_is_chosen(console):
    answer = console.post(ADD, {"name": "Tides", "permissions": ["sms"]})

    service = Service.objects.get()
    assert answer["Location"] == page_of(service, "change")
    page = console.get(answer["Location"])
    assert page.context["switcher"]["chosen"].name == "Tides"
    assert "Service “Tides” is created. Next: create a template." in page.content.decode()


def test_the_creator_of_a_service_joins_its_team_even_without_an_email_address(console, operator):
    User.objects.filter(pk=operator.pk).update(email="")

    console.post(ADD, {"name": "Tides", "permissions": ["sms"]})

    member = Service.objects.get().team.get()
    assert (member.user, member.email_address, member.title) == (operator, "", "mina")
    assert "mina" in console.get("/admin/notifications/teammember/").content.decode()


def test_the_form_of_a_new_service_explains_trial_and_what_recipients_see(console, settings):
    settings.DAILY_LIMIT_TRIAL, settings.DEFAULT_SMS_SENDER = 1050, "HARBOUR"

    page = console.get(ADD).content.decode()

    assert "It starts in trial." in page
    assert "1,050 emails" in page
    assert "“HARBOUR”" in page


def test_a_list_opened_from_a_services_page_shows_that_service(console):
    tides, buses = factories.make_service(name="Tides"), factories.make_service(name="Buses")
    factories.make_reply_to(tides, "tides@example.org")
    factories.make_reply_to(buses, "buses@example.org")
    place = re.search(
        r'href="(/admin/notifications/replytoaddress/[?][^"]*)"', console.get(page_of(tides, "change")).content.decode()
    )[1]

    shown = console.get(place, follow=True)
    form = console.get("/admin/notifications/replytoaddress/add/")

    assert "tides@example.org" in shown.content.decode()
    assert "buses@example.org" not in shown.content.decode()
    assert f'value="{tides.pk}" selected' in form.content.decode()


@pytest.mark.parametrize("wish", ["nonsense", "8e222534-7f05-4972-86e3-17c5d9f894e2"])
def test_a_list_of_an_unknown_service_is_not_found(console, wish):
    assert console.get(f"/admin/notifications/template/?in_service={wish}").status_code == 404


def test_a_list_of_another_persons_service_is_not_found(db):
    client = colleague(factories.make_service(), Role.SEE_ACTIVITY)
    other = factories.make_service(name="Buses")

    assert client.get(f"/admin/notifications/template/?in_service={other.pk}").status_code == 404


def test_a_page_links_to_no_list_without_permission(db):
    service = factories.make_service()
    client = colleague(service, Role.SEE_ACTIVITY)

    page = client.get(page_of(service, "change")).content.decode()
    keys = client.get("/admin/notifications/apikey/").content.decode()

    assert "in_service" not in page
    assert "/admin/notifications/guestlistentry/" not in keys


def test_a_service_can_be_created_from_the_switcher(console):
    factories.make_service()

    page = console.get("/admin/").content.decode()

    switcher = re.search(r'<details class="sb-switcher">.*?</details>', page, re.DOTALL)[0]
    assert f'href="{ADD}">Create service</a>' in switcher


def test_the_switcher_offers_a_new_service_to_operators_only(db):
    client = colleague(factories.make_service(), *Role)

    assert ADD not in client.get("/admin/").content.decode()


def test_the_page_for_going_live_shows_missing_settings_and_daily_limits(console, settings):
    settings.DEFAULT_SMS_SENDER = "HARBOUR"
    service = factories.make_service(live=False, permissions=["sms"])
    factories.make_sms_sender(service, "HARBOUR", is_default=True)

    page = console.get(page_of(service, "go-live")).content.decode()

    assert "This service has no template yet." in page
    assert "Nobody in the team can manage this service" in page
    assert "Text messages come from HARBOUR, the sender of every new service." in page
    assert "international text messages per day." in page


def test_international_texts_are_shown_within_the_limit_of_all_texts(console):
    service = factories.make_service(daily_limit_sms=50, daily_limit_international_sms=100)

    page = console.get(page_of(service, "change")).content.decode()

    assert "Set to 100, but the limit for text messages is lower." in page
