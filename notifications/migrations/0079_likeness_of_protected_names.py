from django.db import migrations, models

from notifications.validation.protected import likeness


def store_likeness(apps, schema_editor):
    """Store the likeness of each name. Of names that look alike, the first one gets it."""
    names = apps.get_model("notifications", "ProtectedName").objects
    first = {}
    for pk, name in names.order_by("pk").values_list("pk", "name"):
        first.setdefault(likeness(name)[:1020], pk)
    for alike, pk in first.items():
        names.filter(pk=pk).update(likeness=alike)


class Migration(migrations.Migration):
    few_rows = "operators write the list by hand"

    dependencies = [("notifications", "0078_keys_of_mailboxes")]

    operations = [
        migrations.AddField(
            model_name="protectedname",
            name="likeness",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=1020),
        ),
        migrations.RunPython(store_likeness, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="protectedname",
            constraint=models.UniqueConstraint(
                condition=models.Q(("likeness", ""), _negated=True),
                fields=("likeness",),
                name="protected_name_likeness_unique",
            ),
        ),
    ]
