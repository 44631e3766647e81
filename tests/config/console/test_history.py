"""The history of a row is part of the audit and needs the same permission.

Source: docs/reference/console.md §2.18.
"""

import pytest

from config import audit
from notifications.models import Role
from tests import factories
from tests.datasets.making import make_data_set
from tests.people import browser_of, colleague, make_person


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def key(service):
    key = factories.make_api_key(service, name="pay-app")
    audit.record(audit.COMMAND, "revoked", object_kind="apikey", object_id=key.pk, service_id=service.pk)
    return key


def pages(key):
    place = f"/admin/notifications/apikey/{key.pk}/"
    return f"{place}change/", f"{place}history/"


@pytest.mark.parametrize("role", [Role.SEE_ACTIVITY, Role.MANAGE_API, Role.EDIT_TEMPLATES])
def test_permission_to_see_a_row_does_not_include_its_history(service, key, role):
    jo = colleague(service, role, Role.SEE_ACTIVITY)
    page, history = pages(key)

    assert jo.get(history).status_code == 403
    assert history not in jo.get(page).content.decode()


def test_a_manager_of_the_service_reads_the_history(service, key):
    mo = colleague(service, Role.MANAGE_SERVICE, Role.SEE_ACTIVITY)
    page, history = pages(key)

    assert history in mo.get(page).content.decode()
    assert "revoked the API key" in mo.get(history).content.decode()


def test_a_manager_of_another_service_does_not_read_the_history(key):
    assert colleague(factories.make_service(), *Role).get(pages(key)[1]).status_code == 404


def test_owners_read_the_history_of_their_data_set_and_only_operators_that_of_accounts(console, db):
    owner = make_person()
    data_set = make_data_set()
    data_set.owners.add(owner)

    assert browser_of(owner).get(f"/admin/datasets/dataset/{data_set.pk}/history/").status_code == 200
    assert browser_of(owner).get(f"/admin/auth/user/{owner.pk}/history/").status_code == 403
    assert console.get(f"/admin/auth/user/{owner.pk}/history/").status_code == 200


def test_a_services_page_links_to_its_history_for_people_with_permission(service):
    place = f"/admin/notifications/service/{service.pk}/"

    assert f"{place}history/" in colleague(service, Role.MANAGE_SERVICE).get(f"{place}change/").content.decode()
    assert f"{place}history/" not in colleague(service, Role.SEE_ACTIVITY).get(f"{place}change/").content.decode()
