"""Changes by a provision document are audited: an event for each row with old and new values, and the user."""

import getpass
import uuid
from typing import Any

import pytest

from config.audit.models import AuditEvent
from config.console import audit_sentences
from notifications.models import ApiKey
from tests.notifications.management.test_provision import apply_one, template

pytestmark = pytest.mark.django_db


def events() -> dict[tuple[str, str, str], AuditEvent]:
    """Return the events by verb, kind and label."""
    found = list(AuditEvent.objects.all())
    by_key = {(event.verb, event.object_kind, event.object_label): event for event in found}
    assert len(by_key) == len(found)
    return by_key


def later(**service: Any) -> dict[tuple[str, str, str], AuditEvent]:
    """Apply a document to the service and return its audit events."""
    before = set(AuditEvent.objects.values_list("pk", flat=True))
    apply_one(**service)
    return {key: event for key, event in events().items() if event.pk not in before}


def test_each_row_of_a_new_service_has_an_event_that_names_it():
    apply_one(
        team=[{"email_address": "ann@example.org"}],
        guest_list={"email_addresses": ["guest@example.org"], "phone_numbers": ["07700900301"]},
        sms_senders=[{"sender": "PARKS"}],
        reply_to_addresses=[{"email_address": "parks@example.org"}],
        templates=[template()],
        api_keys=[{"name": "pay", "type": "live"}],
        callbacks={
            "delivery_status": {"url": "https://hooks.example.org/x?secret=1", "bearer_token": "a-bearer-token"}
        },
    )

    assert set(events()) == {
        ("created", "service", "Parks"),
        ("created", "teammember", "a…@example.org"),
        ("created", "guestlistentry", "g…@example.org"),
        ("created", "guestlistentry", "07•••••301"),
        ("created", "smssender", "PARKS"),
        ("created", "replytoaddress", "parks@example.org"),
        ("created", "template", "Letter"),
        ("created", "apikey", "pay"),
        ("created", "callbackendpoint", "Delivery status to hooks.example.org"),
    }
    everything = str(list(AuditEvent.objects.values()))
    for hidden in ("ann@", "guest@", "07700900301", "a-bearer-token", ApiKey.objects.get().secret):
        assert hidden not in everything


def test_the_events_name_the_service_and_the_account_that_ran_the_command():
    done = apply_one()

    event = AuditEvent.objects.get()
    assert str(event.service_id) == done["id"]
    assert (event.actor_kind, event.actor_id) == ("command", getpass.getuser())
    assert audit_sentences.sentence(event) == f"Command line ({getpass.getuser()}) created the service “Parks”"


def test_a_changed_number_has_old_and_new_values():
    apply_one(daily_limits={"email": 50})

    assert {key: (event.before, event.after) for key, event in later(daily_limits={"email": 5000}).items()} == {
        ("changed", "service", "Parks"): ({"daily_limit_email": 50}, {"daily_limit_email": 5000})
    }


def test_an_action_has_the_same_verb_as_in_the_console():
    secret = str(uuid.uuid4())
    apply_one(
        reply_to_addresses=[{"email_address": "parks@example.org"}],
        sms_senders=[{"sender": "OLD", "default": True}, {"sender": "NEW", "default": False}],
        templates=[template()],
        api_keys=[{"name": "pay", "type": "live", "secret": secret}],
    )

    found = later(
        live=True,
        sms_senders=[{"sender": "NEW", "default": True}],
        templates=[template(archived=True)],
        api_keys=[{"secret": secret, "revoked": True}],
    )

    assert {key: (event.before, event.after) for key, event in found.items() if key[0] != "revoked"} == {
        ("made_live", "service", "Parks"): ({"live": False}, {"live": True}),
        ("changed", "smssender", "OLD"): ({"is_default": True}, {"is_default": False}),
        ("made_default", "smssender", "NEW"): ({"is_default": False}, {"is_default": True}),
        ("archived", "template", "Letter"): (
            {"archived_at": None},
            found["archived", "template", "Letter"].after,
        ),
    }
    assert set(found["revoked", "apikey", "pay"].after) == {"revoked_at", "revoked_by"}


def test_a_new_version_is_audited_with_the_changed_words_only():
    apply_one(templates=[template()])

    found = later(templates=[template(content="Dear all")])

    event = found["published", "template", "Letter"]
    assert len(found) == 1
    assert (event.before, event.after) == ({"content": "Dear ((name))"}, {"content": "Dear all"})
    assert audit_sentences.sentence(event).endswith("published a new version of the template “Letter”")


def test_removed_members_and_guests_are_masked_in_the_audit():
    apply_one(
        team=[{"email_address": "ann@example.org"}],
        guest_list={"email_addresses": ["guest@example.org"], "phone_numbers": []},
    )

    found = later(team=[], guest_list={"email_addresses": [], "phone_numbers": []})

    assert set(found) == {
        ("removed", "teammember", "a…@example.org"),
        ("removed", "guestlistentry", "g…@example.org"),
    }
    assert found["removed", "teammember", "a…@example.org"].before["email_address"] == "a…@example.org"


def test_a_replaced_secret_is_audited_by_fingerprints():
    callback = {"url": "https://hooks.example.org/x", "bearer_token": "a-bearer-token"}
    apply_one(callbacks={"delivery_status": callback})

    found = later(callbacks={"delivery_status": {**callback, "bearer_token": "another-token"}})

    event = found["changed", "callbackendpoint", "Delivery status to hooks.example.org"]
    assert list(event.after) == ["bearer_token"]
    assert event.after["bearer_token"].startswith("sha256:")
    assert event.after != event.before


def test_the_same_document_again_causes_no_event():
    document = {"templates": [template()], "team": [{"email_address": "ann@example.org"}]}
    apply_one(**document)

    assert later(**document) == {}
