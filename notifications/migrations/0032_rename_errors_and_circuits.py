from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0031_rename_encrypted_columns")]

    operations = [
        migrations.RenameModel("ApiRefusal", "ApiCallError"),
        migrations.RenameIndex("apicallerror", new_name="api_call_error_newest", old_name="api_refusal_newest"),
        migrations.AlterField(
            "apicallerror",
            "key",
            models.ForeignKey("notifications.ApiKey", models.CASCADE, related_name="errors", db_index=False),
        ),
        migrations.RenameModel("ProviderPause", "ProviderCircuit"),
    ]
