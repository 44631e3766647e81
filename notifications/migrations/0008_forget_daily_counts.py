"""Forget the model of the daily counts. Its table stays for the previous version, without references that need it."""

from django.db import migrations, models


def delete_orphans(apps, schema_editor):
    """Delete the counts of services that were deleted meanwhile, before their references are checked again."""
    templates = apps.get_model("notifications", "Template").objects.values("pk")
    apps.get_model("notifications", "DailyCount").objects.exclude(template__in=templates).delete()


class Migration(migrations.Migration):
    few_rows = "nothing forwards; backwards the counts of deleted services"

    dependencies = [("notifications", "0007_copy_daily_counts")]

    operations = [
        *(
            migrations.AlterField(
                "dailycount",
                name,
                models.ForeignKey(f"notifications.{name}", models.CASCADE, db_index=is_index, db_constraint=False),
            )
            for name, is_index in (("service", False), ("template", True))
        ),
        migrations.RunPython(migrations.RunPython.noop, delete_orphans),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("DailyCount")]),
    ]
