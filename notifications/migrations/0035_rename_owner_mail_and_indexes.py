from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0034_plain_help_texts")]

    operations = [
        migrations.RemoveIndex("callbackendpoint", "callback_endpoint_untold"),
        migrations.RenameField("callbackendpoint", "tell_owners_at", "notify_owners_at"),
        migrations.AddIndex(
            "callbackendpoint",
            models.Index(
                fields=["notify_owners_at"],
                condition=~models.Q(notify_owners_at=None),
                name="callback_endpoint_to_notify",
            ),
        ),
        migrations.RenameIndex(
            "callbackdelivery", old_name="callback_delivery_held", new_name="callback_delivery_claimed"
        ),
        migrations.RenameIndex(
            "notification", old_name="notification_silent", new_name="notification_without_receipt"
        ),
    ]
