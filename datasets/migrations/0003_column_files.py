from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Now


class Migration(migrations.Migration):
    """Add the segments of large data sets. All data sets begin without: the clock makes them within minutes."""

    dependencies = [("datasets", "0002_stores")]

    operations = [
        migrations.AddField("DataSet", "columns_until", models.DateTimeField(editable=False, null=True)),
        migrations.CreateModel(
            "Segment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("store_id", models.BigIntegerField()),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("is_built", models.BooleanField(default=False)),
                ("file", models.CharField(blank=True, max_length=100)),
                ("columns", models.JSONField(default=list)),
                ("records", models.BigIntegerField()),
                ("size_bytes", models.BigIntegerField(default=0)),
                ("version", models.BigIntegerField(default=0)),
                ("opened_at", models.DateTimeField(db_default=Now())),
                ("changed_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "ordering": ["store_id", "starts_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("store_id", "starts_at"), name="segment_start_unique"),
                    models.CheckConstraint(condition=Q(starts_at__lt=F("ends_at")), name="segment_range_not_empty"),
                    models.CheckConstraint(condition=Q(is_built=True) | Q(file=""), name="segment_open_without_file"),
                ],
            },
        ),
    ]
