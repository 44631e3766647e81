import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0039_bulk_sends"),
    ]

    operations = [
        migrations.AddField(
            model_name="notification",
            name="lane",
            field=models.PositiveSmallIntegerField(choices=[(0, "Single"), (1, "Bulk"), (2, "Paused")], db_default=0),
        ),
        migrations.AddField(
            model_name="notification",
            name="bulk_row",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="notifications",
                to="notifications.bulkrow",
            ),
        ),
    ]
