"""Services in a provision document: created, changed and kept values. Source: docs/reference/sending-api.md §22."""

import json
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from config import audit
from config.areas import DocumentErrors
from config.audit.models import AuditEvent
from config.management.commands.provision import apply as apply_document
from datasets.models import DataSet
from notifications.jobs import limits
from notifications.management.provision.services import provision
from notifications.models import (
    ApiKey,
    CallbackEndpoint,
    Channel,
    GuestListEntry,
    KeyType,
    LimitChange,
    ReplyToAddress,
    Service,
    ServiceLimit,
    SmsSender,
    TeamMember,
    Template,
    TemplateVersion,
    VersionState,
)
from tests import factories
from tests.datasets.making import make_data_set

pytestmark = pytest.mark.django_db

FIXTURE = Path(__file__).parents[2] / "vectors" / "notifications-fixture.json"
MODELS = (
    ApiKey, CallbackEndpoint, GuestListEntry, ReplyToAddress, Service, SmsSender, TeamMember, Template, TemplateVersion,
)  # fmt: skip


def apply(*services: dict[str, Any]) -> list[dict[str, Any]]:
    errors = DocumentErrors()
    with transaction.atomic():
        completed = provision(list(services), errors)
    assert errors.lines == []
    return completed  # type: ignore[return-value]


def apply_one(**service: Any) -> dict[str, Any]:
    return apply({"name": "Parks", **service})[0]


def errors_of(*services: Any) -> list[str]:
    errors = DocumentErrors()
    provision(list(services), errors)
    return errors.lines


def everything_stored() -> dict[str, list[dict[str, Any]]]:
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in MODELS}


def test_the_whole_fixture_applies_and_a_second_time_changes_nothing():
    document = json.loads(FIXTURE.read_text())["services"]

    first = apply(*document)
    stored = everything_stored()
    events = AuditEvent.objects.count()
    second = apply(*document)

    assert first == second
    assert everything_stored() == stored
    assert AuditEvent.objects.count() == events
    assert [service["id"] for service in first] == [service["id"] for service in document]


def test_fresh_copies_of_a_service_may_share_its_name_and_cost_few_queries(django_assert_max_num_queries):
    copies = [
        {"id": str(uuid.uuid4()), "name": "Copy", "templates": [template(), template(name="b")]} for _ in range(40)
    ]

    with django_assert_max_num_queries(30):
        apply(*copies)

    assert Service.objects.filter(name="Copy").count() == 40
    assert TemplateVersion.objects.count() == 80


def template(**fields: Any) -> dict[str, Any]:
    return {"type": "email", "name": "Letter", "subject": "Hi", "content": "Dear ((name))", **fields}


def test_the_document_is_returned_completed():
    secret = str(uuid.uuid4())

    done = apply_one(
        templates=[template()],
        sms_senders=[{"sender": "PARKS", "default": True}],
        reply_to_addresses=[{"email_address": "parks@example.org", "default": True}],
        api_keys=[{"name": "made", "type": "live"}, {"name": "given", "type": "test", "secret": secret}],
    )

    assert Service.objects.get(id=done["id"]).name == "Parks"
    assert Template.objects.get(id=done["templates"][0]["id"]).name == "Letter"
    assert SmsSender.objects.get(id=done["sms_senders"][0]["id"]).is_default
    assert ReplyToAddress.objects.get(id=done["reply_to_addresses"][0]["id"]).is_default
    made = ApiKey.objects.get(name="made")
    assert done["api_keys"][0]["api_key"] == f"made-{done['id']}-{made.secret}"
    assert done["api_keys"][1]["api_key"] == f"given-{done['id']}-{secret}"


def test_a_key_manages_templates_only_if_the_document_says_so():
    apply_one(
        api_keys=[{"name": "sends", "type": "live"}, {"name": "deploys", "type": "team", "manage_templates": True}]
    )

    assert dict(ApiKey.objects.values_list("name", "manages_templates")) == {"sends": False, "deploys": True}


