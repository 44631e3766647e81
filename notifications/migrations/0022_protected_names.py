"""Add the list of names that only operators give to a service."""

import django.db.models.functions.text
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0021_service_unsubscribe_request_days")]

    operations = [
        migrations.CreateModel(
            name="ProtectedName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("created_by", models.CharField(blank=True, editable=False, max_length=255)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("name"), name="protected_name_unique"
                    )
                ],
            },
        ),
    ]
