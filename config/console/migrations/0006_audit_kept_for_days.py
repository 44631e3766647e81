"""Let clean-up, and nothing else, take out of the audit what is older than the days it is kept.

A row goes only in a transaction that has said how many days are kept, and only if it is older than that: a wrong cutoff,
a DELETE by hand or by another program is refused as before, and the last 30 days cannot go at all.
"""

from django.db import migrations

FORWARD = """
CREATE OR REPLACE FUNCTION operations_audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kept integer := nullif(current_setting('signalbox.audit_kept_days', true), '')::integer;
BEGIN
    IF TG_OP = 'DELETE' AND kept >= 30 AND OLD.at < clock_timestamp() - make_interval(hours => 24 * kept) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit events are append-only';
END
$$;
"""
BACKWARD = """
CREATE OR REPLACE FUNCTION operations_audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit events are append-only';
END
$$;
"""


def _on_postgresql(sql):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(sql)

    return run


class Migration(migrations.Migration):
    dependencies = [("operations", "0005_saved_search")]
    operations = [migrations.RunPython(_on_postgresql(FORWARD), _on_postgresql(BACKWARD))]
