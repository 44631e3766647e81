import django.db.models.deletion
from django.db import migrations, models


def forget_callbacks(apps, schema_editor):
    """Delete the callbacks for unsubscribe requests: the release before this one takes them for test events."""
    apps.get_model("notifications", "CallbackDelivery").objects.exclude(unsubscribe_request=None).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0019_move_unsubscribe_requests"),
    ]

    operations = [
        migrations.AlterField(
            model_name="callbackendpoint",
            name="kind",
            field=models.CharField(
                choices=[
                    ("delivery_status", "Delivery status"),
                    ("received_text_message", "Received text message"),
                    ("unsubscribe_request", "Unsubscribe request"),
                ],
                max_length=21,
            ),
        ),
        migrations.AddField(
            model_name="callbackdelivery",
            name="unsubscribe_request",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                to="notifications.unsubscriberequest",
            ),
        ),
        migrations.AddConstraint(
            model_name="callbackdelivery",
            constraint=models.UniqueConstraint(
                fields=("unsubscribe_request",), name="callback_delivery_once_a_request"
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, forget_callbacks),
    ]
