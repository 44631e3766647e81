"""The second factors of accounts in version 1.1.

An installation of 1.1 has them from the migrations that this one replaces.
"""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("accounts", "0001_second_factor"),
        ("accounts", "0002_rename_encrypted_columns"),
        ("accounts", "0003_code_hash"),
        ("accounts", "0004_passkey"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Passkey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="The human-readable name of this device.", max_length=64)),
                ("confirmed", models.BooleanField(default=True, help_text="Is this device ready for use?")),
                ("credential_id", models.BinaryField(max_length=1023)),
                ("public_key", models.BinaryField()),
                ("user_handle", models.BinaryField(max_length=64)),
                ("transports", models.JSONField(default=list, editable=False)),
                ("sign_count", models.BigIntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        help_text="The user that this device belongs to.",
                        on_delete=django.db.models.deletion.CASCADE,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "accounts_passkey",
                "constraints": [
                    models.UniqueConstraint(fields=("credential_id",), name="passkey_credential_unique"),
                    models.CheckConstraint(
                        condition=models.Q(("sign_count__gte", 0), ("sign_count__lt", 4294967296)),
                        name="passkey_sign_count_has_32_bits",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code_hash", models.CharField(editable=False, max_length=64)),
                ("used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recovery_codes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "accounts_recovery_code",
                "constraints": [
                    models.UniqueConstraint(fields=("user", "code_hash"), name="recovery_code_hash_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="TotpDevice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="The human-readable name of this device.", max_length=64)),
                ("confirmed", models.BooleanField(default=True, help_text="Is this device ready for use?")),
                ("encrypted_key", models.BinaryField()),
                ("last_step", models.BigIntegerField(default=-1, editable=False)),
                ("wrong_codes", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("wrong_since", models.DateTimeField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "user",
                    models.ForeignKey(
                        help_text="The user that this device belongs to.",
                        on_delete=django.db.models.deletion.CASCADE,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "second factor",
                "db_table": "accounts_totp_device",
                "constraints": [models.UniqueConstraint(fields=("user", "confirmed"), name="totp_device_one_of_each")],
            },
        ),
    ]
