from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("config", "0005_limited_requests")]

    operations = [
        migrations.CreateModel(
            name="WorkerProcess",
            fields=[
                ("holder", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("queues", models.CharField(max_length=200)),
                ("seen_at", models.DateTimeField()),
            ],
            options={"db_table": "worker_process"},
        ),
    ]
