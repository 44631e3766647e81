import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0023_first_protected_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="attachment",
            name="template",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="notifications.template",
            ),
        ),
    ]
