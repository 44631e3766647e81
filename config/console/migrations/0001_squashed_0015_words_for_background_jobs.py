"""The console's tables of version 1.0.0. An installation of 1.0.0 has them from the migrations that this one replaces.

PostgreSQL itself refuses to change or delete an audit event, and to empty the table with TRUNCATE, which fires no
trigger of rows. An event goes only in a transaction that names the days that events are kept, and only if it is older:
a wrong cutoff or a DELETE of another program is refused, and the last 30 days cannot go at all. On SQLite the model
alone refuses, because every program that opens the file can write to it.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

FORWARD = """
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
"""
BACKWARD = """
DROP TRIGGER IF EXISTS operations_audit_no_truncate ON operations_audit_event;
DROP TRIGGER IF EXISTS operations_audit_append_only ON operations_audit_event;
DROP FUNCTION IF EXISTS operations_audit_append_only();
"""


def _on_postgresql(sql):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(sql)

    return run


class Migration(migrations.Migration):

    replaces = [
        ('operations', '0001_audit_event'),
        ('operations', '0002_spent_nonce'),
        ('operations', '0003_audit_append_only'),
        ('operations', '0004_retention_run'),
        ('operations', '0005_saved_search'),
        ('operations', '0006_audit_kept_for_days'),
        ('operations', '0007_invite'),
        ('operations', '0008_words_for_clean_up'),
        ('operations', '0009_audit_indexes'),
        ('operations', '0010_background_step'),
        ('operations', '0011_mailed_invite'),
        ('operations', '0012_audit_object_label'),
        ('operations', '0013_audit_no_truncate'),
        ('operations', '0014_invite_requested_from'),
        ('operations', '0015_words_for_background_jobs'),
    ]

    initial = True

    dependencies = [
        ('auth', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('actor_kind', models.CharField(choices=[('user', 'User'), ('key', 'API key'), ('token', 'access token'), ('clock', 'Clock'), ('command', 'Command')], max_length=10)),
                ('actor_id', models.CharField(blank=True, max_length=64)),
                ('actor_label', models.CharField(blank=True, max_length=255)),
                ('service_id', models.UUIDField(blank=True, null=True)),
                ('data_set_id', models.BigIntegerField(blank=True, null=True)),
                ('object_kind', models.CharField(max_length=40)),
                ('object_id', models.CharField(max_length=64)),
                ('verb', models.CharField(max_length=40)),
                ('before', models.JSONField(blank=True, null=True)),
                ('after', models.JSONField(blank=True, null=True)),
                ('reason', models.TextField(blank=True)),
                ('request_id', models.CharField(blank=True, max_length=36)),
                ('network_address', models.GenericIPAddressField(blank=True, null=True)),
                ('object_label', models.CharField(blank=True, db_default='', max_length=255)),
            ],
            options={
                'db_table': 'operations_audit_event',
                'ordering': ['-at'],
                'indexes': [models.Index(fields=['-at'], name='audit_event_at'), models.Index(fields=['service_id', '-at'], name='audit_event_service'), models.Index(fields=['data_set_id', '-at'], name='audit_event_data_set'), models.Index(fields=['object_id', '-at'], name='audit_event_object'), models.Index(fields=['object_kind', '-at'], name='audit_event_kind'), models.Index(fields=['verb', '-at'], name='audit_event_verb')],
            },
        ),
        migrations.CreateModel(
            name='SpentNonce',
            fields=[
                ('nonce', models.UUIDField(primary_key=True, serialize=False)),
                ('spent_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'db_table': 'operations_spent_nonce',
            },
        ),
        migrations.CreateModel(
            name='RetentionRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('rule', models.CharField(max_length=40)),
                ('trigger', models.CharField(choices=[('clock', 'Clock'), ('person', 'Person'), ('command', 'Command')], max_length=10)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('removed', models.PositiveBigIntegerField(default=0)),
                ('detail', models.JSONField(default=dict)),
                ('error', models.TextField(blank=True)),
                ('holder', models.CharField(blank=True, max_length=36)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'operations_retention_run',
                'ordering': ['-started_at'],
                'indexes': [models.Index(fields=['-started_at'], name='retention_run_at'), models.Index(fields=['rule', '-started_at'], name='retention_run_rule')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('finished_at__isnull', True)), fields=('rule',), name='retention_run_one_at_a_time')],
                'verbose_name': 'run of clean-up',
                'verbose_name_plural': 'clean-up',
            },
        ),
        migrations.CreateModel(
            name='SavedSearch',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('service_id', models.UUIDField(null=True)),
                ('kind', models.CharField(max_length=40)),
                ('sealed_term', models.BinaryField()),
                ('created_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'operations_saved_search',
            },
        ),
        migrations.CreateModel(
            name='Invite',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('member_id', models.UUIDField(blank=True, db_index=True, null=True)),
                ('user_id', models.BigIntegerField(blank=True, db_index=True, null=True)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('created_by', models.CharField(blank=True, editable=False, max_length=255)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('mail_at', models.DateTimeField(editable=False, null=True)),
                ('sealed_token', models.BinaryField(null=True)),
                ('undelivered_at', models.DateTimeField(editable=False, null=True)),
                ('requested_from', models.CharField(blank=True, db_default='', default='', editable=False, max_length=64)),
            ],
            options={
                'db_table': 'operations_invite',
                'constraints': [models.CheckConstraint(condition=models.Q(('member_id__isnull', True), ('user_id__isnull', True), _connector='XOR'), name='invite_is_for_one')],
                'indexes': [models.Index(condition=models.Q(('mail_at', None), _negated=True), fields=['mail_at'], name='invite_to_mail'), models.Index(condition=models.Q(('requested_from', ''), _negated=True), fields=['requested_from', 'created_at'], name='invite_requested_from')],
            },
        ),
        migrations.CreateModel(
            name='BackgroundStep',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=40)),
                ('network_address', models.GenericIPAddressField(blank=True, null=True)),
                ('arguments', models.JSONField(default=dict)),
                ('rows', models.JSONField(default=list)),
                ('way_back', models.CharField(max_length=255)),
                ('total', models.PositiveBigIntegerField()),
                ('position', models.PositiveBigIntegerField(default=0)),
                ('changed', models.PositiveBigIntegerField(default=0)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('error', models.TextField(blank=True)),
                ('holder', models.CharField(blank=True, max_length=36)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'background job',
                'verbose_name_plural': 'background jobs',
                'db_table': 'operations_background_step',
                'ordering': ['-started_at'],
                'indexes': [models.Index(fields=['-started_at'], name='background_step_at')],
            },
        ),
        migrations.RunPython(_on_postgresql(FORWARD), _on_postgresql(BACKWARD)),
    ]
