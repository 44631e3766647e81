from django.db import migrations, models


class Migration(migrations.Migration):
    """Let the database set the empty lists of a new message, so that no INSERT sends them."""

    dependencies = [("notifications", "0075_bulk_rows_of_a_recipient")]

    operations = [
        migrations.AlterField("notification", "attempts", models.JSONField(db_default=[])),
        migrations.AlterField("notification", "receipts", models.JSONField(db_default=[])),
    ]
