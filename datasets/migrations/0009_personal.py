from django.db import migrations, models


class Migration(migrations.Migration):
    """Let data sets be marked as personal, so that the erasure of a person searches them."""

    dependencies = [("datasets", "0008_schemas")]

    operations = [
        migrations.AddField("DataSet", "personal", models.BooleanField(db_default=False, default=False)),
    ]
