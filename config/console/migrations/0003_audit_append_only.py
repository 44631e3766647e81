"""Refuse, in PostgreSQL itself, to change or delete an audit event.

SQLite has no second door: whoever can open the file can write it, so the model alone refuses there.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION operations_audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit events are append-only';
END
$$;
CREATE TRIGGER operations_audit_append_only BEFORE UPDATE OR DELETE ON operations_audit_event
    FOR EACH ROW EXECUTE FUNCTION operations_audit_append_only();
"""
BACKWARD = """
DROP TRIGGER IF EXISTS operations_audit_append_only ON operations_audit_event;
DROP FUNCTION IF EXISTS operations_audit_append_only();
"""


def _on_postgresql(sql):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(sql)

    return run


class Migration(migrations.Migration):
    dependencies = [("operations", "0002_spent_nonce")]
    operations = [migrations.RunPython(_on_postgresql(FORWARD), _on_postgresql(BACKWARD))]
