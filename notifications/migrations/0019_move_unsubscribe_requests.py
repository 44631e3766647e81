from django.db import migrations

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


def move_back(apps, schema_editor):
    """Move the requests of messages that are still kept back; the release before this one cannot hold the others."""
    earlier = apps.get_model("notifications", "EarlierUnsubscribeRequest")
    request = apps.get_model("notifications", "UnsubscribeRequest")
    notification = apps.get_model("notifications", "Notification")
    while rows := list(request.objects.order_by("id")[:BATCH]):
        kept = set(
            notification.objects.filter(id__in=[row.notification_id for row in rows]).values_list("id", flat=True)
        )
        earlier.objects.bulk_create(
            [
                earlier(notification_id=row.notification_id, at=row.created_at)
                for row in rows
                if row.notification_id in kept
            ],
            ignore_conflicts=True,
        )
        request.objects.filter(id__in=[row.id for row in rows]).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0018_unsubscribe_requests_apart"),
    ]

    operations = [migrations.RunPython(move, move_back)]
