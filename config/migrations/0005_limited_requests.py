from django.db import migrations

OLD, NEW = "signalbox_refusals", "signalbox_limited_requests"


def rename(apps, schema_editor):
    """Let the counter go on from its number."""
    values = apps.get_model("config", "MetricValue").objects.using(schema_editor.connection.alias)
    values.filter(name=OLD).update(name=NEW)


def restore(apps, schema_editor):
    values = apps.get_model("config", "MetricValue").objects.using(schema_editor.connection.alias)
    values.filter(name=NEW).update(name=OLD)


class Migration(migrations.Migration):
    dependencies = [("config", "0004_rename_metric_table")]

    operations = [migrations.RunPython(rename, restore)]
