"""Roles: the permissions in a service, and which service the pages show.

Source: docs/reference/console.md §1.3, §1.4.
"""

import re

from django.contrib.auth.models import Permission
from django.urls import reverse

from notifications.models import Role
from tests import factories
from tests.datasets import making
from tests.people import browser_of, colleague, join, make_person

LOG = reverse("admin:notifications_notification_changelist")
TEMPLATES = reverse("admin:notifications_template_changelist")
SWITCH = reverse("admin:switch_service")


def without_token(answer):
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", answer.content.decode()).replace(
        answer.request["PATH_INFO"], ""
    )


def text_of(client, address):
    return client.get(address).content.decode()


def test_roles_decide_and_no_permission_of_the_framework_is_needed(db):
    client = colleague(factories.make_service(), Role.EDIT_TEMPLATES)

    assert client.get(TEMPLATES).status_code == 200
    assert client.get(reverse("admin:notifications_template_add")).status_code == 200
    assert client.get(LOG).status_code == 403


def test_the_role_to_see_activity_changes_nothing(db):
    service = factories.make_service()
    template = factories.make_template(service)
    client = colleague(service, Role.SEE_ACTIVITY)
    page = reverse("admin:notifications_template_change", args=[template.pk])

    assert client.get(page).status_code == 200
    assert client.post(page, {"name": "Mine"}).status_code == 403
    assert client.post(reverse("admin:notifications_template_archive", args=[template.pk])).status_code == 403
    assert client.get(reverse("admin:notifications_template_add")).status_code == 403


def test_a_row_of_another_service_looks_like_a_missing_one(db):
    foreign = factories.make_template()
    client = colleague(factories.make_service(), Role.EDIT_TEMPLATES)
    page = reverse("admin:notifications_template_change", args=[foreign.pk])

    there = client.get(page)
    foreign.versions.all().delete()
    foreign.delete()
    gone = client.get(page)

    assert there.status_code == gone.status_code == 404
    assert without_token(there) == without_token(gone)


def test_recipients_are_masked_without_the_role_to_see_them(db):
    service = factories.make_service()
    factories.make_notification(factories.make_template(service), recipient="ana@example.org")

    masked = text_of(colleague(service, Role.SEE_ACTIVITY), LOG)
    whole = text_of(colleague(service, Role.SEE_RECIPIENTS), LOG)

    assert "a…@example.org" in masked
    assert "ana@example.org" not in masked
    assert "ana@example.org" in whole


def test_lists_follow_the_chosen_service(db):
    person, tides, buses = make_person(), factories.make_service(name="Tides"), factories.make_service(name="Buses")
    factories.make_template(tides, name="High water")
    factories.make_template(buses, name="Late bus")
    join(person, tides, Role.EDIT_TEMPLATES)
    join(person, buses, Role.EDIT_TEMPLATES)
    client = browser_of(person)

    first = text_of(client, TEMPLATES)
    answer = client.post(SWITCH, {"service": str(tides.pk), "next": f"{TEMPLATES}?type__exact=email"})
    second = text_of(client, TEMPLATES)

    assert "Late bus" in first
    assert "High water" not in first
    assert answer["Location"] == TEMPLATES
    assert "High water" in second
    assert "Late bus" not in second


def test_the_permissions_are_those_of_the_chosen_service(db):
    person, tides, buses = make_person(), factories.make_service(name="Tides"), factories.make_service(name="Buses")
    join(person, tides, Role.EDIT_TEMPLATES)
    join(person, buses, Role.MANAGE_API)
    client = browser_of(person)

    assert client.get(f"{TEMPLATES}add/").status_code == 403
    assert "For developers" in text_of(client, "/admin/")
    assert client.post(SWITCH, {"service": str(tides.pk), "next": "/admin/"})["Location"] == "/admin/"
    assert client.get(TEMPLATES).status_code == 200
    assert client.get("/admin/notifications/apikey/").status_code == 302  # to the service where it opens


def test_another_persons_service_cannot_be_chosen(db):
    client, foreign = colleague(factories.make_service(), Role.SEE_ACTIVITY), factories.make_service()

    assert client.post(SWITCH, {"service": str(foreign.pk)}).status_code == 404
    assert client.post(SWITCH, {"service": "all"}).status_code == 404
    assert client.post(SWITCH, {"service": "no-uuid"}).status_code == 404
    assert client.get(SWITCH).status_code == 405


def test_switching_stays_on_this_site_and_on_permitted_pages(db):
    person, tides = make_person(), factories.make_service()
    join(person, tides, Role.EDIT_TEMPLATES)
    client = browser_of(person)

    for place in ("https://evil.example/", "//evil.example/", "/\\evil.example", LOG, "/admin/nowhere-at-all/x/y/", ""):
        assert client.post(SWITCH, {"service": str(tides.pk), "next": place})["Location"] == "/admin/", place


