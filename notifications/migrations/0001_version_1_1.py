"""The tables of the sending area in version 1.1.

An installation of 1.1 has them from the migrations that this one replaces.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.utils.timezone
import notifications.models.log_export
import notifications.models.service
import uuid
from django.conf import settings
from django.db import migrations, models

from config.databases.tables import TablesMigration

TRUSTED = (
    "Companies House",
    "DVLA",
    "DVSA",
    "DWP",
    "GOV.UK",
    "HM Government",
    "HMCTS",
    "HMPO",
    "HMRC",
    "Home Office",
    "NHS",
    "Police",
    "UK Gov",
    "UKVI",
)
GENERAL = (
    "Account Admin Alert Alerts Code Contact Customer Delivery Email Help Info Information Mail Message Messages Mobile "
    "News Notice Notification Notifications Notify Password Phone Reminder Reminders Reply Security Sender Service "
    "Services SMS Support Team Text Texts Update Updates Verify"
).split() + ["No reply", "Text message"]


def protect_names(apps, schema_editor):
    """Protect the names that people in the United Kingdom trust most, and refuse names that say nothing."""
    names = apps.get_model("notifications", "ProtectedName").objects
    names.bulk_create(names.model(name=name) for name in TRUSTED)
    names.bulk_create(names.model(name=name, rule="too_general") for name in GENERAL)


class Migration(TablesMigration):
    initial = True
    replaces = [
        ("notifications", "0001_squashed_0027_request_id_index"),
        ("notifications", "0028_senders_unique_in_any_case"),
        ("notifications", "0029_service_rate_limit"),
        ("notifications", "0030_one_index_of_the_log"),
        ("notifications", "0031_rename_encrypted_columns"),
        ("notifications", "0032_rename_errors_and_circuits"),
        ("notifications", "0033_words_for_the_console"),
        ("notifications", "0034_plain_help_texts"),
        ("notifications", "0035_rename_owner_mail_and_indexes"),
        ("notifications", "0036_wrong_email_address"),
        ("notifications", "0037_add_cancelled_status"),
        ("notifications", "0038_label_of_failed_callbacks"),
        ("notifications", "0039_bulk_sends"),
        ("notifications", "0040_notification_lane_and_bulk_row"),
        ("notifications", "0041_messages_due_by_lane"),
        ("notifications", "0042_sending_rules"),
        ("notifications", "0043_without_earlier_unsubscribe_requests"),
        ("notifications", "0044_list_of_single_messages"),
        ("notifications", "0045_bulk_tables"),
        ("notifications", "0046_pauses_and_results_of_providers"),
        ("notifications", "0047_failed_callbacks"),
        ("notifications", "0048_suppressions"),
        ("notifications", "0049_template_drafts"),
        ("notifications", "0050_template_use"),
        ("notifications", "0051_retried_messages"),
        ("notifications", "0052_template_tags_defaults_languages"),
        ("notifications", "0053_received_texts_of_a_sender"),
        ("notifications", "0054_recipient_hash_key"),
        ("notifications", "0055_limit_changes"),
        ("notifications", "0056_general_names"),
        ("notifications", "0057_callback_events"),
        ("notifications", "0058_callbacks_once_an_endpoint"),
        ("notifications", "0059_unsubscribe_probes"),
        ("notifications", "0060_reply_to_states"),
        ("notifications", "0061_fallbacks"),
        ("notifications", "0062_go_live_requests"),
        ("notifications", "0063_reports"),
        ("notifications", "0064_stop_texts"),
        ("notifications", "0065_page_language"),
        ("notifications", "0066_received_emails"),
        ("notifications", "0067_template_files"),
        ("notifications", "0068_key_manages_templates"),
        ("notifications", "0069_charged_parts"),
        ("notifications", "0070_callbacks_of_received_emails"),
        ("notifications", "0071_callback_once_an_email"),
        ("notifications", "0072_failing_calls"),
        ("notifications", "0073_callbacks_of_data_sets"),
        ("notifications", "0074_callback_once_a_data_set_event"),
        ("notifications", "0075_bulk_rows_of_a_recipient"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ClientTries",
            fields=[
                ("tag", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("window_started_at", models.DateTimeField(db_index=True)),
            ],
            options={
                "verbose_name_plural": "client tries",
            },
        ),
        migrations.CreateModel(
            name="EarlyReceipt",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("provider", models.CharField(max_length=60)),
                ("reference", models.CharField(blank=True, max_length=255)),
                ("notification_id", models.UUIDField(null=True)),
                ("outcome", models.CharField(max_length=20)),
                ("code", models.CharField(blank=True, max_length=100)),
                ("at", models.DateTimeField(null=True)),
                ("received_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="ProviderCircuit",
            fields=[
                ("provider", models.CharField(max_length=60, primary_key=True, serialize=False)),
                ("reason", models.CharField(max_length=200)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                ("probe_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="SandboxMessage",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("notification_id", models.UUIDField(db_index=True)),
                ("channel", models.CharField(choices=[("sms", "Text message"), ("email", "Email")], max_length=5)),
                ("encrypted_content", models.BinaryField()),
                ("received_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["-received_at"],
            },
        ),
        migrations.CreateModel(
            name="DataSetEvent",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("data_set_id", models.BigIntegerField()),
                ("name", models.CharField(max_length=150)),
                ("path", models.CharField(max_length=150)),
                ("state", models.CharField(max_length=20)),
                ("last_write_at", models.DateTimeField(null=True)),
                ("expected_every_seconds", models.PositiveIntegerField(null=True)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["created_at"], name="data_set_event_created")],
            },
        ),
        migrations.CreateModel(
            name="OpenBreaker",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("provider", models.CharField(max_length=60)),
                ("holder", models.CharField(max_length=64)),
                ("half_open_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("provider", "holder"), name="open_breaker_one_a_process")
                ],
            },
        ),
        migrations.CreateModel(
            name="ProtectedName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255)),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("operators_only", "Only operators can use it"),
                            ("too_general", "Nobody can use it: too general"),
                        ],
                        db_default="operators_only",
                        default="operators_only",
                        max_length=14,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(django.db.models.functions.text.Lower("name"), name="protected_name_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="ProviderCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("provider", models.CharField(max_length=60)),
                ("began_at", models.DateTimeField()),
                (
                    "result",
                    models.CharField(
                        choices=[
                            ("accepted", "Accepted"),
                            ("permanent", "Rejected"),
                            ("temporary", "Failed"),
                            ("uncertain", "Unknown"),
                        ],
                        max_length=9,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("began_at", "provider", "result"), name="provider_count_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="ProviderResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("provider", models.CharField(max_length=60)),
                ("at", models.DateTimeField()),
                (
                    "result",
                    models.CharField(
                        choices=[
                            ("accepted", "Accepted"),
                            ("permanent", "Rejected"),
                            ("temporary", "Failed"),
                            ("uncertain", "Unknown"),
                        ],
                        max_length=9,
                    ),
                ),
                ("error", models.CharField(blank=True, max_length=100)),
                ("ms", models.PositiveIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["provider", "-at", "-id"], name="provider_result_newest")],
            },
        ),
        migrations.CreateModel(
            name="RecipientHashKey",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("encrypted_key", models.BinaryField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="recipient_hash_key_is_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="SendingPause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("channel", "Channel"), ("provider", "Provider")], max_length=8)),
                ("name", models.CharField(max_length=60)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                ("by", models.CharField(max_length=255)),
                ("ended_at", models.DateTimeField(null=True)),
                ("ended_by", models.CharField(blank=True, max_length=255)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("kind", "name"),
                        name="sending_pause_one_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Service",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=255)),
                (
                    "active",
                    models.BooleanField(
                        default=True, help_text="An archived service keeps its data and rejects every API call."
                    ),
                ),
                (
                    "live",
                    models.BooleanField(
                        default=False, help_text="A service in trial can send only to its team and guest list."
                    ),
                ),
                ("permissions", models.JSONField(default=notifications.models.service.default_permissions)),
                ("prefix_sms", models.BooleanField(default=False, verbose_name="start with the service name")),
                (
                    "file_contact",
                    models.CharField(
                        blank=True,
                        help_text="A link that begins with https://, an email address or a phone number.",
                        max_length=255,
                    ),
                ),
                (
                    "retention_days",
                    models.PositiveSmallIntegerField(default=7, verbose_name="keep messages for (days)"),
                ),
                (
                    "unsubscribe_request_days",
                    models.PositiveSmallIntegerField(
                        db_default=365, default=365, verbose_name="keep done unsubscribe requests for (days)"
                    ),
                ),
                ("rate_limit_per_minute", models.PositiveIntegerField(default=3000)),
                ("daily_limit_sms", models.PositiveIntegerField()),
                ("daily_limit_email", models.PositiveIntegerField()),
                ("daily_limit_international_sms", models.PositiveIntegerField()),
                ("accepts_whole_keys", models.BooleanField(db_default=False, default=False)),
                ("time_zone", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("quiet_hours", models.JSONField(blank=True, null=True)),
                ("repeat_guard_minutes", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("suppressed_sends_are_rejected", models.BooleanField(db_default=False, default=False)),
                ("stop_texts_suppress", models.BooleanField(db_default=False, default=False)),
                (
                    "page_language",
                    models.CharField(
                        choices=[("en-gb", "English"), ("cy", "Welsh")],
                        db_default="en-gb",
                        default="en-gb",
                        max_length=7,
                        verbose_name="language of public pages",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("archived_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("retention_days__gte", 3), ("retention_days__lte", 90)),
                        name="service_retention_3_to_90",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("rate_limit_per_minute__gte", 1)), name="service_rate_limit_1_or_more"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("unsubscribe_request_days__gte", 30), ("unsubscribe_request_days__lte", 730)
                        ),
                        name="service_unsubscribe_requests_30_to_730",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("repeat_guard_minutes__lte", 1440)), name="service_repeat_guard_up_to_a_day"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                (
                    "key_type",
                    models.CharField(
                        choices=[("live", "Live"), ("team", "Team and guest list"), ("test", "Test")], max_length=4
                    ),
                ),
                ("manages_templates", models.BooleanField(db_default=False, default=False)),
                ("encrypted_secret", models.BinaryField()),
                ("last4", models.CharField(editable=False, max_length=4)),
                ("note", models.CharField(blank=True, max_length=255)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("revoked_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("last_client", models.CharField(blank=True, editable=False, max_length=100)),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="api_keys", to="notifications.service"
                    ),
                ),
            ],
            options={
                "verbose_name": "API key",
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("revoked_at", None)),
                        fields=("service", "name"),
                        name="api_key_name_unique_unrevoked",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReplyToAddress",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("is_default", models.BooleanField(default=False, verbose_name="default")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("archived_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("email_address", models.CharField(max_length=320)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("checking", "Checking"),
                            ("confirmed", "Confirmed"),
                            ("bounced", "Bounced"),
                            ("unchecked", "Unchecked"),
                        ],
                        db_default="unchecked",
                        default="unchecked",
                        editable=False,
                        max_length=9,
                    ),
                ),
                ("confirmed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "confirmed_by",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=255),
                ),
                ("confirmation_id", models.UUIDField(blank=True, editable=False, null=True, unique=True)),
                ("mail_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reply_to_addresses",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "verbose_name": "reply-to address",
                "verbose_name_plural": "reply-to addresses",
                "ordering": ["-is_default", "email_address"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("archived_at", None), ("is_default", True)),
                        fields=("service",),
                        name="reply_to_one_default",
                    ),
                    models.UniqueConstraint(
                        models.F("service"),
                        django.db.models.functions.text.Lower("email_address"),
                        condition=models.Q(("archived_at", None)),
                        name="reply_to_unique_in_any_case",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotencyRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ("answer", models.JSONField(null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
                (
                    "api_key",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.apikey"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("api_key", "key"), name="idempotency_record_unique")],
            },
        ),
        migrations.CreateModel(
            name="LogExport",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("query", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField(default=notifications.models.log_export.default_expiry)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["expires_at"], name="log_export_expires")],
            },
        ),
        migrations.CreateModel(
            name="LogExportPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("storage_name", models.CharField(db_index=True, max_length=32)),
                ("last", models.CharField(blank=True, max_length=120)),
                (
                    "export",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="notifications.logexport",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("export", "number"), name="log_export_part_unique")],
            },
        ),
        migrations.CreateModel(
            name="RepeatGuard",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("content_hash", models.CharField(max_length=64)),
                ("message_id", models.UUIDField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.service"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["created_at"], name="repeat_guard_by_time")],
                "constraints": [
                    models.UniqueConstraint(fields=("service", "content_hash"), name="repeat_guard_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="RefusedCalls",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                (
                    "limit",
                    models.CharField(
                        choices=[
                            ("rate_limit_per_minute", "Requests per minute, for each type of key"),
                            ("daily_limit_email", "Emails per day"),
                            ("daily_limit_sms", "Text messages per day"),
                            ("daily_limit_international_sms", "International text messages per day"),
                        ],
                        max_length=29,
                    ),
                ),
                ("count", models.PositiveIntegerField(default=0)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refused_calls",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["day"], name="refused_calls_day")],
                "constraints": [
                    models.UniqueConstraint(fields=("service", "day", "limit"), name="refused_calls_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="ReceivedText",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("notify_number", models.CharField(max_length=40)),
                ("user_number", models.CharField(max_length=255)),
                ("content", models.TextField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="received_texts",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["service", "-created_at", "-id"], name="received_text_list"),
                    models.Index(
                        fields=["user_number", "service", "-created_at", "-id"], name="received_text_of_sender"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReceivedEmail",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("notification_id", models.UUIDField(null=True)),
                ("sender", models.CharField(max_length=400)),
                ("normalised_sender", models.CharField(max_length=400)),
                ("encrypted_content", models.BinaryField()),
                ("content_hash", models.CharField(max_length=64)),
                ("is_automatic", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="received")),
                (
                    "reply_to",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="notifications.replytoaddress",
                    ),
                ),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="received_emails",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["service", "-created_at", "-id"], name="received_email_list"),
                    models.Index(fields=["normalised_sender", "service"], name="received_email_of_sender"),
                    models.Index(
                        condition=models.Q(("notification_id", None), _negated=True),
                        fields=["notification_id"],
                        name="received_email_of_message",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("service", "content_hash"), name="received_email_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="RateSlot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key_type", models.CharField(max_length=8)),
                ("slot", models.BigIntegerField()),
                ("count", models.PositiveIntegerField(default=0)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.service"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("service", "key_type", "slot"), name="rate_slot_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="LimitNotice",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("day", models.DateField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("sms", "Sms"), ("email", "Email"), ("international_sms", "International Sms")],
                        max_length=17,
                    ),
                ),
                ("percent", models.PositiveSmallIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("limit", models.PositiveIntegerField()),
                ("mail_at", models.DateTimeField(null=True)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="limit_notices",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["day"], name="limit_notice_day"),
                    models.Index(
                        condition=models.Q(("mail_at__isnull", False)), fields=["mail_at"], name="limit_notice_to_mail"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("service", "day", "kind", "percent"), name="limit_notice_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="LimitChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "limit",
                    models.CharField(
                        choices=[
                            ("rate_limit_per_minute", "Requests per minute, for each type of key"),
                            ("daily_limit_email", "Emails per day"),
                            ("daily_limit_sms", "Text messages per day"),
                            ("daily_limit_international_sms", "International text messages per day"),
                        ],
                        max_length=29,
                    ),
                ),
                ("former", models.PositiveIntegerField()),
                ("value", models.PositiveIntegerField()),
                ("reason", models.CharField(max_length=500)),
                ("until", models.DateTimeField(blank=True, null=True)),
                ("returns_to", models.PositiveIntegerField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="limit_changes",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["service", "-created_at"], name="limit_change_of_service"),
                    models.Index(
                        condition=models.Q(("ended_at", None), ("until__isnull", False)),
                        fields=["until"],
                        name="limit_change_to_end",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None), ("until__isnull", False)),
                        fields=("service", "limit"),
                        name="limit_change_one_temporary",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("returns_to", None), ("until", None)),
                            models.Q(("returns_to__isnull", False), ("until__isnull", False)),
                            _connector="OR",
                        ),
                        name="limit_change_returns_to_a_value",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="GuestListEntry",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(choices=[("email", "Email address"), ("phone", "Phone number")], max_length=5),
                ),
                ("value", models.CharField(max_length=320)),
                ("normalised", models.CharField(editable=False, max_length=320)),
                ("note", models.CharField(blank=True, max_length=255)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guest_list",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "guest list entries",
                "constraints": [
                    models.UniqueConstraint(fields=("service", "kind", "normalised"), name="guest_list_entry_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="GoLiveRequest",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("emails_per_day", models.PositiveIntegerField()),
                ("texts_per_day", models.PositiveIntegerField(verbose_name="text messages per day")),
                ("purpose", models.CharField(max_length=500, verbose_name="what the messages are about")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("made_live", "Made live"),
                            ("sent_back", "Sent back"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("answer", models.CharField(blank=True, editable=False, max_length=500)),
                ("answered_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("answered_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("mail_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="go_live_requests",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "verbose_name": "request to go live",
                "verbose_name_plural": "requests to go live",
                "ordering": ["-created_at"],
                "indexes": [
                    models.Index(fields=["service", "-created_at"], name="go_live_request_of_service"),
                    models.Index(
                        condition=models.Q(("state", "waiting")), fields=["created_at"], name="go_live_request_waiting"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "waiting")),
                        fields=("service",),
                        name="go_live_request_one_waiting",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DailyCounter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("sms", "Sms"), ("email", "Email"), ("international_sms", "International Sms")],
                        max_length=17,
                    ),
                ),
                ("count", models.PositiveIntegerField(default=0)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.service"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("service", "day", "kind"), name="daily_counter_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="CountedDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("counted_at", models.DateTimeField(null=True)),
                ("is_settled", models.BooleanField(default=False)),
                ("version", models.PositiveIntegerField(default=0)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.service"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_settled", False)), fields=["counted_at"], name="counted_day_open"
                    )
                ],
                "constraints": [models.UniqueConstraint(fields=("service", "day"), name="counted_day_unique")],
            },
        ),
        migrations.CreateModel(
            name="CallbackEndpoint",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(blank=True, db_default="", default="", max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("delivery_status", "Delivery status"),
                            ("received_text_message", "Received text message"),
                            ("unsubscribe_request", "Unsubscribe request"),
                            ("events", "Events"),
                            ("request", "Callbacks of single requests"),
                        ],
                        max_length=21,
                    ),
                ),
                ("events", models.JSONField(db_default=models.Value([], models.JSONField()), default=list)),
                ("data_sets", models.JSONField(db_default=models.Value([], models.JSONField()), default=list)),
                ("url", models.CharField(max_length=2000, verbose_name="URL")),
                ("encrypted_bearer_token", models.BinaryField()),
                ("encrypted_signing_secret", models.BinaryField(null=True)),
                ("encrypted_old_signing_secret", models.BinaryField(null=True)),
                ("old_signing_secret_until", models.DateTimeField(editable=False, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("failing_since", models.DateTimeField(editable=False, null=True)),
                ("paused_at", models.DateTimeField(editable=False, null=True)),
                ("paused_by", models.CharField(blank=True, editable=False, max_length=255)),
                (
                    "pause_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("person", "Paused by hand"),
                            ("gone", "The receiver answered 410 Gone"),
                            ("failing", "Every attempt failed for three days"),
                        ],
                        editable=False,
                        max_length=7,
                    ),
                ),
                ("notify_owners_at", models.DateTimeField(editable=False, null=True)),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="callbacks",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "verbose_name": "callback",
                "indexes": [
                    models.Index(
                        condition=models.Q(("notify_owners_at", None), _negated=True),
                        fields=["notify_owners_at"],
                        name="callback_endpoint_to_notify",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "request")),
                        fields=("service",),
                        name="callback_endpoint_of_requests",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("name", ""), _negated=True),
                        fields=("service", "name"),
                        name="callback_endpoint_name_unique",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SmsSender",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("is_default", models.BooleanField(default=False, verbose_name="default")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("archived_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("sender", models.CharField(max_length=20)),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sms_senders",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "verbose_name": "text message sender",
                "ordering": ["-is_default", "sender"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("archived_at", None), ("is_default", True)),
                        fields=("service",),
                        name="sms_sender_one_default",
                    ),
                    models.UniqueConstraint(
                        models.F("service"),
                        django.db.models.functions.text.Lower("sender"),
                        condition=models.Q(("archived_at", None)),
                        name="sms_sender_unique_in_any_case",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Suppression",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("channel", models.CharField(choices=[("sms", "Text message"), ("email", "Email")], max_length=5)),
                ("recipient", models.CharField(max_length=400)),
                ("normalised_recipient", models.CharField(editable=False, max_length=400)),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("hard_bounce", "Hard bounce"),
                            ("complaint", "Complaint"),
                            ("unsubscribe", "Unsubscribed"),
                            ("stop", "Sent STOP by text"),
                            ("manual", "By hand"),
                        ],
                        max_length=11,
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("provider", "Event of a provider"),
                            ("mailbox", "Returned email"),
                            ("recipient", "Unsubscribe link"),
                            ("text", "Received text"),
                            ("api", "API"),
                            ("console", "Console"),
                            ("import", "CSV file"),
                        ],
                        max_length=9,
                    ),
                ),
                ("notification_id", models.UUIDField(blank=True, null=True)),
                ("note", models.CharField(blank=True, max_length=255)),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="suppressed since"
                    ),
                ),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("expires_at", models.DateTimeField(blank=True, null=True, verbose_name="until")),
                ("lifted_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("lifted_by", models.CharField(blank=True, editable=False, max_length=255)),
                ("lift_reason", models.CharField(blank=True, max_length=255)),
                (
                    "service",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="suppressions",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["service", "-created_at", "-id"], name="suppression_list"),
                    models.Index(
                        condition=models.Q(("lifted_at", None)),
                        fields=["normalised_recipient"],
                        name="suppression_of_recipient",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None)),
                        fields=("service", "channel", "normalised_recipient", "reason"),
                        name="suppression_of_service_unique",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None), ("service", None)),
                        fields=("channel", "normalised_recipient", "reason"),
                        name="suppression_of_installation_unique",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("expires_at", None), ("expires_at__gt", models.F("created_at")), _connector="OR"
                        ),
                        name="suppression_expires_after_start",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reason__in", ["hard_bounce", "complaint", "unsubscribe", "stop", "manual"])
                        ),
                        name="suppression_reason_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("email_address", models.CharField(max_length=320)),
                ("phone_number", models.CharField(blank=True, max_length=40)),
                ("normalised_email", models.CharField(editable=False, max_length=320)),
                ("normalised_phone", models.CharField(blank=True, editable=False, max_length=40)),
                ("roles", models.JSONField(blank=True, default=list)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="team", to="notifications.service"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("service", "normalised_email"), name="team_member_email_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="EmailForward",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("created_by", models.CharField(blank=True, max_length=255)),
                ("mail_at", models.DateTimeField(null=True)),
                ("refused_at", models.DateTimeField(null=True)),
                (
                    "email",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="forwards",
                        to="notifications.receivedemail",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.teammember"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("mail_at__isnull", False)), fields=["mail_at"], name="email_forward_to_mail"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Template",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("type", models.CharField(choices=[("sms", "Text message"), ("email", "Email")], max_length=5)),
                ("name", models.CharField(max_length=255)),
                ("current_version", models.PositiveIntegerField(default=1, editable=False)),
                ("redact_personalisation", models.BooleanField(default=False)),
                ("respect_quiet_hours", models.BooleanField(db_default=False, default=False)),
                ("samples", models.JSONField(blank=True, default=dict, editable=False)),
                ("fixed_files", models.JSONField(db_default={}, default=dict, editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=320)),
                ("updated_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("archived_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="templates",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "type"],
            },
        ),
        migrations.CreateModel(
            name="Attachment",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("notification_id", models.UUIDField()),
                ("storage_name", models.CharField(max_length=32, unique=True)),
                ("extension", models.CharField(max_length=5)),
                ("size_bytes", models.PositiveIntegerField()),
                ("encrypted_name", models.BinaryField(null=True)),
                ("key_check", models.BinaryField(max_length=16)),
                ("email_tag", models.BinaryField(max_length=32, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("withdrawn_by", models.CharField(blank=True, max_length=255)),
                ("withdrawn_why", models.CharField(blank=True, max_length=255)),
                ("deleted_at", models.DateTimeField(null=True)),
                ("missing_since", models.DateTimeField(null=True)),
                ("wrong_tries", models.PositiveIntegerField(default=0)),
                ("day_tries", models.PositiveIntegerField(default=0)),
                ("window_started_at", models.DateTimeField(null=True)),
                ("day_started_at", models.DateTimeField(null=True)),
                ("locked_until", models.DateTimeField(null=True)),
                ("download_count", models.PositiveIntegerField(default=0)),
                ("last_download_at", models.DateTimeField(null=True)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attachments",
                        to="notifications.service",
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="notifications.template",
                    ),
                ),
            ],
            options={
                "verbose_name": "file",
                "ordering": ["-created_at"],
                "indexes": [
                    models.Index(fields=["deleted_at", "expires_at"], name="attachment_removal"),
                    models.Index(
                        condition=models.Q(("deleted_at", None), models.Q(("withdrawn_at", None), _negated=True)),
                        fields=["withdrawn_at"],
                        name="attachment_withdrawn",
                    ),
                    models.Index(fields=["service", "-created_at"], name="attachment_list"),
                ],
            },
        ),
        migrations.CreateModel(
            name="BulkSend",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "key_type",
                    models.CharField(
                        choices=[("live", "Live"), ("team", "Team and guest list"), ("test", "Test")], max_length=4
                    ),
                ),
                (
                    "origin",
                    models.CharField(choices=[("api", "API"), ("console", "Console")], default="api", max_length=7),
                ),
                ("created_by", models.CharField(blank=True, max_length=255)),
                ("request_id", models.CharField(blank=True, max_length=36)),
                ("name", models.CharField(max_length=255)),
                ("channel", models.CharField(choices=[("sms", "Text message"), ("email", "Email")], max_length=5)),
                ("template_version", models.PositiveIntegerField()),
                ("language", models.CharField(blank=True, db_default="", max_length=35)),
                ("service_name", models.CharField(max_length=255)),
                ("prefix_sms", models.BooleanField(default=False)),
                ("is_sender_chosen", models.BooleanField(default=False)),
                ("names", models.JSONField(default=list)),
                ("table_hash", models.CharField(blank=True, max_length=64)),
                ("check_result", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("scheduled", "Scheduled"),
                            ("pending", "Pending"),
                            ("in progress", "In progress"),
                            ("paused", "Paused"),
                            ("finished", "Finished"),
                            ("cancelled", "Cancelled"),
                        ],
                        max_length=11,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("accepted_at", models.DateTimeField(null=True)),
                ("scheduled_for", models.DateTimeField(null=True)),
                ("processing_started", models.DateTimeField(null=True)),
                ("processing_finished", models.DateTimeField(null=True)),
                ("paused_at", models.DateTimeField(null=True)),
                ("checked_at", models.DateTimeField(null=True)),
                ("next_step_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("row_count", models.PositiveIntegerField(default=0)),
                ("waiting", models.PositiveIntegerField(default=0)),
                ("messages", models.PositiveIntegerField(default=0)),
                ("cancelled", models.PositiveIntegerField(default=0)),
                ("simulated", models.PositiveIntegerField(default=0)),
                ("repeat", models.PositiveIntegerField(default=0)),
                ("left_out", models.PositiveIntegerField(default=0)),
                ("holder", models.CharField(blank=True, max_length=36)),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "api_key",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="notifications.apikey",
                    ),
                ),
                (
                    "retry_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="retries",
                        to="notifications.bulksend",
                    ),
                ),
                (
                    "reply_to",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="notifications.replytoaddress",
                    ),
                ),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.service"
                    ),
                ),
                (
                    "sms_sender",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="notifications.smssender",
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="notifications.template"),
                ),
            ],
            options={
                "verbose_name": "bulk send",
                "indexes": [
                    models.Index(fields=["service", "key_type", "-created_at", "-id"], name="bulk_send_list"),
                    models.Index(
                        condition=models.Q(("state__in", ["scheduled", "pending", "in progress"])),
                        fields=["next_step_at"],
                        name="bulk_send_due",
                    ),
                    models.Index(fields=["service", "table_hash"], name="bulk_send_table"),
                    models.Index(fields=["processing_finished"], name="bulk_send_ended"),
                ],
            },
        ),
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
            options={
                "verbose_name": "table of a bulk send",
                "verbose_name_plural": "tables of bulk sends",
            },
        ),
        migrations.CreateModel(
            name="BulkRow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("unchecked", "Unchecked"),
                            ("waiting", "Waiting"),
                            ("message", "Message"),
                            ("cancelled", "Cancelled"),
                            ("simulated", "Simulated"),
                            ("repeat", "Repeat"),
                            ("left_out", "Left Out"),
                        ],
                        default="unchecked",
                        max_length=9,
                    ),
                ),
                ("recipient", models.CharField(blank=True, max_length=400)),
                ("normalised_recipient", models.CharField(blank=True, max_length=400)),
                ("is_international", models.BooleanField(default=False)),
                ("is_counted_international", models.BooleanField(default=False)),
                ("rate_multiplier", models.PositiveSmallIntegerField(default=0)),
                ("cells", models.JSONField(default=list)),
                ("reference", models.CharField(max_length=1000, null=True)),
                ("time_zone", models.CharField(blank=True, max_length=64)),
                ("not_before", models.DateTimeField(null=True)),
                ("errors", models.JSONField(null=True)),
                ("is_retried", models.BooleanField(default=False)),
                (
                    "bulk_send",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="notifications.bulksend",
                    ),
                ),
            ],
            options={
                "verbose_name": "row",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["bulk_send", "number"],
                        name="bulk_row_waiting",
                    ),
                    models.Index(fields=["normalised_recipient"], name="bulk_row_of_recipient"),
                ],
                "constraints": [models.UniqueConstraint(fields=("bulk_send", "number"), name="bulk_row_number_unique")],
            },
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "key_type",
                    models.CharField(
                        choices=[("live", "Live"), ("team", "Team and guest list"), ("test", "Test")], max_length=4
                    ),
                ),
                (
                    "origin",
                    models.CharField(choices=[("api", "API"), ("console", "Console")], default="api", max_length=7),
                ),
                ("created_by", models.CharField(blank=True, max_length=255)),
                ("request_id", models.CharField(blank=True, max_length=36)),
                ("channel", models.CharField(choices=[("sms", "Text message"), ("email", "Email")], max_length=5)),
                ("template_version", models.PositiveIntegerField()),
                ("language", models.CharField(blank=True, db_default="", max_length=35)),
                ("recipient", models.CharField(max_length=400)),
                ("normalised_recipient", models.CharField(max_length=400)),
                ("reference", models.CharField(max_length=1000, null=True)),
                ("subject", models.TextField(null=True)),
                ("body", models.TextField()),
                ("encrypted_outgoing", models.BinaryField(null=True)),
                ("unsubscribe_link", models.BooleanField(default=False)),
                ("one_click_unsubscribe_url", models.TextField(null=True)),
                ("parts", models.PositiveSmallIntegerField(default=0)),
                ("rate_multiplier", models.PositiveSmallIntegerField(default=0)),
                ("is_international", models.BooleanField(default=False)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("created", "Created"),
                            ("sending", "Sending"),
                            ("sent", "Sent"),
                            ("pending", "Pending"),
                            ("delivered", "Delivered"),
                            ("temporary-failure", "Temporary Failure"),
                            ("permanent-failure", "Permanent Failure"),
                            ("technical-failure", "Technical Failure"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="created",
                        max_length=20,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("scheduled_for", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("completed_at", models.DateTimeField(null=True)),
                (
                    "lane",
                    models.PositiveSmallIntegerField(choices=[(0, "Single"), (1, "Bulk"), (2, "Paused")], db_default=0),
                ),
                ("due_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("quiet_until", models.DateTimeField(null=True)),
                ("next_attempt_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("claimed_until", models.DateTimeField(null=True)),
                ("enqueued_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), null=True)),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("failed_attempts", models.PositiveSmallIntegerField(default=0)),
                ("attempts", models.JSONField(default=list)),
                ("provider", models.CharField(blank=True, max_length=60)),
                ("provider_reference", models.CharField(blank=True, max_length=255)),
                ("is_acceptance_final", models.BooleanField(db_default=False)),
                ("receipts", models.JSONField(default=list)),
                (
                    "api_key",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="notifications.apikey",
                    ),
                ),
                (
                    "bulk_row",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="notifications",
                        to="notifications.bulkrow",
                    ),
                ),
                (
                    "reply_to",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="notifications.replytoaddress",
                    ),
                ),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.service"
                    ),
                ),
                (
                    "sms_sender",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="notifications.smssender",
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.template"
                    ),
                ),
            ],
            options={
                "verbose_name": "message",
                "indexes": [
                    models.Index(fields=["service", "key_type", "-created_at", "-id"], name="notification_list"),
                    models.Index(
                        condition=models.Q(("bulk_row", None)),
                        fields=["service", "key_type", "-created_at", "-id"],
                        name="notification_list_single",
                    ),
                    models.Index(
                        condition=models.Q(("reference", None), _negated=True),
                        fields=["service", "reference"],
                        name="notification_reference",
                    ),
                    models.Index(
                        condition=models.Q(("status", "created")),
                        fields=["service", "lane", "next_attempt_at"],
                        name="notification_due_by_lane",
                    ),
                    models.Index(
                        condition=models.Q(("status__in", ["sending", "pending"])),
                        fields=["sent_at"],
                        name="notification_without_receipt",
                    ),
                    models.Index(
                        condition=models.Q(("encrypted_outgoing", None), _negated=True),
                        fields=["status"],
                        name="notification_encrypted",
                    ),
                    models.Index(
                        condition=models.Q(("provider_reference", ""), _negated=True),
                        fields=["provider_reference"],
                        name="notification_handed_to",
                    ),
                    models.Index(
                        fields=[
                            "service",
                            "-created_at",
                            "-id",
                            "status",
                            "key_type",
                            "channel",
                            "template",
                            "api_key",
                            "provider",
                            "origin",
                        ],
                        name="notification_by_time",
                    ),
                    models.Index(fields=["normalised_recipient", "service"], name="notification_recipient"),
                    models.Index(
                        condition=models.Q(("request_id", ""), _negated=True),
                        fields=["request_id"],
                        name="notification_request_id",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("bulk_row__isnull", False)),
                        fields=("bulk_row",),
                        name="notification_bulk_row_unique",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DownloadEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("downloaded", "Downloaded"),
                            ("confirmed", "Email address confirmed"),
                            ("wrong-email", "Wrong email address"),
                            ("locked", "Locked after wrong email addresses"),
                        ],
                        max_length=13,
                    ),
                ),
                (
                    "attachment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="notifications.attachment",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["attachment", "-at"], name="download_event_list")],
            },
        ),
        migrations.CreateModel(
            name="Fallback",
            fields=[
                (
                    "message",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="fallback",
                        serialize=False,
                        to="notifications.notification",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Sent if the text message fails"),
                            ("submitted", "Submitted"),
                            ("limit-reached", "Not sent: the daily limit of emails was used up"),
                        ],
                        default="waiting",
                        max_length=13,
                    ),
                ),
                ("template_version", models.PositiveIntegerField()),
                ("unsubscribe_link", models.BooleanField(default=False)),
                ("encrypted_content", models.BinaryField(null=True)),
                ("recipient_hash", models.CharField(max_length=64)),
                (
                    "email",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="fallback_of",
                        to="notifications.notification",
                    ),
                ),
                (
                    "reply_to",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="notifications.replytoaddress",
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="notifications.template",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["recipient_hash"], name="fallback_recipient")],
            },
        ),
        migrations.CreateModel(
            name="RequestCallback",
            fields=[
                (
                    "notification",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="request_callback",
                        serialize=False,
                        to="notifications.notification",
                    ),
                ),
                ("url", models.CharField(max_length=2000, verbose_name="URL")),
                ("encrypted_bearer_token", models.BinaryField()),
            ],
            options={
                "verbose_name": "callback of a request",
            },
        ),
        migrations.CreateModel(
            name="RetriedMessage",
            fields=[
                (
                    "message",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="retried_as",
                        serialize=False,
                        to="notifications.notification",
                    ),
                ),
                (
                    "retry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="retry_of",
                        to="notifications.notification",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FailingCalls",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("calls", models.PositiveIntegerField(default=0)),
                ("last_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="failing_calls",
                        to="notifications.apikey",
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="failing_calls",
                        to="notifications.template",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "failing calls",
                "indexes": [models.Index(fields=["day"], name="failing_calls_day")],
                "constraints": [
                    models.UniqueConstraint(fields=("template", "key", "day"), name="failing_calls_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="DailyCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("channel", models.CharField(choices=[("sms", "Text message"), ("email", "Email")], max_length=5)),
                (
                    "key_type",
                    models.CharField(
                        choices=[("live", "Live"), ("team", "Team and guest list"), ("test", "Test")], max_length=4
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("created", "Created"),
                            ("sending", "Sending"),
                            ("sent", "Sent"),
                            ("pending", "Pending"),
                            ("delivered", "Delivered"),
                            ("temporary-failure", "Temporary Failure"),
                            ("permanent-failure", "Permanent Failure"),
                            ("technical-failure", "Technical Failure"),
                            ("cancelled", "Cancelled"),
                        ],
                        max_length=20,
                    ),
                ),
                ("n", models.PositiveIntegerField(default=0)),
                ("deleted", models.PositiveIntegerField(default=0)),
                ("units", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("deleted_units", models.PositiveBigIntegerField(db_default=0, default=0)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.service"
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="notifications.template"),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["day"], name="daily_count_day")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("service", "day", "template", "key_type", "status"), name="daily_count_unique"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TemplateFile",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("encrypted_content", models.BinaryField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "template",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="notifications.template"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TemplateTag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40)),
                (
                    "template",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tags",
                        to="notifications.template",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [models.UniqueConstraint(fields=("template", "name"), name="template_tag_unique")],
            },
        ),
        migrations.CreateModel(
            name="TemplateUse",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("names_sent", models.JSONField()),
                ("language", models.CharField(blank=True, db_default="", default="", max_length=35)),
                ("names_hash", models.CharField(max_length=64)),
                ("calls", models.PositiveIntegerField(default=0)),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="template_uses",
                        to="notifications.apikey",
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uses",
                        to="notifications.template",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["day"], name="template_use_day")],
                "constraints": [
                    models.UniqueConstraint(fields=("template", "key", "day", "names_hash"), name="template_use_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="TemplateVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("published", "published"),
                            ("test", "test keys only"),
                            ("draft", "draft"),
                            ("replaced", "not published"),
                        ],
                        db_default="published",
                        default="published",
                        editable=False,
                        max_length=9,
                    ),
                ),
                ("name", models.CharField(max_length=255)),
                ("subject", models.TextField(blank=True, null=True)),
                ("content", models.TextField()),
                ("unsubscribe_link", models.BooleanField(default=False)),
                ("defaults", models.JSONField(db_default={}, default=dict, editable=False)),
                ("language", models.CharField(db_default="en", default="en", editable=False, max_length=35)),
                ("translations", models.JSONField(db_default=[], default=list, editable=False)),
                ("breaks_without", models.JSONField(db_default=[], default=list, editable=False)),
                ("note", models.CharField(blank=True, max_length=255)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=320)),
                (
                    "template",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="notifications.template",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("template", "number"), name="template_version_number_unique"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "draft")), fields=("template",), name="template_one_draft"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "test")), fields=("template",), name="template_one_for_test_keys"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TextPart",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("provider", models.CharField(max_length=60)),
                ("sender", models.CharField(max_length=40)),
                ("recipient", models.CharField(max_length=40)),
                ("joint", models.PositiveIntegerField()),
                ("total", models.PositiveSmallIntegerField()),
                ("number", models.PositiveSmallIntegerField()),
                ("content", models.TextField()),
                ("received_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "sender", "recipient", "joint", "total", "number"), name="text_part_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UnsubscribeProbe",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("origin", models.CharField(max_length=300)),
                ("notification_id", models.UUIDField()),
                ("status", models.PositiveIntegerField(null=True)),
                ("is_accepted", models.BooleanField()),
                ("sentence", models.CharField(max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("created_by", models.CharField(blank=True, max_length=255)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="unsubscribe_probes",
                        to="notifications.service",
                    ),
                ),
            ],
            options={
                "verbose_name": "test of an unsubscribe URL",
                "verbose_name_plural": "tests of unsubscribe URLs",
                "indexes": [
                    models.Index(fields=["service", "created_at"], name="unsubscribe_probe_list"),
                    models.Index(fields=["created_at"], name="unsubscribe_probe_old"),
                ],
            },
        ),
        migrations.CreateModel(
            name="UnsubscribeRequest",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("notification_id", models.UUIDField(unique=True)),
                ("recipient", models.CharField(max_length=400)),
                ("email_created_at", models.DateTimeField(verbose_name="email sent")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="requested")),
                ("done_at", models.DateTimeField(null=True)),
                ("done_by", models.CharField(blank=True, max_length=255)),
                (
                    "service",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="unsubscribe_requests",
                        to="notifications.service",
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, to="notifications.template"
                    ),
                ),
            ],
            options={
                "db_table": "notifications_unsubscribe_request",
                "indexes": [
                    models.Index(fields=["service", "-created_at", "-id"], name="unsubscribe_request_list"),
                    models.Index(
                        condition=models.Q(("done_at", None), _negated=True),
                        fields=["service", "done_at"],
                        name="unsubscribe_request_done",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CallbackDelivery",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("event", models.CharField(blank=True, db_default="", default="", max_length=40)),
                (
                    "status",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("created", "Created"),
                            ("sending", "Sending"),
                            ("sent", "Sent"),
                            ("pending", "Pending"),
                            ("delivered", "Delivered"),
                            ("temporary-failure", "Temporary Failure"),
                            ("permanent-failure", "Permanent Failure"),
                            ("technical-failure", "Technical Failure"),
                            ("cancelled", "Cancelled"),
                        ],
                        max_length=20,
                    ),
                ),
                ("sent_at", models.DateTimeField(null=True)),
                ("completed_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("accepted", "Accepted"), ("given-up", "Failed")],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("finished_at", models.DateTimeField(null=True)),
                ("next_attempt_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("claimed_until", models.DateTimeField(null=True)),
                ("enqueued_at", models.DateTimeField(null=True)),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("failed_attempts", models.PositiveSmallIntegerField(default=0)),
                ("attempts", models.JSONField(default=list)),
                (
                    "bulk_send",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.bulksend",
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notifications.callbackendpoint",
                    ),
                ),
                (
                    "data_set_event",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.datasetevent",
                    ),
                ),
                (
                    "notification",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.notification",
                    ),
                ),
                (
                    "received_email",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.receivedemail",
                    ),
                ),
                (
                    "received_text",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.receivedtext",
                    ),
                ),
                (
                    "suppression",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.suppression",
                    ),
                ),
                (
                    "unsubscribe_request",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.unsubscriberequest",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "callback deliveries",
                "indexes": [
                    models.Index(fields=["endpoint", "-created_at", "-id"], name="callback_delivery_list"),
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["endpoint", "next_attempt_at"],
                        name="callback_delivery_due",
                    ),
                    models.Index(
                        condition=models.Q(("claimed_until", None), _negated=True),
                        fields=["claimed_until"],
                        name="callback_delivery_claimed",
                    ),
                    models.Index(
                        condition=models.Q(("state", "given-up")),
                        fields=["finished_at"],
                        name="callback_delivery_given_up",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("notification__isnull", False)),
                        fields=("notification", "status", "endpoint"),
                        name="callback_delivery_of_message",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("received_text__isnull", False)),
                        fields=("received_text", "endpoint"),
                        name="callback_delivery_of_text",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("received_email__isnull", False)),
                        fields=("received_email", "endpoint"),
                        name="callback_delivery_of_email",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("unsubscribe_request__isnull", False)),
                        fields=("unsubscribe_request", "endpoint"),
                        name="callback_delivery_of_request",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("suppression__isnull", False)),
                        fields=("suppression", "endpoint"),
                        name="callback_delivery_of_suppression",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("bulk_send__isnull", False)),
                        fields=("bulk_send", "endpoint"),
                        name="callback_delivery_of_bulk_send",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("data_set_event__isnull", False)),
                        fields=("data_set_event", "endpoint"),
                        name="callback_delivery_of_data_set",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiCallError",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=40)),
                ("slug", models.CharField(blank=True, max_length=60)),
                ("seconds_apart", models.BigIntegerField(null=True)),
                ("request_id", models.CharField(blank=True, max_length=36)),
                (
                    "key",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="errors",
                        to="notifications.apikey",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["key", "-at"], name="api_call_error_newest")],
            },
        ),
        migrations.CreateModel(
            name="ApiKeyDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("calls", models.PositiveIntegerField(default=0)),
                ("refused", models.PositiveIntegerField(default=0)),
                (
                    "key",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="days",
                        to="notifications.apikey",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("key", "day"), name="api_key_day_unique")],
            },
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
                "constraints": [models.UniqueConstraint(fields=("table", "number"), name="bulk_table_part_unique")],
            },
        ),
        migrations.RunPython(protect_names, migrations.RunPython.noop),
    ]
