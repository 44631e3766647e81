from django.db import migrations, models

from config.databases import concurrently


class Migration(migrations.Migration):
    """Add the index of the bulk rows of one recipient, while bulk sends are accepted."""

    atomic = False
    dependencies = [("notifications", "0074_callback_once_a_data_set_event")]

    operations = [
        concurrently.AddIndex(
            model_name="bulkrow",
            index=models.Index(fields=["normalised_recipient"], name="bulk_row_of_recipient"),
        ),
    ]
