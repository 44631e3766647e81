from django.db import migrations, models

from datasets.models.fields import CodePointTextField

_DRIFTS = ("new field", "field gone", "type changed", "value out of range")


class Migration(migrations.Migration):
    """Add the schemas of data sets. All begin with the mode off; the previous version does not name these columns."""

    dependencies = [("datasets", "0007_rejected_records")]

    operations = [
        migrations.AddField(
            "DataSet",
            "schema_mode",
            models.CharField(
                choices=[("off", "Off"), ("warn", "Warn"), ("enforce", "Enforce")],
                db_default="off",
                default="off",
                editable=False,
                max_length=7,
            ),
        ),
        migrations.AddConstraint(
            "DataSet",
            models.CheckConstraint(
                condition=models.Q(schema_mode__in=["off", "warn", "enforce"]), name="data_set_schema_mode"
            ),
        ),
        migrations.CreateModel(
            "DataSetSchema",
            fields=[
                (
                    "data_set",
                    models.OneToOneField(
                        "datasets.dataset",
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="schema",
                        serialize=False,
                    ),
                ),
                ("given", models.TextField(blank=True, default="")),
                ("learned", models.TextField(blank=True, default="")),
                ("learned_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            "FieldDrift",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("field", CodePointTextField()),
                ("drift", models.CharField(choices=[(word, word) for word in _DRIFTS], max_length=20)),
                ("records", models.PositiveBigIntegerField(default=0)),
                (
                    "data_set",
                    models.ForeignKey(
                        "datasets.dataset", db_index=False, on_delete=models.CASCADE, related_name="drifts"
                    ),
                ),
            ],
            options={
                "ordering": ["-day", "field", "drift"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("data_set", "day", "field", "drift"), name="field_drift_unique"
                    )
                ],
            },
        ),
    ]
