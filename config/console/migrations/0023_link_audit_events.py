"""Have the database link each new event, and refuse to change the links.

PostgreSQL links at the commit, so the order of the chain is the order of the commits, and a long transaction does not
make others wait. SQLite has one writer at a time, so it links with the insert.
"""

from importlib import import_module

from django.db import migrations

POSTGRESQL = """
CREATE FUNCTION operations_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head operations_audit_head%ROWTYPE;
BEGIN
    INSERT INTO operations_audit_head AS stored (id, sequence, chain_hash)
    VALUES (1, 1, encode(sha256(convert_to(NEW.signature, 'UTF8')), 'hex'))
    ON CONFLICT (id) DO UPDATE SET
        sequence = stored.sequence + 1,
        chain_hash = encode(sha256(convert_to(stored.chain_hash || NEW.signature, 'UTF8')), 'hex')
    RETURNING * INTO head;
    INSERT INTO operations_audit_link (sequence, event_id, chain_hash)
    VALUES (head.sequence, NEW.id, head.chain_hash);
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER operations_audit_link AFTER INSERT ON operations_audit_event
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION operations_audit_link();

CREATE FUNCTION operations_audit_link_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND nullif(current_setting('signalbox.audit_kept_days', true), '')::integer >= 30
        AND NOT EXISTS (SELECT 1 FROM operations_audit_event WHERE id = OLD.event_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit events are append-only';
END
$$;
CREATE TRIGGER operations_audit_link_append_only BEFORE UPDATE OR DELETE ON operations_audit_link
    FOR EACH ROW EXECUTE FUNCTION operations_audit_link_append_only();
CREATE TRIGGER operations_audit_link_no_truncate BEFORE TRUNCATE ON operations_audit_link
    FOR EACH STATEMENT EXECUTE FUNCTION operations_audit_link_append_only();
"""
POSTGRESQL_BACK = """
DROP TRIGGER operations_audit_link_no_truncate ON operations_audit_link;
DROP TRIGGER operations_audit_link_append_only ON operations_audit_link;
DROP FUNCTION operations_audit_link_append_only();
DROP TRIGGER operations_audit_link ON operations_audit_event;
DROP FUNCTION operations_audit_link();
"""
# Django gives SQLite the function SHA256.
SQLITE = """
CREATE TRIGGER operations_audit_link AFTER INSERT ON operations_audit_event BEGIN
    INSERT OR IGNORE INTO operations_audit_head (id, sequence, chain_hash, purged_sequence, purged_hash)
    VALUES (1, 0, '', 0, '');
    UPDATE operations_audit_head SET sequence = sequence + 1, chain_hash = SHA256(chain_hash || NEW.signature)
    WHERE id = 1;
    INSERT INTO operations_audit_link (sequence, event_id, chain_hash)
    SELECT sequence, NEW.id, chain_hash FROM operations_audit_head WHERE id = 1;
END
"""
SQLITE_BACK = "DROP TRIGGER operations_audit_link"


def forward(apps, schema_editor):
    """Create the triggers, then link the events that the previous release has stored in the meantime."""
    schema_editor.execute(POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE, params=None)
    import_module("config.console.migrations.0022_sign_audit_events").sign_and_link(apps, schema_editor)


def backward(apps, schema_editor):
    schema_editor.execute(POSTGRESQL_BACK if schema_editor.connection.vendor == "postgresql" else SQLITE_BACK, params=None)


class Migration(migrations.Migration):
    few_rows = "the events that were stored since the previous migration"
    dependencies = [("operations", "0022_sign_audit_events")]
    operations = [migrations.RunPython(forward, backward)]
