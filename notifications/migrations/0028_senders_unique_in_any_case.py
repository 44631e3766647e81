from collections import defaultdict

from django.core.management import CommandError
from django.db import migrations, models
from django.db.models.functions import Lower

_COLUMNS = {"SmsSender": ("sender", "text message senders"), "ReplyToAddress": ("email_address", "reply-to addresses")}


def refuse_doubles(apps, schema_editor):
    """Raise CommandError with a line for each pair that the constraints forbid: which of them goes, staff decide."""
    lines = []
    for model, (column, called) in _COLUMNS.items():
        alike = defaultdict(list)
        rows = apps.get_model("notifications", model).objects.filter(archived_at=None).order_by("created_at")
        for row in rows.select_related("service"):
            alike[row.service, getattr(row, column).lower()].append(str(row.pk))
        lines += [
            f"The service “{service.name}” has {called} that differ only in case: {', '.join(ids)}."
            for (service, _), ids in alike.items()
            if len(ids) > 1
        ]
    if lines:
        raise CommandError("\n".join([*lines, "Remove all but one of each in the console, then migrate again."]))


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0001_squashed_0027_request_id_index"),
    ]

    operations = [
        migrations.RunPython(refuse_doubles, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name="replytoaddress", name="reply_to_unique"),
        migrations.RemoveConstraint(model_name="smssender", name="sms_sender_unique"),
        migrations.AddConstraint(
            model_name="replytoaddress",
            constraint=models.UniqueConstraint(
                models.F("service"),
                Lower("email_address"),
                condition=models.Q(archived_at=None),
                name="reply_to_unique_in_any_case",
            ),
        ),
        migrations.AddConstraint(
            model_name="smssender",
            constraint=models.UniqueConstraint(
                models.F("service"),
                Lower("sender"),
                condition=models.Q(archived_at=None),
                name="sms_sender_unique_in_any_case",
            ),
        ),
    ]
