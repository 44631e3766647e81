"""Keep with each audit event what people call its object; events stored before keep their names in their values."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("operations", "0011_mailed_invite")]
    operations = [
        migrations.AddField(
            model_name="auditevent",
            name="object_label",
            field=models.CharField(blank=True, db_default="", max_length=255),
        )
    ]
