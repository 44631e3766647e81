from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Add the index of messages that are not part of a bulk send, while messages are written."""

    atomic = False
    dependencies = [
        ("notifications", "0043_without_earlier_unsubscribe_requests"),
    ]

    operations = [
        concurrently.AddIndex(
            model_name="notification",
            index=models.Index(
                fields=["service", "key_type", "-created_at", "-id"],
                condition=models.Q(bulk_row=None),
                name="notification_list_single",
            ),
        ),
    ]
