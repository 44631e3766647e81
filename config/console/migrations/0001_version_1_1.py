"""The console's tables of version 1.1.

An installation of 1.1 has them from the migrations that this one replaces.

PostgreSQL itself refuses to change or delete an audit event, and to empty the table with TRUNCATE, which fires no
trigger of rows. An event goes only in a transaction that names the days that events are kept, and only if it is older:
a wrong cutoff or a DELETE of another program is refused, and the last 30 days cannot go at all. On SQLite the model
alone refuses, because every program that opens the file can write to it.

The database links each new event, and refuses to change the links. PostgreSQL links at the commit, so the order of the
chain is the order of the commits, and a long transaction does not make others wait. SQLite has one writer at a time, so
it links with the insert.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from config.databases.tables import TablesMigration

POSTGRESQL = """
CREATE FUNCTION operations_audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kept integer := nullif(current_setting('signalbox.audit_kept_days', true), '')::integer;
BEGIN
    IF TG_OP = 'DELETE' AND kept >= 30 AND OLD.at < clock_timestamp() - make_interval(hours => 24 * kept) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit events are append-only';
END
$$;
CREATE TRIGGER operations_audit_append_only BEFORE UPDATE OR DELETE ON operations_audit_event
    FOR EACH ROW EXECUTE FUNCTION operations_audit_append_only();
CREATE TRIGGER operations_audit_no_truncate BEFORE TRUNCATE ON operations_audit_event
    FOR EACH STATEMENT EXECUTE FUNCTION operations_audit_append_only();

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
DROP TRIGGER operations_audit_no_truncate ON operations_audit_event;
DROP TRIGGER operations_audit_append_only ON operations_audit_event;
DROP FUNCTION operations_audit_append_only();
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


def create_triggers(apps, schema_editor):
    schema_editor.execute(POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE, params=None)


def drop_triggers(apps, schema_editor):
    schema_editor.execute(
        POSTGRESQL_BACK if schema_editor.connection.vendor == "postgresql" else SQLITE_BACK, params=None
    )


