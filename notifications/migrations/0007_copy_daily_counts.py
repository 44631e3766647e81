"""Copy the counts of days into the first hour of each day. Days whose messages may still exist are then counted again.

The next count of such a day keeps the deleted messages in the first hour, and moves the others to their hours.
"""

from datetime import timedelta

from django.db import migrations, transaction
from django.utils import timezone

AT_ONCE = 1000
MESSAGES_ARE_KEPT_FOR = timedelta(days=91)  # at most


def copy(apps, schema_editor):
    daily, hourly = (apps.get_model("notifications", name) for name in ("DailyCount", "HourlyCount"))
    columns = ("service_id", "day", "channel", "template_id", "key_type", "status")
    sums = ("n", "deleted", "units", "deleted_units")
    last = 0
    while some := list(daily.objects.filter(pk__gt=last, n__gt=0).order_by("pk")[:AT_ONCE]):
        last = some[-1].pk
        with transaction.atomic():
            hourly.objects.bulk_create(
                [hourly(hour=0, **{name: getattr(row, name) for name in (*columns, *sums)}) for row in some],
                ignore_conflicts=True,
            )
    days = apps.get_model("notifications", "CountedDay").objects
    first = timezone.now() - MESSAGES_ARE_KEPT_FOR
    days.filter(day__gte=first.date()).update(counted_at=None, is_settled=False)


class Migration(migrations.Migration):
    atomic = False  # it reads all counts, and each batch is a transaction

    dependencies = [("notifications", "0006_hourly_counts")]

    operations = [migrations.RunPython(copy, migrations.RunPython.noop)]
