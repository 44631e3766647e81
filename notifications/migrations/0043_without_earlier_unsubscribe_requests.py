import django.db.models.deletion
from django.db import migrations, models

BATCH = 500


def move(apps, schema_editor):
    """Move the requests of messages that are still kept into the table of their own, with what their messages hold."""
    earlier = apps.get_model("notifications", "EarlierUnsubscribeRequest")
    request = apps.get_model("notifications", "UnsubscribeRequest")
    while rows := list(earlier.objects.select_related("notification").order_by("id")[:BATCH]):
        request.objects.bulk_create(
            [
                request(
                    service_id=row.notification.service_id,
                    template_id=row.notification.template_id,
                    notification_id=row.notification_id,
                    recipient=row.notification.recipient,
                    email_created_at=row.notification.created_at,
                    created_at=row.at,
                )
                for row in rows
            ],
            ignore_conflicts=True,
        )
        earlier.objects.filter(id__in=[row.id for row in rows]).delete()


class Migration(migrations.Migration):
    """The table stays, without its foreign key, for the clean-up of processes of the previous version, which reads it."""

    few_rows = "those that processes of the previous version stored during the upgrade"
    dependencies = [("notifications", "0042_sending_rules")]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="earlierunsubscriberequest",
            name="notification",
            field=models.OneToOneField(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="notifications.notification",
            ),
        ),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("EarlierUnsubscribeRequest")]),
    ]
