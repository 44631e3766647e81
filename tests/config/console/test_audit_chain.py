"""The audit trail shows whether an event was changed, removed or added in the database itself."""

import json
import random
import socket
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from config import audit
from config.audit import signatures
from config.audit.models import AuditEvent, AuditHead, AuditLink
from config.audit.verification import Point, Verification, contains

EVENTS = 12
# The columns that a manipulation changes, and a new value.
CHANGES = {
    "at": lambda: timezone.now() - timedelta(days=3),
    "actor_kind": lambda: "user",
    "actor_id": lambda: "42",
    "actor_label": lambda: "mallory",
    "service_id": uuid.uuid4,
    "data_set_id": lambda: 99,
    "object_kind": lambda: "other",
    "object_id": lambda: "other",
    "object_label": lambda: "Other",
    "verb": lambda: "kept",
    "before": lambda: json.dumps({"name": "Ebb"}),
    "after": lambda: json.dumps(None),
    "reason": lambda: "No reason",
    "request_id": lambda: "other",
    "ip_address": lambda: "192.0.2.9",
    "signature": lambda: "0" * 64,
}


def record(number: int = 0) -> AuditEvent:
    return audit.record(
        audit.Actor(kind="command", label="command line", ip_address="2001:db8::1"),
        "changed",
        object_kind="service",
        object_id=number,
        before={"name": "Tides", "rate": 1.50, "limits": {"b": [1, None], "a": True}},
        after={"name": f"High tides {number} – é"},
    )


@pytest.fixture
def trail(db: None) -> list[AuditEvent]:
    """Some events whose links are stored, in a database whose triggers are off, as for its administrator."""
    events = [record(number) for number in range(EVENTS)]
    connection.check_constraints()  # PostgreSQL links at the commit
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for table in (AuditEvent, AuditLink):
                cursor.execute(f"ALTER TABLE {table._meta.db_table} DISABLE TRIGGER USER")
    else:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER operations_audit_link")
    return events


def discrepancies() -> list[str]:
    return [found.text for found in Verification().discrepancies()]


@pytest.mark.django_db
def test_a_new_installation_without_an_event_has_no_discrepancy() -> None:
    assert not AuditHead.objects.exists()

    assert discrepancies() == []


def execute(sql: str, *values: object) -> None:
    prepared = [
        value.hex if isinstance(value, uuid.UUID) and connection.vendor == "sqlite" else value for value in values
    ]
    with connection.cursor() as cursor:
        cursor.execute(sql, prepared)


def change_a_column(chance: random.Random, trail: list[AuditEvent]) -> None:
    column = chance.choice(sorted(CHANGES))
    execute(
        f"UPDATE operations_audit_event SET {column} = %s WHERE id = %s",  # noqa: S608
        CHANGES[column](),
        chance.choice(trail).pk,
    )


def remove_an_event(chance: random.Random, trail: list[AuditEvent]) -> None:
    execute("DELETE FROM operations_audit_event WHERE id = %s", chance.choice(trail).pk)


def remove_an_event_and_its_link(chance: random.Random, trail: list[AuditEvent]) -> None:
    event = chance.choice(trail)
    execute("DELETE FROM operations_audit_event WHERE id = %s", event.pk)
    execute("DELETE FROM operations_audit_link WHERE event_id = %s", event.pk)


def remove_the_newest(chance: random.Random, trail: list[AuditEvent]) -> None:
    first = chance.randint(1, EVENTS)
    models = (AuditEvent, AuditLink)
    gone = list(AuditLink.objects.filter(sequence__gte=first).values_list("event_id", flat=True))
    for model, column in zip(models, ("id", "event_id"), strict=True):
        for pk in gone:
            execute(f"DELETE FROM {model._meta.db_table} WHERE {column} = %s", pk)  # noqa: S608


def add_an_event(chance: random.Random, trail: list[AuditEvent]) -> None:
    """Add a copy of an event, with its signature or another one, and with or without a link."""
    event = chance.choice(trail)
    copy = AuditEvent(**{field.name: getattr(event, field.name) for field in AuditEvent._meta.concrete_fields})
    copy.pk, copy.verb = uuid.uuid4(), "invented"
    AuditEvent._base_manager.bulk_create([copy])
    execute(
        "UPDATE operations_audit_event SET signature = %s WHERE id = %s", chance.choice(["", event.signature]), copy.pk
    )
    if chance.random() < 0.7:
        add_link(copy, chance.choice([-3, 0, None]))


