from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("config", "0003_metric_value")]

    operations = [
        migrations.RemoveConstraint("metricvalue", "figure_unique"),
        migrations.AlterModelTable("metricvalue", "metric_value"),
        migrations.AddConstraint(
            "metricvalue", models.UniqueConstraint(fields=["name", "labels"], name="metric_value_unique")
        ),
    ]
