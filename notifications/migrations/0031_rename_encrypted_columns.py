from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0030_one_index_of_the_log")]

    # The condition of the index names the column, so the index is built again.
    operations = [
        migrations.RemoveIndex("notification", "notification_sealed"),
        migrations.RenameField("apikey", "sealed_secret", "encrypted_secret"),
        migrations.RenameField("attachment", "name_sealed", "encrypted_name"),
        migrations.RenameField("callbackendpoint", "sealed_bearer_token", "encrypted_bearer_token"),
        migrations.RenameField("callbackendpoint", "sealed_signing_secret", "encrypted_signing_secret"),
        migrations.RenameField("callbackendpoint", "sealed_old_signing_secret", "encrypted_old_signing_secret"),
        migrations.RenameField("notification", "sealed_outgoing", "encrypted_outgoing"),
        migrations.RenameField("sandboxmessage", "sealed", "encrypted_content"),
        migrations.AddIndex(
            "notification",
            models.Index(
                fields=["status"], condition=~models.Q(encrypted_outgoing=None), name="notification_encrypted"
            ),
        ),
    ]
