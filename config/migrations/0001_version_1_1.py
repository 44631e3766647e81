"""The tables of version 1.1 that both areas share.

An installation of 1.1 has them from the migrations that this one replaces.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("config", "0001_process_presence"),
        ("config", "0002_figures"),
        ("config", "0003_metric_value"),
        ("config", "0004_rename_metric_table"),
        ("config", "0005_limited_requests"),
        ("config", "0006_worker_process"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Presence",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("holder", models.CharField(max_length=64)),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "db_table": "process_presence",
            },
        ),
        migrations.CreateModel(
            name="WorkerProcess",
            fields=[
                ("holder", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("queues", models.CharField(max_length=200)),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "db_table": "worker_process",
            },
        ),
        migrations.CreateModel(
            name="MetricValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("labels", models.TextField()),
                ("value", models.FloatField(default=0)),
            ],
            options={
                "db_table": "metric_value",
                "constraints": [models.UniqueConstraint(fields=("name", "labels"), name="metric_value_unique")],
            },
        ),
    ]
