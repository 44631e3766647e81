from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Replace the index of waiting messages, and add the unique index of bulk rows, while messages are written."""

    atomic = False
    dependencies = [
        ("notifications", "0040_notification_lane_and_bulk_row"),
    ]

    operations = [
        concurrently.AddIndex(
            model_name="notification",
            index=models.Index(
                fields=["service", "lane", "next_attempt_at"],
                condition=models.Q(status="created"),
                name="notification_due_by_lane",
            ),
        ),
        concurrently.RemoveIndex(model_name="notification", name="notification_due"),
        concurrently.AddUniqueIndex(
            model_name="notification",
            constraint=models.UniqueConstraint(
                fields=["bulk_row"], condition=models.Q(bulk_row__isnull=False), name="notification_bulk_row_unique"
            ),
        ),
    ]
