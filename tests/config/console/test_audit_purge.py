"""Only clean-up deletes audit events, after their retention time. Security §7."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from config import audit
from config.audit.models import AuditEvent, AuditIsAppendOnly
from config.jobs import retention, rules
from config.jobs.models import Trigger

pytestmark = pytest.mark.django_db(transaction=True)


def make_event(days: float) -> AuditEvent:
    event = AuditEvent(at=timezone.now() - timedelta(days=days), actor_kind="clock", object_kind="x", verb="made")
    event.save()
    return event


@pytest.fixture
def purge(settings):
    rule = rules.named("audit")
    assert rule
    settings.AUDIT_RETENTION_DAYS = 100
    return lambda: retention.run(rule, Trigger.CLOCK)


def test_events_past_retention_are_deleted_and_others_stay(purge):
    old, young = make_event(100.1), make_event(99.9)
    rule = rules.named("audit")
    assert [(due.number, due.oldest) for due in rule.preview()] == [(1, old.at)]

    row = purge()

    assert (row.removed, row.error) == (1, "")
    assert AuditEvent.objects.filter(pk=young.pk).exists()
    assert not AuditEvent.objects.filter(pk=old.pk).exists()


def test_afterwards_nothing_can_be_deleted_again(purge):
    make_event(101)
    purge()
    kept = make_event(101)

    with pytest.raises(AuditIsAppendOnly):
        AuditEvent.objects.all().delete()
    with pytest.raises(AuditIsAppendOnly):
        kept.delete()


def test_a_purge_runs_in_batches_and_a_second_run_finds_nothing(purge):
    AuditEvent.objects.bulk_create(
        AuditEvent(at=timezone.now() - timedelta(days=200), actor_kind="clock", object_kind="x", verb="made")
        for _ in range(450)
    )

    assert [purge().removed, purge().removed] == [450, 0]


if connection.vendor == "postgresql":  # SQLite has no trigger

    @pytest.mark.parametrize(
        ("days", "kept", "goes"), [(101, "", False), (101, "100", True), (99, "100", False), (29, "1", False)]
    )
    def test_the_trigger_only_allows_deletion_of_events_older_than_the_named_days(days, kept, goes):
        event = make_event(days)

        def delete() -> int:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT set_config('signalbox.audit_kept_days', %s, true)", [kept])
                cursor.execute("DELETE FROM operations_audit_event WHERE id = %s", [event.pk])
                return cursor.rowcount

        if goes:
            assert delete() == 1
        else:
            with pytest.raises(DatabaseError, match="append-only"):
                delete()


def test_a_new_event_is_not_deleted(purge):
    event = audit.record(audit.CLOCK, "made", object_kind="x", object_id=1)

    purge()

    assert AuditEvent.objects.filter(pk=event.pk).exists()