def test_a_key_is_limited_to_the_networks_of_the_document():
    apply_one(api_keys=[{"name": "office", "type": "live", "networks": "192.0.2.7, 2001:db8::/32"}])
    assert ApiKey.objects.get().allowed_networks == ["192.0.2.7/32", "2001:db8::/32"]

    apply_one(api_keys=[{"name": "office", "networks": ""}])
    assert ApiKey.objects.get().allowed_networks == []


def test_a_live_key_is_limited_to_the_messages_of_the_document():
    apply_one(api_keys=[{"name": "office", "type": "live", "daily_limit": 500}])

    assert ApiKey.objects.get().daily_limit == 500


def test_a_secret_is_only_shown_for_new_keys():
    apply_one(api_keys=[{"name": "k", "type": "live"}])

    again = apply_one(api_keys=[{"name": "k"}])

    assert "api_key" not in again["api_keys"][0]


def test_a_new_service_has_the_defaults_of_a_trial(settings):
    settings.DAILY_LIMIT_TRIAL = 7

    apply_one()

    service = Service.objects.get()
    assert (service.live, service.active, service.prefix_sms, service.retention_days) == (False, True, False, 7)
    assert service.permissions == ["sms", "email", "international_sms"]
    assert (service.daily_limit_sms, service.daily_limit_email, service.daily_limit_international_sms) == (7, 7, 100)
    assert service.rate_limit_per_minute == 3000
    assert service.unsubscribe_request_days == 365


REPLY_TO = [{"email_address": "parks@example.org"}]


def test_a_new_live_service_has_the_limits_of_live_ones():
    apply_one(live=True, reply_to_addresses=REPLY_TO)

    service = Service.objects.get()
    assert (service.daily_limit_sms, service.daily_limit_email) == (250_000, 250_000)


def test_missing_values_stay_unchanged():
    apply_one(unsubscribe_request_days=30)
    apply_one(prefix_sms=True, retention_days=30, templates=[template()], team=[{"email_address": "a@example.org"}])

    apply_one(live=True, reply_to_addresses=REPLY_TO)

    service = Service.objects.get()
    assert (service.live, service.prefix_sms, service.retention_days) == (True, True, 30)
    assert service.unsubscribe_request_days == 30
    assert (service.templates.count(), service.team.count()) == (1, 1)


def test_changed_content_becomes_the_next_version_byte_for_byte():
    apply_one(templates=[template()])

    apply_one(templates=[template(content=" Dear\r\n((name)) \n")])

    stored = Template.objects.get()
    assert stored.current_version == 2
    assert stored.updated_at is not None
    assert [version.content for version in stored.versions.order_by("number")] == [
        "Dear ((name))",
        " Dear\r\n((name)) \n",
    ]


def test_changed_content_is_published_instead_of_drafts():
    apply_one(templates=[template()])
    factories.make_draft(Template.objects.get(), "two", state=VersionState.TEST)
    factories.make_draft(Template.objects.get(), "three")

    apply_one(templates=[template(content="four")])

    stored = Template.objects.get()
    assert (stored.current_version, stored.published().content) == (4, "four")
    states = stored.versions.order_by("number").values_list("state", flat=True)
    assert list(states) == ["published", "replaced", "replaced", "published"]
    apply_one(templates=[template(content="four")])
    assert stored.versions.count() == 4


def test_unchanged_content_leaves_the_draft():
    apply_one(templates=[template()])
    factories.make_draft(Template.objects.get(), "two")

    apply_one(templates=[template()])

    assert Template.objects.get().versions.get(number=2).state == VersionState.DRAFT


def test_a_template_found_by_id_can_get_another_name():
    identifier = str(uuid.uuid4())
    apply_one(templates=[template(id=identifier)])

    apply_one(templates=[{"id": identifier, "name": "Renamed"}])

    stored = Template.objects.get()
    assert (stored.name, stored.versions.get(number=2).name) == ("Renamed", "Renamed")
    assert stored.versions.get(number=2).content == "Dear ((name))"


def test_templates_of_one_name_and_both_types_are_separate():
    apply_one(templates=[template(), {"type": "sms", "name": "Letter", "content": "x"}])

    assert Template.objects.count() == 2


def test_a_template_can_be_archived_and_restored():
    apply_one(templates=[template(archived=True)])
    assert Template.objects.get().archived_at is not None

    apply_one(templates=[template(archived=False)])
    assert Template.objects.get().archived_at is None
    assert TemplateVersion.objects.count() == 1


