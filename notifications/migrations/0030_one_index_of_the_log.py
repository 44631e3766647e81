from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0029_service_rate_limit"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                fields=[
                    *("service", "-created_at", "-id"),
                    *("status", "key_type", "channel", "template", "api_key", "provider", "origin"),
                ],
                name="notification_by_time",
            ),
        ),
        migrations.RemoveIndex(model_name="notification", name="notification_log"),
        migrations.RemoveIndex(model_name="notification", name="notification_by_console"),
    ]
