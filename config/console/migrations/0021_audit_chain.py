"""Add the chain of the audit trail: signatures of events, their links, and the ends of the chain."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("operations", "0020_token_hash_and_ip_address")]

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
            options={"db_table": "operations_audit_head"},
        ),
        migrations.CreateModel(
            name="AuditLink",
            fields=[
                ("sequence", models.BigIntegerField(primary_key=True, serialize=False)),
                ("event_id", models.UUIDField(unique=True)),
                ("chain_hash", models.CharField(max_length=64)),
            ],
            options={"db_table": "operations_audit_link"},
        ),
        migrations.AddField(
            model_name="auditevent",
            name="signature",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=64),
        ),
    ]
