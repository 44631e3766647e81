"""A service that sends emails needs a reply-to address to go live, in every form of document."""

from typing import Any

import pytest
from django.db import transaction

from config.areas import DocumentErrors
from notifications.management import demo_document
from notifications.management.provision.services import provision
from notifications.models import Permission, Service
from tests import factories

pytestmark = pytest.mark.django_db

REFUSED = ["services[0].live: Add a reply-to address first: this service sends email."]
TEXTS = [Permission.SMS.value]


def errors_of(**service: Any) -> list[str]:
    errors = DocumentErrors()
    with transaction.atomic():
        provision([{"name": "Parks", **service}], errors)
        transaction.set_rollback(bool(errors.lines))
    return errors.lines


@pytest.mark.parametrize(
    ("stored", "document"),
    [
        (None, {"live": True}),
        (None, {"live": True, "reply_to_addresses": []}),
        ({"live": False}, {"live": True}),
        ({"live": True, "permissions": TEXTS}, {"permissions": ["sms", "email"]}),
        ({"live": True, "active": False}, {"active": True}),
    ],
    ids=["new", "new, with none", "from trial", "emails turned on", "restored"],
)
def test_without_a_reply_to_address_going_live_is_rejected(stored, document):
    if stored is not None:
        factories.make_service(name="Parks", **stored)
    before = list(Service.objects.values())

    assert errors_of(**document) == REFUSED
    assert list(Service.objects.values()) == before


@pytest.mark.parametrize(
    "document",
    [
        {"live": True, "reply_to_addresses": [{"email_address": "parks@example.org"}]},
        {"live": True, "permissions": TEXTS},
        {"live": True, "active": False},
        {"live": False},
    ],
    ids=["with one", "texts alone", "archived", "in trial"],
)
def test_with_a_reply_to_address_or_without_email_it_is_stored(document):
    assert errors_of(**document) == []
    assert Service.objects.get().live is document["live"]


def test_a_stored_address_counts_and_a_removed_one_does_not():
    service = factories.make_service(name="Parks", live=False)
    address = factories.make_reply_to(service)
    address.archived_at, address.is_default = address.created_at, False
    address.save()
    assert errors_of(live=True) == REFUSED

    factories.make_reply_to(service, "again@example.org")

    assert errors_of(live=True) == []


def test_a_live_service_without_a_reply_to_address_can_be_changed():
    factories.make_service(name="Parks", live=True)

    assert errors_of(live=True, retention_days=30) == []
    assert Service.objects.get().retention_days == 30


def test_the_demo_document_can_go_live():
    errors = DocumentErrors()

    provision(demo_document.DOCUMENT, errors)

    assert errors.lines == []