class Migration(TablesMigration):
    initial = True
    replaces = [
        ("operations", "0001_squashed_0015_words_for_background_jobs"),
        ("operations", "0016_background_job_without_account"),
        ("operations", "0017_rename_encrypted_columns"),
        ("operations", "0018_bulk_job_runs"),
        ("operations", "0019_names_of_retention_rules"),
        ("operations", "0020_token_hash_and_ip_address"),
        ("operations", "0021_audit_chain"),
        ("operations", "0022_sign_audit_events"),
        ("operations", "0023_link_audit_events"),
        ("operations", "0024_read_log"),
        ("operations", "0025_sign_on_identity"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.BigIntegerField(db_default=0)),
                ("chain_hash", models.CharField(blank=True, db_default="", max_length=64)),
                ("purged_sequence", models.BigIntegerField(db_default=0)),
                ("purged_hash", models.CharField(blank=True, db_default="", max_length=64)),
            ],
            options={
                "db_table": "operations_audit_head",
            },
        ),
        migrations.CreateModel(
            name="AuditLink",
            fields=[
                ("sequence", models.BigIntegerField(primary_key=True, serialize=False)),
                ("event_id", models.UUIDField(unique=True)),
                ("chain_hash", models.CharField(max_length=64)),
            ],
            options={
                "db_table": "operations_audit_link",
            },
        ),
        migrations.CreateModel(
            name="SpentNonce",
            fields=[
                ("nonce", models.UUIDField(primary_key=True, serialize=False)),
                ("spent_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "operations_spent_nonce",
            },
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor_kind",
                    models.CharField(
                        choices=[
                            ("user", "User"),
                            ("key", "API key"),
                            ("token", "access token"),
                            ("clock", "Clock"),
                            ("command", "Command"),
                        ],
                        max_length=10,
                    ),
                ),
                ("actor_id", models.CharField(blank=True, max_length=64)),
                ("actor_label", models.CharField(blank=True, max_length=255)),
                ("service_id", models.UUIDField(blank=True, null=True)),
                ("data_set_id", models.BigIntegerField(blank=True, null=True)),
                ("object_kind", models.CharField(max_length=40)),
                ("object_id", models.CharField(max_length=64)),
                ("object_label", models.CharField(blank=True, db_default="", max_length=255)),
                ("verb", models.CharField(max_length=40)),
                ("before", models.JSONField(blank=True, null=True)),
                ("after", models.JSONField(blank=True, null=True)),
                ("reason", models.TextField(blank=True)),
                ("request_id", models.CharField(blank=True, max_length=36)),
                ("ip_address", models.GenericIPAddressField(blank=True, null=True, verbose_name="IP address")),
                ("signature", models.CharField(blank=True, db_default="", default="", editable=False, max_length=64)),
            ],
            options={
                "db_table": "operations_audit_event",
                "ordering": ["-at"],
                "indexes": [
                    models.Index(fields=["-at"], name="audit_event_at"),
                    models.Index(fields=["service_id", "-at"], name="audit_event_service"),
                    models.Index(fields=["data_set_id", "-at"], name="audit_event_data_set"),
                    models.Index(fields=["object_id", "-at"], name="audit_event_object"),
                    models.Index(fields=["object_kind", "-at"], name="audit_event_kind"),
                    models.Index(fields=["verb", "-at"], name="audit_event_verb"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invite",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("member_id", models.UUIDField(blank=True, db_index=True, null=True)),
                ("user_id", models.BigIntegerField(blank=True, db_index=True, null=True)),
                ("token_hash", models.CharField(editable=False, max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("expires_at", models.DateTimeField(db_index=True)),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("encrypted_token", models.BinaryField(null=True)),
                ("mail_at", models.DateTimeField(editable=False, null=True)),
                ("undelivered_at", models.DateTimeField(editable=False, null=True)),
                (
                    "requested_from",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=64),
                ),
            ],
            options={
                "db_table": "operations_invite",
                "indexes": [
                    models.Index(
                        condition=models.Q(("mail_at", None), _negated=True), fields=["mail_at"], name="invite_to_mail"
                    ),
                    models.Index(
                        condition=models.Q(("requested_from", ""), _negated=True),
                        fields=["requested_from", "created_at"],
                        name="invite_requested_from",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("member_id__isnull", True), ("user_id__isnull", True), _connector="XOR"),
                        name="invite_is_for_one",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReadEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("user_id", models.CharField(max_length=64)),
                ("user_label", models.CharField(max_length=255)),
                ("service_id", models.UUIDField(null=True)),
                ("data_set_id", models.BigIntegerField(null=True)),
                ("object_kind", models.CharField(max_length=40)),
                ("object_id", models.CharField(max_length=64)),
                ("request_id", models.CharField(blank=True, max_length=36)),
                ("ip_address", models.GenericIPAddressField(null=True, verbose_name="IP address")),
            ],
            options={
                "verbose_name": "read log entry",
                "verbose_name_plural": "read log entries",
                "db_table": "operations_read_event",
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="read_event_at"),
                    models.Index(fields=["object_id", "user_id", "-at"], name="read_event_object"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedSearch",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("service_id", models.UUIDField(null=True)),
                ("kind", models.CharField(max_length=40)),
                ("encrypted_term", models.BinaryField()),
                ("created_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "operations_saved_search",
            },
        ),
        migrations.CreateModel(
            name="BulkJobRun",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("holder", models.CharField(blank=True, max_length=36)),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("kind", models.CharField(max_length=40)),
                ("ip_address", models.GenericIPAddressField(blank=True, null=True)),
                ("arguments", models.JSONField(default=dict)),
                ("rows", models.JSONField(default=list)),
                ("way_back", models.CharField(max_length=255)),
                ("total", models.PositiveBigIntegerField()),
                ("position", models.PositiveBigIntegerField(default=0)),
                ("changed", models.PositiveBigIntegerField(default=0)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "background job",
                "verbose_name_plural": "background jobs",
                "db_table": "operations_bulk_job_run",
                "ordering": ["-started_at"],
                "abstract": False,
                "indexes": [models.Index(fields=["-started_at"], name="bulk_job_run_at")],
            },
        ),
        migrations.CreateModel(
            name="RetentionRun",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("holder", models.CharField(blank=True, max_length=36)),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("rule", models.CharField(max_length=40)),
                (
                    "trigger",
                    models.CharField(
                        choices=[("clock", "Clock"), ("person", "Person"), ("command", "Command")], max_length=10
                    ),
                ),
                ("removed", models.PositiveBigIntegerField(default=0)),
                ("detail", models.JSONField(default=dict)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "run of clean-up",
                "verbose_name_plural": "clean-up",
                "db_table": "operations_retention_run",
                "ordering": ["-started_at"],
                "abstract": False,
                "indexes": [
                    models.Index(fields=["-started_at"], name="retention_run_at"),
                    models.Index(fields=["rule", "-started_at"], name="retention_run_rule"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("finished_at__isnull", True)),
                        fields=("rule",),
                        name="retention_run_one_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SignOnIdentity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("issuer", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "operations_sign_on_identity",
                "constraints": [models.UniqueConstraint(fields=("issuer", "subject"), name="sign_on_identity_unique")],
            },
        ),
        migrations.RunPython(create_triggers, drop_triggers),
    ]
