import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0003_rename_write_errors")]

    operations = [
        migrations.AlterField("rememberedkey", "key", models.CharField(max_length=255)),
        migrations.RemoveIndex("rememberedkey", "remembered_key_age"),
        migrations.AlterField(
            "rememberedkey", "created_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)
        ),
    ]
