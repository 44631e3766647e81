from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    replaces = [("config", "0007_periodic_job")]
    dependencies = [("config", "0001_version_1_1")]

    operations = [
        migrations.CreateModel(
            name="PeriodicJob",
            fields=[
                ("name", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("expected_since", models.DateTimeField(db_default=Now())),
                ("ended_well_at", models.DateTimeField(null=True)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(default="")),
            ],
            options={"db_table": "periodic_job"},
        ),
    ]
