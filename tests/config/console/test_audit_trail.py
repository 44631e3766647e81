"""Audit events are stored with the change, and nobody can change them."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import RequestFactory
from django.urls import reverse

from config import audit
from config.audit import changes
from config.audit.models import AuditEvent, AuditIsAppendOnly
from config.web.ip_addresses import client_ip
from tests import factories


@pytest.fixture
def event(db):
    return audit.record(audit.CLOCK, "removed", object_kind="service", object_id=7, before={"name": "Tides"})


def test_an_event_is_not_changed(event):
    event.verb = "kept"

    with pytest.raises(AuditIsAppendOnly):
        event.save()
    with pytest.raises(AuditIsAppendOnly):
        AuditEvent.objects.update(verb="kept")
    with pytest.raises(AuditIsAppendOnly):
        AuditEvent.objects.bulk_update([event], ["verb"])


def test_an_event_is_not_deleted(event):
    with pytest.raises(AuditIsAppendOnly):
        event.delete()
    with pytest.raises(AuditIsAppendOnly):
        AuditEvent.objects.filter(pk=event.pk).delete()


if connection.vendor == "postgresql":  # SQLite has no trigger: anyone who can open the file can write to it

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE operations_audit_event SET verb = 'kept'",
            "DELETE FROM operations_audit_event",
            "UPDATE operations_audit_link SET sequence = sequence + 1",
            "DELETE FROM operations_audit_link",
        ],
    )
    def test_postgresql_itself_refuses_to_rewrite_the_trail(event, statement):
        connection.check_constraints()  # stores the link
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)

    @pytest.mark.parametrize(
        ("table", "trigger"),
        [
            ("operations_audit_event", "operations_audit_no_truncate"),
            ("operations_audit_link", "operations_audit_link_no_truncate"),
        ],
    )
    def test_postgresql_itself_refuses_to_empty_the_trail_at_once(event, table, trigger):
        connection.check_constraints()  # PostgreSQL alters no table with pending triggers
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER {trigger}")
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {table}")

        assert AuditEvent.objects.count() == 1


@pytest.mark.fault("T7")
def test_a_change_is_stored_with_old_and_new_values(console):
    service = factories.make_service(name="Tides", has_own_name=True)

    form = {"name": "High tides", "retention_days": 9, "unsubscribe_request_days": 365}
    answer = console.post(reverse("admin:notifications_service_general", args=[service.pk]), form)

    assert answer.status_code == 302
    event = AuditEvent.objects.get()
    assert (event.verb, event.actor_label, event.service_id) == ("changed", "mina", service.pk)
    assert event.before == {"name": "Tides", "retention_days": 7}
    assert event.after == {"name": "High tides", "retention_days": 9}


def test_a_save_that_changes_nothing_leaves_no_event(console):
    sender = factories.make_reply_to(factories.make_service())

    console.post(reverse("admin:notifications_replytoaddress_change", args=[sender.pk]), {})

    assert not AuditEvent.objects.exists()


def test_secrets_are_stored_as_fingerprints_and_recipients_masked(db):
    key = factories.make_api_key()
    member = factories.make_team_member(key.service, "mina@example.org")

    assert changes.snapshot(key)["secret"] == changes.fingerprint(bytes(key.encrypted_secret))
    assert key.secret not in str(changes.snapshot(key))
    assert changes.snapshot(member)["email_address"] == "m…@example.org"


def test_the_list_shows_sentences(console, event):
    page = console.get(reverse("admin:operations_auditevent_changelist")).content.decode()

    assert "The system removed the service “Tides”" in page


def test_a_row_shows_its_own_history(console):
    service = factories.make_service(name="Tides")
    audit.record(audit.COMMAND, "archived", object_kind="service", object_id=service.pk, before={"name": "Tides"})

    page = console.get(reverse("admin:notifications_service_history", args=[service.pk])).content.decode()

    assert "Command line archived the service “Tides”" in page


@pytest.mark.parametrize(
    ("trusted", "forwarded", "expected"),
    [
        (0, "203.0.113.9", "198.51.100.1"),
        (1, "203.0.113.9, 192.0.2.7", "192.0.2.7"),
        (2, "203.0.113.9, 192.0.2.7", "203.0.113.9"),
        (2, "192.0.2.7", "198.51.100.1"),
        (1, "made up", "198.51.100.1"),
        (1, "", "198.51.100.1"),
        (1, "192.0.2.7:443", "192.0.2.7"),
        (1, "[2001:db8::7]:443", "2001:db8::7"),
        (1, "[2001:db8::7]", "2001:db8::7"),
        (1, "2001:DB8:0::7", "2001:db8::7"),
        (1, "::ffff:192.0.2.7", "192.0.2.7"),
        (1, "[::ffff:192.0.2.7]:443", "192.0.2.7"),
        (1, "fe80::1%eth0", "fe80::1"),
        (1, "192.0.2.7:https", "198.51.100.1"),
        (1, "[192.0.2.7", "198.51.100.1"),
        (1, "[]:443", "198.51.100.1"),
    ],
)
def test_a_forged_forwarding_header_is_ignored(settings, trusted, forwarded, expected):
    settings.TRUSTED_PROXIES = trusted
    request = RequestFactory().get("/admin/", REMOTE_ADDR="198.51.100.1", headers={"X-Forwarded-For": forwarded})

    assert client_ip(request) == expected


@pytest.mark.parametrize(
    ("peer", "expected"),
    [("::ffff:192.0.2.7", "192.0.2.7"), ("fe80::1%eth0", "fe80::1"), ("", None), ("unix:", None)],
)
def test_the_address_of_a_socket_fits_the_column(peer, expected):
    assert client_ip(RequestFactory().get("/admin/", REMOTE_ADDR=peer)) == expected
