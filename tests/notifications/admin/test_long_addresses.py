"""Lists break a long email address after "@" and ".", never in a word."""

from collections.abc import Callable

import pytest
from django.test import Client

from notifications.models import Channel, Service
from tests import factories

LONG = "grace.hopper@department.of.high.water.example.org"
LISTS: dict[str, Callable[[Service], object]] = {
    "guestlistentry": lambda service: factories.make_guest(service, LONG),
    "notification": lambda service: factories.make_notification(
        factories.make_template(service, Channel.EMAIL), recipient=LONG
    ),
    "suppression": lambda service: factories.make_suppression(service, LONG),
    "unsubscriberequest": lambda service: factories.make_unsubscribe_request(
        factories.make_template(service, Channel.EMAIL), LONG
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("kind", LISTS)
def test_a_list_breaks_a_long_address_at_its_signs(console: Client, kind: str) -> None:
    LISTS[kind](factories.make_service())

    page = console.get(f"/admin/notifications/{kind}/").content.decode()

    assert "@<wbr>department.<wbr>of.<wbr>high.<wbr>" in page
