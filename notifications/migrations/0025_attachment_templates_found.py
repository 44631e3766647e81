from django.db import migrations
from django.db.models import OuterRef, Subquery


def find(apps, schema_editor):
    """Note the template of each file whose message is still kept."""
    attachment = apps.get_model("notifications", "Attachment")
    notification = apps.get_model("notifications", "Notification")
    template = notification.objects.filter(pk=OuterRef("notification_id")).values("template_id")[:1]
    attachment.objects.filter(template=None).update(template_id=Subquery(template))


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0024_attachment_template"),
    ]

    operations = [migrations.RunPython(find, migrations.RunPython.noop)]