def test_archiving_a_service_sets_its_moment_and_restoring_clears_it():
    apply_one(active=False)
    assert Service.objects.get().archived_at is not None

    apply_one(active=True)
    assert Service.objects.get().archived_at is None


def test_team_and_guest_list_are_replaced_and_remaining_rows_stay():
    apply_one(
        team=[{"email_address": "Ann@example.org", "phone_number": "07700 900201"}, {"email_address": "b@example.org"}],
        guest_list={"email_addresses": ["g@example.org"], "phone_numbers": ["07700900301"]},
    )
    ann = TeamMember.objects.get(normalised_email="ann@example.org")

    apply_one(team=[{"email_address": "ann@example.org"}], guest_list={"email_addresses": ["g@example.org"]})

    kept = TeamMember.objects.get()
    assert (kept.id, kept.email_address, kept.phone_number, kept.normalised_phone) == (
        ann.id, "ann@example.org", "", "",
    )  # fmt: skip
    assert [entry.normalised for entry in GuestListEntry.objects.all()] == ["g@example.org"]


def test_the_default_sender_can_change():
    apply_one(sms_senders=[{"sender": "OLD", "default": True}])

    apply_one(sms_senders=[{"sender": "NEW", "default": True}])

    assert {row.sender: row.is_default for row in SmsSender.objects.all()} == {"OLD": False, "NEW": True}


def test_the_default_can_change_between_stored_senders():
    apply_one(sms_senders=[{"sender": "ONE", "default": True}, {"sender": "TWO", "default": False}])

    apply_one(sms_senders=[{"sender": "ONE", "default": False}, {"sender": "TWO", "default": True}])
    apply_one(sms_senders=[{"sender": "TWO", "default": False}, {"sender": "ONE", "default": True}])

    assert {row.sender: row.is_default for row in SmsSender.objects.all()} == {"ONE": True, "TWO": False}


def test_the_first_sender_is_the_default():
    apply_one(sms_senders=[{"sender": "ONE"}, {"sender": "TWO"}])

    assert {row.sender: row.is_default for row in SmsSender.objects.all()} == {"ONE": True, "TWO": False}


def test_a_key_is_revoked_permanently():
    secret = str(uuid.uuid4())
    apply_one(api_keys=[{"name": "k", "type": "live", "secret": secret}])

    apply_one(api_keys=[{"name": "k", "secret": secret, "revoked": True}])

    key = ApiKey.objects.get()
    assert key.revoked_at is not None
    assert errors_of({"name": "Parks", "api_keys": [{"secret": secret, "revoked": False}]}) == [
        "services[0].api_keys[0].revoked: cannot be undone: create another key"
    ]


def test_a_former_signing_secret_signs_too_for_a_day():
    old, new = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
    callback = {"url": "https://hooks.example.org/status", "bearer_token": "a-bearer-token"}
    apply_one(callbacks={"delivery_status": {**callback, "signing_secret": old}})

    apply_one(callbacks={"delivery_status": {**callback, "signing_secret": new}})

    endpoint = CallbackEndpoint.objects.get()
    now = timezone.now()
    assert endpoint.signing_secrets(now) == [new, old]
    assert endpoint.signing_secrets(now + timedelta(hours=25)) == [new]


def test_named_callbacks_have_their_events_and_repeated_ones_change_nothing():
    of_url = {"url": "https://hooks.example.org/", "bearer_token": "a-bearer-token"}
    callbacks = {
        "delivery_status": of_url,
        "endpoints": [
            {"name": "Case system", **of_url, "events": ["suppression.added", "message.failed"]},
            {"name": "Archive", **of_url, "format": "delivery_status"},
        ],
    }
    apply_one(callbacks=callbacks)
    stored = everything_stored()

    apply_one(callbacks=callbacks)

    assert everything_stored() == stored
    found = CallbackEndpoint.objects.order_by("name").values_list("name", "kind", "events")
    assert list(found) == [
        ("", "delivery_status", []),
        ("Archive", "delivery_status", []),
        ("Case system", "events", ["message.failed", "suppression.added"]),
    ]


