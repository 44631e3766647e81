"""The tables of data sets in version 1.1.

An installation of 1.1 has them from the migrations that this one replaces.
"""

import datasets.models.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from config.databases.tables import TablesMigration


class Migration(TablesMigration):
    initial = True
    replaces = [
        ("datasets", "0001_data_sets_tokens_and_records"),
        ("datasets", "0002_fields_seen_refusals_and_calls"),
        ("datasets", "0003_rename_write_errors"),
        ("datasets", "0004_one_form_of_idempotency_keys"),
        ("datasets", "0005_token_hash"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DataGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, unique=True)),
                ("description", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["name"],
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z0-9][a-z0-9_-]*\\Z")), name="data_group_name_form"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DataType",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, unique=True)),
                ("description", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["name"],
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z0-9][a-z0-9_-]*\\Z")), name="data_type_name_form"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DataSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public", models.BooleanField(default=False)),
                ("realtime", models.BooleanField(default=False)),
                ("auto_ids", models.JSONField(blank=True, null=True)),
                ("retention_days", models.PositiveIntegerField(blank=True, null=True)),
                ("max_records", models.PositiveIntegerField(blank=True, null=True)),
                ("expected_every_seconds", models.PositiveIntegerField(blank=True, null=True)),
                ("record_count", models.BigIntegerField(default=0, editable=False)),
                ("last_write_at", models.DateTimeField(editable=False, null=True)),
                ("revision", models.BigIntegerField(default=0, editable=False)),
                ("fields_revision", models.BigIntegerField(default=0, editable=False)),
                ("late_since", models.DateTimeField(editable=False, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "created_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="data_sets", to="datasets.datagroup"
                    ),
                ),
                ("owners", models.ManyToManyField(blank=True, related_name="data_sets", to=settings.AUTH_USER_MODEL)),
                (
                    "type",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="data_sets", to="datasets.datatype"
                    ),
                ),
            ],
            options={
                "ordering": ["group__name", "type__name"],
                "permissions": [("manage_data_sets", "Can manage all data sets, groups and types")],
                "constraints": [
                    models.UniqueConstraint(fields=("group", "type"), name="data_set_path_unique"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("retention_days__isnull", True), ("retention_days__range", (1, 36500)), _connector="OR"
                        ),
                        name="data_set_retention_days_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("max_records__isnull", True), ("max_records__range", (1, 1000000000)), _connector="OR"
                        ),
                        name="data_set_max_records_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("expected_every_seconds__isnull", True),
                            ("expected_every_seconds__range", (1, 31536000)),
                            _connector="OR",
                        ),
                        name="data_set_expected_every_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("record_count__gte", 0)), name="data_set_record_count_positive"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AccessToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("prefix", models.CharField(editable=False, max_length=8)),
                ("token_hash", models.CharField(editable=False, max_length=64)),
                ("may_write", models.BooleanField(default=False)),
                ("may_read", models.BooleanField(default=False)),
                ("note", models.CharField(blank=True, max_length=255)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                ("last_used_at", models.DateTimeField(editable=False, null=True)),
                ("last_used_from", models.GenericIPAddressField(editable=False, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to="datasets.dataset"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=("token_hash",), name="access_token_hash_unique"),
                    models.CheckConstraint(
                        condition=models.Q(("may_write", True), ("may_read", True), _connector="OR"),
                        name="access_token_has_a_scope",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DataSetDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("writes", models.PositiveIntegerField(default=0)),
                ("records", models.PositiveBigIntegerField(default=0)),
                ("refused", models.PositiveIntegerField(default=0)),
                ("without_token", models.PositiveIntegerField(default=0)),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="days", to="datasets.dataset"
                    ),
                ),
            ],
            options={
                "ordering": ["-day"],
                "constraints": [models.UniqueConstraint(fields=("data_set", "day"), name="data_set_day_unique")],
            },
        ),
        migrations.CreateModel(
            name="FieldSeen",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", datasets.models.fields.CodePointTextField()),
                ("types", models.JSONField(default=list)),
                ("filled_percent", models.PositiveSmallIntegerField(default=0)),
                ("example", models.TextField(blank=True)),
                (
                    "data_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fields_seen",
                        to="datasets.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["-filled_percent", "name"],
                "constraints": [models.UniqueConstraint(fields=("data_set", "name"), name="field_seen_unique")],
            },
        ),
        migrations.CreateModel(
            name="Record",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "data_set_id", "record_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("record_id", datasets.models.fields.CodePointTextField()),
                ("timestamp", models.DateTimeField()),
                ("start_at", models.DateTimeField(null=True)),
                ("end_at", models.DateTimeField(null=True)),
                ("body", datasets.models.fields.JSONTextField()),
                ("updated_at", models.DateTimeField()),
                ("request_id", models.UUIDField(null=True)),
                (
                    "data_set",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="records",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "token",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="datasets.accesstoken",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["data_set", "timestamp", "record_id"], name="record_in_time")],
            },
        ),
        migrations.CreateModel(
            name="RememberedKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "data_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="datasets.dataset",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("data_set", "key"), name="remembered_key_unique")],
            },
        ),
        migrations.CreateModel(
            name="WriteError",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField()),
                ("index", models.PositiveIntegerField(null=True)),
                ("field", models.CharField(blank=True, max_length=128)),
                ("reason", models.CharField(max_length=255)),
                ("request_id", models.UUIDField(null=True)),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="write_errors", to="datasets.dataset"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="AccessTokenDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("calls", models.PositiveBigIntegerField(default=0)),
                (
                    "token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="days",
                        to="datasets.accesstoken",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("token", "day"), name="access_token_day_unique")],
            },
        ),
        migrations.CreateModel(
            name="ChosenColumns",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("names", models.JSONField(default=list)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="datasets.dataset"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "data_set"), name="chosen_columns_unique")],
            },
        ),
    ]
