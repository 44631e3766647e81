from django.db import migrations, models


class Migration(migrations.Migration):
    """Keep the records of an emptied data set for Undo. Stores that were emptied before are deleted as they were."""

    dependencies = [("datasets", "0003_column_files")]

    operations = [
        migrations.AddField(
            "EmptiedStore",
            "data_set",
            models.ForeignKey(
                "datasets.dataset", null=True, on_delete=models.SET_NULL, related_name="emptied_stores"
            ),
        ),
    ]
