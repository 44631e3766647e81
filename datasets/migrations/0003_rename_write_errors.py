from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0002_fields_seen_refusals_and_calls")]

    operations = [
        migrations.RenameModel("WriteRefusal", "WriteError"),
        migrations.AlterField(
            "writeerror",
            "data_set",
            models.ForeignKey("datasets.DataSet", models.CASCADE, related_name="write_errors"),
        ),
    ]