def add_link(event: AuditEvent, sequence: int | None) -> None:
    """Link an event correctly at the end, or elsewhere with any hash."""
    head = AuditHead.objects.get()
    event.refresh_from_db()
    chain_hash = sha256(f"{head.chain_hash}{event.signature}".encode()).hexdigest()
    AuditLink.objects.create(
        sequence=head.sequence + 1 if sequence is None else sequence, event_id=event.pk, chain_hash=chain_hash
    )
    if sequence is None:
        AuditHead.objects.update(sequence=head.sequence + 1, chain_hash=chain_hash)


def swap_two_links(chance: random.Random, trail: list[AuditEvent]) -> None:
    one, other = (AuditLink.objects.get(event_id=event.pk) for event in chance.sample(trail, 2))
    execute("UPDATE operations_audit_link SET event_id = %s WHERE sequence = %s", uuid.uuid4(), one.sequence)
    execute("UPDATE operations_audit_link SET event_id = %s WHERE sequence = %s", one.event_id, other.sequence)
    execute("UPDATE operations_audit_link SET event_id = %s WHERE sequence = %s", other.event_id, one.sequence)


def change_a_link(chance: random.Random, trail: list[AuditEvent]) -> None:
    event = chance.choice(trail)
    column, value = chance.choice([("chain_hash", "f" * 64), ("sequence", 1000)])
    execute(f"UPDATE operations_audit_link SET {column} = %s WHERE event_id = %s", value, event.pk)  # noqa: S608


def change_the_head(chance: random.Random, trail: list[AuditEvent]) -> None:
    column = chance.choice(["sequence", "chain_hash", "purged_sequence", "purged_hash"])
    value: object = "f" * 64 if "hash" in column else 5
    execute(f"UPDATE operations_audit_head SET {column} = %s", value)  # noqa: S608


MANIPULATIONS: list[Callable[[random.Random, list[AuditEvent]], None]] = [
    change_a_column,
    remove_an_event,
    remove_an_event_and_its_link,
    remove_the_newest,
    add_an_event,
    swap_two_links,
    change_a_link,
    change_the_head,
]


def test_an_intact_trail_has_no_discrepancies(trail):
    verification = Verification()

    assert list(verification.discrepancies()) == []
    assert verification.events == EVENTS
    assert verification.newest == Point(sequence=EVENTS, chain_hash=AuditHead.objects.get().chain_hash)


def test_each_of_100_random_manipulations_is_found(trail):
    chance = random.Random(7)  # noqa: S311  no secret
    for number in range(100):
        manipulate = MANIPULATIONS[number % len(MANIPULATIONS)]
        with transaction.atomic():
            manipulate(chance, trail)
            assert discrepancies(), (number, manipulate.__name__)
            transaction.set_rollback(True)
    assert discrepancies() == []


def test_a_shortened_chain_with_a_matching_head_is_found_by_an_earlier_point(trail):
    head = AuditHead.objects.get()
    point = Point(sequence=head.sequence, chain_hash=head.chain_hash)
    assert contains(point)

    last = AuditLink.objects.get(sequence=EVENTS)
    before = AuditLink.objects.get(sequence=EVENTS - 1)
    execute("DELETE FROM operations_audit_event WHERE id = %s", last.event_id)
    last.delete()
    AuditHead.objects.update(sequence=before.sequence, chain_hash=before.chain_hash)

    assert discrepancies() == []
    assert not contains(point)
    with pytest.raises(CommandError, match="1 errors"):
        call_command("audit", "verify", "--expect", f"{point.sequence}:{point.chain_hash}")


def test_every_column_is_signed():
    assert set(signatures.SIGNED) == {field.name for field in AuditEvent._meta.concrete_fields} - {"signature"}


def test_a_rotated_secret_key_verifies_while_the_former_one_is_a_fallback(trail, settings):
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another-secret-key-" * 4
    assert len(discrepancies()) == EVENTS

    settings.SECRET_KEY_FALLBACKS = [former]

    assert discrepancies() == []