def test_callbacks_name_the_data_sets_of_their_events():
    endpoint = {"name": "Monitor", "url": "https://hooks.example.org/", "bearer_token": "a-bearer-token"}
    watching = {**endpoint, "events": ["data_set.late", "message.failed"]}
    both: dict[str, object] = {
        "services": [{"name": "Parks", "callbacks": {"endpoints": [{**watching, "data_sets": ["pay/volumes"]}]}}],
        "data_sets": [{"group": "pay", "type": "volumes"}],
    }
    for _ in range(2):
        errors = DocumentErrors()
        apply_document(both, errors)
        assert errors.lines == []
    data_set = DataSet.objects.get()
    assert CallbackEndpoint.objects.get().data_sets == [data_set.pk]

    apply_one(name="Parks", callbacks={"endpoints": [watching]})  # keeps them
    assert CallbackEndpoint.objects.get().data_sets == [data_set.pk]

    apply_one(name="Parks", callbacks={"endpoints": [{**endpoint, "events": ["message.failed"]}]})
    assert CallbackEndpoint.objects.get().data_sets == []


@pytest.mark.parametrize(
    ("endpoint", "error"),
    [
        ({"name": "A", "events": ["data_set.late"]}, "data_sets: Choose at least one data set."),
        (
            {"name": "A", "events": ["data_set.late"], "data_sets": ["pay/none"]},
            "data_sets: pay/none is not a data set",
        ),
        ({"name": "A", "events": ["data_set.late"], "data_sets": ["/"]}, "data_sets: / is not a data set"),
        ({"name": "A", "events": ["message.failed"], "data_sets": ["pay/volumes"]}, "data_sets: Choose an event of"),
        ({"name": "A", "events": ["data_set.late"], "data_sets": [7]}, "data_sets[0]: "),
        ({"name": "A"}, "events: Choose at least one event."),
        ({"name": "A", "events": ["weather"]}, "events[0]: must be one of message.delivered, "),
        (
            {"name": "A", "format": "received_text_message", "events": ["message.failed"]},
            "events: message.failed is not",
        ),
        ({"name": " ", "events": ["message.failed"]}, "name: Enter a name of at most 60 characters, on one line."),
        ({"events": ["message.failed"]}, "name: is required"),
        ({"name": "A", "format": "request"}, "format: must be one of delivery_status, "),
        ({"name": "Old", "events": ["message.failed"]}, "format: cannot be changed from delivery_status"),
    ],
)
def test_wrong_named_callbacks_are_rejected(endpoint, error):
    of_url = {"url": "https://hooks.example.org/", "bearer_token": "a-bearer-token"}
    apply_one(callbacks={"endpoints": [{"name": "Old", **of_url, "format": "delivery_status"}]})
    make_data_set("pay", "volumes")

    found = errors_of({"name": "Parks", "callbacks": {"endpoints": [of_url | endpoint]}})

    assert [line.startswith(f"services[0].callbacks.endpoints[0].{error}") for line in found] == [True], found


