"""Sign the stored events and link them, oldest first, in short transactions: the previous release goes on writing."""

from hashlib import sha256

from django.db import migrations, transaction
from django.db.models import Exists, OuterRef

from config.audit import signatures

AT_ONCE = 1000


def sign_and_link(apps, schema_editor):
    while sign_and_link_some(apps, schema_editor):
        pass


def sign_and_link_some(apps, schema_editor):
    """Sign and link up to AT_ONCE events that have no link. Return their number."""
    event_model, link_model, head_model = (
        apps.get_model("operations", name) for name in ("AuditEvent", "AuditLink", "AuditHead")
    )
    is_linked = Exists(link_model.objects.filter(event_id=OuterRef("pk")))
    with transaction.atomic():
        events = list(event_model.objects.filter(~is_linked).order_by("at", "id")[:AT_ONCE])
        head, _ = head_model.objects.get_or_create(id=1)
        links = []
        for event in events:
            event.signature = event.signature or signatures.sign(event)
            head.sequence += 1
            head.chain_hash = sha256(f"{head.chain_hash}{event.signature}".encode()).hexdigest()
            links.append(link_model(sequence=head.sequence, event_id=event.pk, chain_hash=head.chain_hash))
        if events:
            set_trigger("DISABLE", schema_editor)
            event_model.objects.bulk_update(events, ["signature"], batch_size=200)
            set_trigger("ENABLE", schema_editor)
            link_model.objects.bulk_create(links)
            head.save()
    return len(events)


def set_trigger(state, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE operations_audit_event {state} TRIGGER operations_audit_append_only")


class Migration(migrations.Migration):
    atomic = False  # each batch is a transaction

    dependencies = [("operations", "0021_audit_chain")]
    operations = [migrations.RunPython(sign_and_link, migrations.RunPython.noop)]