def test_only_the_newest_events_are_verified_on_request(trail):
    execute("UPDATE operations_audit_event SET verb = 'kept' WHERE id = %s", trail[2].pk)
    assert len(discrepancies()) == 1

    verification = Verification()

    assert list(verification.discrepancies(most=5)) == []
    assert verification.events == 5


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_event_leaves_no_gap():
    record(1)
    with transaction.atomic():
        record(2)
        transaction.set_rollback(True)
    record(3)

    assert list(AuditLink.objects.order_by("sequence").values_list("sequence", flat=True)) == [1, 2]
    assert discrepancies() == []


@pytest.mark.django_db(transaction=True)
def test_the_rest_of_the_chain_is_intact_after_a_clean_up():
    old = [AuditEvent(at=timezone.now() - timedelta(days=200), actor_kind="clock", object_kind="x", verb="v")] * 1
    AuditEvent.objects.bulk_create(old)
    record(1)
    point = Point(**AuditLink.objects.filter(sequence=1).values("sequence", "chain_hash").get())

    assert AuditEvent.objects.purge(100, 50) == 1

    assert discrepancies() == []
    assert contains(point)
    assert AuditLink.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_command_prints_errors_and_the_newest_point(capsys):
    record(1)
    call_command("audit", "verify")
    assert f"Entries: 1. Newest point: 1:{AuditHead.objects.get().chain_hash}" in capsys.readouterr().out


def test_the_command_fails_for_a_changed_entry(trail, capsys):
    execute("UPDATE operations_audit_event SET verb = 'kept' WHERE id = %s", trail[0].pk)

    with pytest.raises(CommandError, match="1 errors"):
        call_command("audit", "verify")

    assert f"✗ 1 {trail[0].pk}: The entry was changed" in capsys.readouterr().out


def test_an_export_has_one_json_object_a_line_and_continues_from_its_state(trail, capsys, tmp_path):
    state = tmp_path / "exported"
    call_command("audit", "export", "--after", "10", "--state", str(state))

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [line["sequence"] for line in lines] == [11, 12]
    assert lines[-1]["after"] == {"name": "High tides 11 – é"}
    assert lines[-1]["chain_hash"] == AuditHead.objects.get().chain_hash
    assert state.read_text() == "12\n"
    call_command("audit", "export", "--state", str(state))
    assert capsys.readouterr().out == ""


def test_the_state_counts_no_entry_that_a_full_disk_has_not_taken(trail, capsys, tmp_path):
    state = tmp_path / "exported"
    refused = pytest.raises(CommandError, match="after 0 could not be sent")
    with suppress(OSError), Path("/dev/full").open("w") as full, refused:  # closing it tries to write again
        call_command("audit", "export", "--state", str(state), stdout=full)

    call_command("audit", "export", "--state", str(state))

    assert len(capsys.readouterr().out.splitlines()) == EVENTS


@pytest.mark.parametrize("scheme", ["udp", "tcp"])
def test_an_export_reaches_a_syslog_server(trail, scheme):
    kind = socket.SOCK_DGRAM if scheme == "udp" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)
        if scheme == "tcp":
            server.listen()
        call_command("audit", "export", "--after", "11", "--syslog", f"{scheme}://127.0.0.1:{server.getsockname()[1]}")
        connected = server.accept()[0] if scheme == "tcp" else server
        message = connected.recv(65_536).decode()
        if scheme == "tcp":
            connected.close()

    assert message.startswith("<38>signalbox-audit: {")
    assert json.loads(message.partition(": ")[2])["sequence"] == 12


def test_an_unreachable_syslog_server_and_an_odd_state_are_errors(trail, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    state = tmp_path / "exported"
    with pytest.raises(CommandError, match="after 0 could not be sent"):
        call_command("audit", "export", "--syslog", f"tcp://127.0.0.1:{port}", "--state", str(state))
    assert state.read_text() == "0\n"

    state.write_text("many")
    with pytest.raises(CommandError, match="does not contain a number"):
        call_command("audit", "export", "--state", str(state))
    with pytest.raises(CommandError, match="must be such as"):
        call_command("audit", "export", "--syslog", "host:514")
