"""Refuse, in PostgreSQL itself, to empty the audit with TRUNCATE, which fires no trigger of rows."""

from django.db import migrations

FORWARD = """
CREATE TRIGGER operations_audit_no_truncate BEFORE TRUNCATE ON operations_audit_event
    FOR EACH STATEMENT EXECUTE FUNCTION operations_audit_append_only();
"""
BACKWARD = "DROP TRIGGER IF EXISTS operations_audit_no_truncate ON operations_audit_event;"


def _on_postgresql(sql):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(sql)

    return run


class Migration(migrations.Migration):
    dependencies = [("operations", "0012_audit_object_label")]
    operations = [migrations.RunPython(_on_postgresql(FORWARD), _on_postgresql(BACKWARD))]
