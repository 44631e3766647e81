import uuid

from django.db import migrations, models
from django.utils import timezone


class Migration(migrations.Migration):
    """Add the earlier values of records that were changed or deleted one by one."""

    dependencies = [("datasets", "0005_saved_queries")]

    operations = [
        migrations.CreateModel(
            "KeptValue",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("record_hash", models.CharField(max_length=32)),
                ("encrypted_value", models.BinaryField()),
                (
                    "change",
                    models.CharField(choices=[("changed", "Changed"), ("deleted", "Deleted")], max_length=7),
                ),
                ("at", models.DateTimeField(default=timezone.now)),
                ("by", models.CharField(max_length=255)),
                ("reason", models.CharField(blank=True, max_length=200)),
                (
                    "data_set",
                    models.ForeignKey(
                        "datasets.dataset", db_index=False, on_delete=models.CASCADE, related_name="kept_values"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["data_set", "record_hash", "-at"], name="kept_value_of_record"),
                    models.Index(fields=["data_set", "-at"], name="kept_value_newest"),
                    models.Index(fields=["at"], name="kept_value_at"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(change__in=["changed", "deleted"]), name="kept_value_change"
                    )
                ],
            },
        ),
    ]
