"""Add the uploaded tables of bulk sends."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0044_list_of_single_messages")]

    operations = [
        migrations.CreateModel(
            name="BulkTable",
            fields=[
                (
                    "bulk_send",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="table",
                        serialize=False,
                        to="notifications.bulksend",
                    ),
                ),
                ("reading", models.UUIDField(editable=False, null=True)),
                ("checking", models.UUIDField(editable=False, null=True)),
                ("read_as", models.CharField(blank=True, editable=False, max_length=12)),
                ("names", models.JSONField(default=list, editable=False)),
                ("sample", models.JSONField(default=list, editable=False)),
                ("row_count", models.PositiveIntegerField(editable=False, null=True)),
                ("error", models.TextField(blank=True, editable=False)),
                ("choice", models.JSONField(default=dict, editable=False)),
                ("fingerprint", models.CharField(blank=True, editable=False, max_length=64)),
            ],
            options={"verbose_name": "table of a bulk send", "verbose_name_plural": "tables of bulk sends"},
        ),
        migrations.CreateModel(
            name="BulkTablePart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                (
                    "table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="notifications.bulktable",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("table", "number"), name="bulk_table_part_unique")
                ]
            },
        ),
    ]
