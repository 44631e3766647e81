from django.db import migrations

RENAMED = {"steps": "background-jobs", "key-refusals": "key-errors", "write-refusals": "write-errors"}


def rename(apps, schema_editor):
    """The runs store the name of their rule, which the clock and the page of clean-up look up."""
    runs = apps.get_model("operations", "RetentionRun").objects.using(schema_editor.connection.alias)
    for old, new in RENAMED.items():
        runs.filter(rule=old).update(rule=new)


def restore(apps, schema_editor):
    runs = apps.get_model("operations", "RetentionRun").objects.using(schema_editor.connection.alias)
    for old, new in RENAMED.items():
        runs.filter(rule=new).update(rule=old)


class Migration(migrations.Migration):
    dependencies = [("operations", "0018_bulk_job_runs")]

    operations = [migrations.RunPython(rename, restore)]
