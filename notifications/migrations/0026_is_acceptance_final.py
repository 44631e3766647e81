from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0025_attachment_templates_found"),
    ]

    operations = [
        migrations.AddField(
            model_name="notification",
            name="is_acceptance_final",
            field=models.BooleanField(db_default=False),
        ),
    ]