@pytest.mark.parametrize("kind", ["delivery_status", "received_text_message", "unsubscribe_request"])
def test_callbacks_are_encrypted_and_repeated_ones_change_nothing(kind):
    callbacks = {
        kind: {
            "url": "https://hooks.example.org/status",
            "bearer_token": "a-bearer-token",
            "signing_secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        }
    }
    apply_one(callbacks=callbacks)
    stored = everything_stored()

    apply_one(callbacks=callbacks)

    assert everything_stored() == stored
    endpoint = CallbackEndpoint.objects.get()
    assert endpoint.kind == kind
    assert b"a-bearer-token" not in bytes(endpoint.encrypted_bearer_token)
    assert (endpoint.bearer_token, endpoint.signing_secret) == (
        "a-bearer-token",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    )


FAULTY = [
    ({"name": 7}, "services[0].name: must be a string"),
    ({"name": " "}, "services[0].name: Enter a name."),
    ({"name": "x" * 256}, "services[0].name: Use at most 255 characters. You entered 256."),
    ({"name": "a\0b"}, "services[0].name: must not contain NUL or lone surrogates"),
    ({}, "services[0].name: is required"),
    ({"name": "P", "colour": 1}, "services[0].colour: is not a known key"),
    ({"name": "P", "id": "x"}, "services[0].id: must be a UUID such as 00000000-0000-4000-8000-000000000000"),
    ({"name": "P", "api_keys": [{"name": "k", "type": "test", "daily_limit": 5}]},
     "services[0].api_keys[0].daily_limit: is not for test keys: their messages are not counted"),
    ({"name": "P", "live": 1}, "services[0].live: must be true or false"),
    ({"name": "P", "permissions": ["fax"]},
     "services[0].permissions[0]: must be one of sms, email, international_sms, sms_to_uk_landlines"),
    ({"name": "P", "retention_days": 2}, "services[0].retention_days: Messages can be kept for 3 to 90 days."),
    ({"name": "P", "retention_days": True}, "services[0].retention_days: must be a whole number"),
    ({"name": "P", "unsubscribe_request_days": 29},
     "services[0].unsubscribe_request_days: Done unsubscribe requests can be kept for 30 to 730 days."),
    ({"name": "P", "unsubscribe_request_days": 731},
     "services[0].unsubscribe_request_days: Done unsubscribe requests can be kept for 30 to 730 days."),
    ({"name": "P", "unsubscribe_request_days": -1},
     "services[0].unsubscribe_request_days: Done unsubscribe requests can be kept for 30 to 730 days."),
    ({"name": "P", "unsubscribe_request_days": 9.5}, "services[0].unsubscribe_request_days: must be a whole number"),
    ({"name": "P", "rate_limit_per_minute": 0},
     "services[0].rate_limit_per_minute: Enter 1 or more. A rate limit of 0 rejects every request."),
    ({"name": "P", "daily_limits": {"sms": -1}},
     "services[0].daily_limits.sms: Enter a number from 0 to 2,147,483,647."),
    ({"name": "P", "daily_limits": {"fax": 1}}, "services[0].daily_limits.fax: is not a known key"),
    ({"name": "P", "file_contact": "999"},
     "services[0].file_contact: Phone number cannot be an emergency number"),
    ({"name": "P", "team": [{"phone_number": "07700900201"}]}, "services[0].team[0].email_address: is required"),
    ({"name": "P", "team": [{"email_address": "nobody"}]},
     "services[0].team[0].email_address: Not a valid email address"),
    ({"name": "P", "team": [{"email_address": "a@b.org"}, {"email_address": "A@b.org"}]},
     "services[0].team[1].email_address: is given twice"),
    ({"name": "P", "guest_list": {"phone_numbers": ["0800"]}},
     "services[0].guest_list.phone_numbers[0]: Not a UK mobile number"),
    ({"name": "P", "guest_list": {"numbers": []}}, "services[0].guest_list.numbers: is not a known key"),
    ({"name": "P", "sms_senders": [{"sender": "A!"}]},
     "services[0].sms_senders[0].sender: ! is not allowed here: use letters, digits, spaces or & . - _"),
    ({"name": "P", "sms_senders": [{"sender": "0044"}]},
     "services[0].sms_senders[0].sender: Enter a sender that does not begin with 00: networks replace it."),
    ({"name": "P", "sms_senders": [{"sender": "ONE", "default": True}, {"sender": "TWO", "default": True}]},
     "services[0].sms_senders[1].default: is already true for another sender"),
    ({"name": "P", "reply_to_addresses": [{"email_address": "x"}]},
     "services[0].reply_to_addresses[0].email_address: "
     "Enter an email address in the correct format, like name@example.com"),
    ({"name": "P", "templates": [{"type": "fax", "name": "t", "content": ""}]},
     "services[0].templates[0].type: must be one of sms, email"),
    ({"name": "P", "templates": [{"type": "email", "name": "t", "content": "x"}]},
     "services[0].templates[0].subject: is required"),
    ({"name": "P", "templates": [{"type": "sms", "name": "t", "subject": "s", "content": "x"}]},
     "services[0].templates[0].subject: is for emails only"),
    ({"name": "P", "templates": {"type": "sms"}}, "services[0].templates: must be a list"),
    ({"name": "P", "templates": [7]}, "services[0].templates[0]: must be an object"),
    ({"name": "P", "api_keys": [{"name": "a b", "type": "live"}]},
     "services[0].api_keys[0].name: A space is not allowed here: use letters, digits, _ and -"),
    ({"name": "P", "api_keys": [{"name": "a"}]}, "services[0].api_keys[0].type: is required"),
    ({"name": "P", "api_keys": [{"name": "a", "type": "live"}, {"name": "a", "type": "team"}]},
     "services[0].api_keys[1].name: is given twice"),
    ({"name": "P", "callbacks": {"delivery_status": {"url": "http://example.org/x", "bearer_token": "0123456789"}}},
     "services[0].callbacks.delivery_status.url: must start with https://"),
    ({"name": "P", "callbacks": {"delivery_status": {"url": "https://10.0.0.1/x", "bearer_token": "0123456789"}}},
     "services[0].callbacks.delivery_status.url: must not lead to a private network"),
    ({"name": "P", "callbacks": {"delivery_status": {"url": "https://b.example/x"}}},
     "services[0].callbacks.delivery_status.bearer_token: is required"),
    ({"name": "P", "callbacks": {"delivery_status": {"url": "https://a.example/x", "bearer_token": "short"}}},
     "services[0].callbacks.delivery_status.bearer_token: "
     "Enter 10 to 2000 letters, digits or symbols, without spaces and accents."),
    ({"name": "P", "callbacks": {"delivery_status": {"url": "https://a.example/x", "bearer_token": "a blank token"}}},
     "services[0].callbacks.delivery_status.bearer_token: "
     "Enter 10 to 2000 letters, digits or symbols, without spaces and accents."),
    ({"name": "P", "callbacks": {"delivery_status":
      {"url": "https://a.example/x", "bearer_token": "0123456789", "signing_secret": "whsec_x"}}},
     "services[0].callbacks.delivery_status.signing_secret: must be whsec_ and 24 to 64 bytes in base64"),
]  # fmt: skip


FAULTY += [
    ({"name": "P", "id": "00000000-0000-1000-8000-000000000000"},
     "services[0].id: must be a version 4 UUID: client libraries reject API keys with any other"),
    ({"name": "P", "api_keys": [{"name": "k", "type": "test", "secret": "00000000-0000-7000-8000-000000000000"}]},
     "services[0].api_keys[0].secret: must be a version 4 UUID: client libraries reject API keys with any other"),
    ({"name": "P", "templates": [{"type": "sms", "name": "t", "content": " "}]},
     "services[0].templates[0].content: Enter the message."),
    ({"name": "P", "reply_to_addresses": [{"email_address": "A@example.org"}, {"email_address": "a@example.org"}]},
     "services[0].reply_to_addresses[1].email_address: This reply-to address already exists."),
]  # fmt: skip


@pytest.mark.parametrize(("service", "error"), FAULTY, ids=[error for _, error in FAULTY])
def test_an_error_names_its_place_and_nothing_is_stored(service, error):
    assert error in errors_of(service)
    assert Service.objects.count() == 0


def test_every_error_of_a_document_is_named():
    lines = errors_of({"name": 7, "live": "yes"}, {"name": "P", "x": 1})

    assert lines == [
        "services[0].name: must be a string",
        "services[0].live: must be true or false",
        "services[1].x: is not a known key",
    ]


def test_errors_of_several_services_are_all_reported():
    assert errors_of({"name": 7}, {"name": "P", "live": True}, {"name": "Q", "api_keys": [{"name": "k"}]}) == [
        "services[0].name: must be a string",
        "services[1].live: Add a reply-to address first: this service sends email.",
        "services[2].api_keys[0].type: is required",
    ]


def test_a_duplicate_secret_is_rejected():
    keys = [{"name": name, "type": "test", "secret": "5b2a6a3e-7c1a-4d0e-9a55-0c3f8f1f2a11"} for name in ("a", "b")]

    assert errors_of({"name": "P", "api_keys": keys}) == ["services[0].api_keys[1].secret: is given twice"]


def test_a_removed_sender_can_be_restored_by_id():
    first = apply_one(sms_senders=[{"sender": "ONE"}, {"sender": "TWO"}])
    identifier = first["sms_senders"][0]["id"]
    SmsSender.objects.filter(pk=identifier).update(archived_at=timezone.now())
    apply_one(sms_senders=[{"sender": "TWO", "default": True}])

    apply_one(sms_senders=[{"id": identifier, "sender": "ONE"}])

    assert {row.sender: (row.is_default, row.archived_at) for row in SmsSender.objects.all()} == {
        "ONE": (False, None),
        "TWO": (True, None),
    }


def test_a_duplicate_service_is_rejected():
    assert errors_of({"name": "P"}, {"name": "P"}) == ["services[1].name: is given twice"]


def test_services_whose_names_differ_only_in_case_are_rejected():
    assert errors_of({"name": "A1"}, {"name": "a1"}) == ["services[1].name: A service with this name already exists."]
    apply_one()

    identifier = str(uuid.uuid4())

    assert errors_of({"id": identifier, "name": "PARKS"}) == [
        "services[0].name: A service with this name already exists."
    ]
    assert errors_of({"id": identifier, "name": "Parks"}) == []  # a copy with its own id


def test_a_stored_value_stays_valid_after_a_rule_changes():
    service = factories.make_service(name="Pаrks\n", live=False, file_contact="ask me")
    factories.make_sms_sender(service, "AB")
    factories.make_reply_to(service, "old@address")
    factories.make_template(service, Channel.SMS, content="k" * 919, name="Lеtter")
    secret = "00000000-0000-1000-8000-000000000000"
    factories.make_api_key(service, KeyType.TEST, name="k", secret=secret)

    (done,) = apply(
        {
            "name": "Pаrks\n",
            "file_contact": "ask me",
            "sms_senders": [{"sender": "AB"}],
            "reply_to_addresses": [{"email_address": "old@address"}],
            "templates": [{"type": "sms", "name": "Lеtter", "content": "k" * 919}],
            "api_keys": [{"name": "k", "secret": secret}],
        }
    )

    assert done["id"] == str(service.pk)
    assert not AuditEvent.objects.exists()


def test_an_id_of_another_service_is_rejected():
    theirs = apply_one(templates=[template()], sms_senders=[{"sender": "PARKS"}])

    lines = errors_of(
        {
            "name": "Thief",
            "templates": [template(id=theirs["templates"][0]["id"])],
            "sms_senders": [{"id": theirs["sms_senders"][0]["id"], "sender": "PARKS"}],
        }
    )

    assert lines == [
        "services[0].sms_senders[0].id: belongs to another service",
        "services[0].templates[0].id: belongs to another service",
    ]


def test_a_name_of_several_services_needs_an_id():
    apply({"id": str(uuid.uuid4()), "name": "Twin"}, {"id": str(uuid.uuid4()), "name": "Twin"})

    assert errors_of({"name": "Twin"}) == ["services[0].name: 2 services have this name: give the id"]


def test_the_name_of_a_valid_key_cannot_get_another_secret():
    apply_one(api_keys=[{"name": "k", "type": "live"}])

    lines = errors_of({"name": "Parks", "api_keys": [{"name": "k", "type": "live", "secret": str(uuid.uuid4())}]})

    assert lines == ["services[0].api_keys[0].name: An active key with this name already exists."]


def test_a_document_states_the_limits_that_apply_after_a_temporary_change():
    service = factories.make_service(name="Parks", daily_limit_sms=10)
    until = timezone.now() + timedelta(days=1)
    limits.change(service, {ServiceLimit.SMS: 500}, audit.CLOCK, "", "fair", until)

    apply_one(daily_limits={"sms": 20, "email": 30})

    service.refresh_from_db()
    assert (service.daily_limit_sms, service.daily_limit_email) == (500, 30)
    assert LimitChange.objects.get().returns_to == 20


def test_a_document_confirms_a_reply_to_address():
    addresses = [{"email_address": "a@example.org", "confirmed": True}, {"email_address": "b@example.org"}]

    apply_one(reply_to_addresses=addresses)
    before = everything_stored()
    apply_one(reply_to_addresses=addresses)

    assert everything_stored() == before
    states = dict(ReplyToAddress.objects.values_list("email_address", "state"))
    assert states == {"a@example.org": "confirmed", "b@example.org": "unchecked"}
