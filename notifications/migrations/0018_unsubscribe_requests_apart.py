import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    """A table of its own for unsubscribe requests. The one of the release before this one stays as it is."""

    dependencies = [
        ("notifications", "0017_messages_by_console"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="UnsubscribeRequest"),
                migrations.CreateModel(
                    name="EarlierUnsubscribeRequest",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                        (
                            "notification",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="notifications.notification",
                            ),
                        ),
                    ],
                    options={"db_table": "notifications_unsubscriberequest"},
                ),
            ]
        ),
        migrations.CreateModel(
            name="UnsubscribeRequest",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("notification_id", models.UUIDField(unique=True)),
                ("recipient", models.CharField(max_length=400)),
                ("email_created_at", models.DateTimeField(verbose_name="email sent")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="asked")),
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
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="notifications.template",
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
    ]
