import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the records that a write with `on_error=keep` did not store."""

    dependencies = [("datasets", "0006_kept_values")]

    operations = [
        migrations.CreateModel(
            "RejectedRecord",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("index", models.PositiveIntegerField()),
                ("encrypted_content", models.BinaryField()),
                ("by", models.CharField(max_length=255)),
                ("request_id", models.UUIDField(null=True)),
                (
                    "data_set",
                    models.ForeignKey(
                        "datasets.dataset",
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="rejected_records",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["data_set", "-at", "index"], name="rejected_record_newest"),
                    models.Index(fields=["at"], name="rejected_record_at"),
                ]
            },
        ),
    ]
