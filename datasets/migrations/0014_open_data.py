from django.db import migrations, models


class Migration(migrations.Migration):
    """Add what catalogues of open data show of a public data set."""

    dependencies = [("datasets", "0013_alarms")]

    operations = [
        migrations.AddField("DataSet", "description", models.TextField(blank=True, default="", db_default="")),
        migrations.AddField(
            "DataSet", "licence", models.CharField(max_length=40, blank=True, default="", db_default="")
        ),
        migrations.AddField(
            "DataSet", "contact", models.CharField(max_length=254, blank=True, default="", db_default="")
        ),
        migrations.AddField("DataSet", "units", models.JSONField(null=True, blank=True)),
    ]
