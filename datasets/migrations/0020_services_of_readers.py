"""Note whose statistics a token, a saved query and a published tile read. What exists reads all, which is null."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0019_bind_saved_queries")]

    operations = [
        migrations.AddField("accesstoken", "services", models.JSONField(null=True, editable=False)),
        migrations.AddField("savedquery", "services", models.JSONField(null=True, editable=False)),
        migrations.AlterField("accesstoken", "services", models.JSONField(null=True, default=list, editable=False)),
        migrations.AlterField("savedquery", "services", models.JSONField(null=True, default=list, editable=False)),
        migrations.AddField(
            "dashboard",
            "opened_parts",
            models.JSONField(
                default=list, db_default=models.Value([], models.JSONField()), blank=True, editable=False
            ),
        ),
    ]