def test_a_row_s_page_becomes_its_list_when_the_service_changes(db):
    person, tides = make_person(), factories.make_service()
    join(person, tides, Role.EDIT_TEMPLATES)
    page = reverse("admin:notifications_template_change", args=[factories.make_template(tides).pk])

    answer = browser_of(person).post(SWITCH, {"service": str(tides.pk), "next": page})

    assert answer["Location"] == TEMPLATES


def test_an_operator_sees_all_services_with_a_column_that_names_them(console):
    factories.make_template(factories.make_service(name="Tides"))
    other = factories.make_template(factories.make_service(name="Buses"), name="Late bus")

    everything = text_of(console, TEMPLATES)
    console.post(SWITCH, {"service": str(other.service_id)})
    one = text_of(console, TEMPLATES)

    assert "column-service" in everything
    assert "column-service" not in one
    assert "Late bus" in one
    assert one.count('class="field-called') <= 1


def test_a_person_without_a_service_learns_whom_to_ask(db):
    page = text_of(browser_of(make_person()), "/admin/")

    assert "Ask an operator to add you to a service." in page
    assert "Messages" not in page
    assert "Sandbox inbox" not in page


def test_a_removed_member_has_no_permissions(db):
    person, service = make_person(), factories.make_service()
    member = join(person, service, Role.SEE_ACTIVITY)
    client = browser_of(person)
    assert client.get(LOG).status_code == 200

    member.delete()

    assert client.get(LOG).status_code == 403


def test_settings_are_those_of_the_chosen_service(console):
    service = factories.make_service()

    everything = text_of(console, "/admin/")
    console.post(SWITCH, {"service": str(service.pk)})
    chosen = text_of(console, "/admin/")

    page = f"/admin/notifications/service/{service.pk}/"
    assert page not in everything
    assert f'href="{page}"' in chosen
    assert console.get(page)["Location"].endswith("/change/")


def test_services_and_users_are_for_operators(db, console):
    client = colleague(factories.make_service(), *Role)

    assert reverse("admin:auth_user_changelist") not in text_of(client, "/admin/")
    assert f'"{reverse("admin:notifications_service_changelist")}"' not in text_of(client, "/admin/")
    assert f'"{reverse("admin:notifications_service_changelist")}"' in text_of(console, "/admin/")


def test_the_ribbon_shows_whether_messages_are_really_sent(console, settings):
    sandbox = text_of(console, "/admin/")
    settings.PROVIDERS = {"smtp-1": "smtp://127.0.0.1:2525"}
    live = text_of(console, "/admin/")

    assert "sb-ribbon-warn" in sandbox
    assert "nothing is really sent" in sandbox
    assert "sb-ribbon-bad" in live
    assert "Live" in live


def test_the_switcher_needs_no_script(db):
    """It is a form in a `details` element, whose buttons post the choice."""
    service = factories.make_service(name="Tides")

    page = text_of(colleague(service, Role.SEE_ACTIVITY), "/admin/")

    assert f'<button type="submit" name="service" value="{service.pk}" aria-current="true">' in page
    assert f'action="{SWITCH}"' in page


def test_data_pages_ignore_the_switcher(db):
    person = make_person()
    join(person, factories.make_service(), Role.SEE_ACTIVITY)
    making.make_data_set().owners.add(person)

    assert "pay/volumes" in text_of(browser_of(person), reverse("admin:datasets_dataset_changelist"))


def test_an_owner_does_not_see_groups_of_other_data_sets(db):
    person = make_person()
    making.make_data_set("pay", "volumes").owners.add(person)
    making.make_data_set("secret-plans", "weekly")

    assert "secret-plans" not in text_of(browser_of(person), reverse("admin:datasets_dataset_changelist"))


def test_a_data_set_manager_needs_no_service(db):
    person = make_person()
    person.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    making.make_data_set()
    client = browser_of(person)

    assert "pay/volumes" in text_of(client, reverse("admin:datasets_dataset_changelist"))
    assert client.get(reverse("admin:datasets_datagroup_add")).status_code == 200
    assert client.get(LOG).status_code == 403


def test_a_list_is_shown_for_the_service_with_permission(db):
    ferries, tides = factories.make_service(name="Ferries"), factories.make_service(name="Tides")
    jo = make_person()
    join(jo, ferries, Role.SEE_ACTIVITY)
    join(jo, tides, Role.MANAGE_API)
    factories.make_guest(ferries, "ferry@example.org")
    factories.make_guest(tides, "tide@example.org")
    browser = browser_of(jo)

    answer = browser.get("/admin/notifications/guestlistentry/", follow=True)

    page = answer.content.decode()
    assert answer.status_code == 200
    assert "This page shows Tides. You cannot open it for the other service." in page
    assert "ferry@example.org" not in page
    assert "This page shows Ferries" in browser.get("/admin/notifications/notification/", follow=True).content.decode()


def test_a_list_without_permission_in_any_service_does_not_open(db):
    jo = make_person()
    for name in ("Ferries", "Tides"):
        join(jo, factories.make_service(name=name), Role.SEE_ACTIVITY)

    assert browser_of(jo).get("/admin/notifications/guestlistentry/").status_code == 403
